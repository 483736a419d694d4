"""What makes a text a query worth asking: pure decisions on letters and words."""

from __future__ import annotations

import re

_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")
"""Chinese, Japanese and Korean letters, of which two say about what a word says."""
_NUMBER = re.compile(r"\d+")


def folded(text: str) -> str:
    """Letters and digits alone, without case: texts that differ in marks alone are equal."""
    return "".join(filter(str.isalnum, text.casefold()))


def without_numbers(text: str) -> str:
    """`folded` without digits: one pattern filled in twice is equal."""
    return _NUMBER.sub("", folded(text))


def letters(text: str) -> int:
    """How many letters and digits `text` has, a CJK one counting for two."""
    return len(folded(text)) + len(_CJK.findall(text))


def words(text: str) -> float:
    """How many words `text` has, a CJK letter counting for half of one."""
    return len(_CJK.sub(" ", text).split()) + len(_CJK.findall(text)) / 2
