"""Characters by script, each as the inside of a regular expression's set."""

HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
KANA = "\u3040-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"
"""Without the dot between foreign words (・), which parts them."""
HANGUL = "\u1100-\u11ff\uac00-\ud7af"
CJK = f"\u3005-\u3007{HAN}{KANA}{HANGUL}"
"""Scripts without spaces between words, and the marks that stand for a Han character."""
