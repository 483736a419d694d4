"""Detect the language of a text, which decides how words are stemmed and which are function words.

Chinese, Japanese and Korean are recognized by their scripts. Each other language is recognized by
its function words, .25 or more of the words of running text, and by letters that few others have.
A text with too few of both has no language: names, abbreviations and commands are spelled like
function words of some language (AI, OS, man, I/O).
"""

import re
from collections import Counter
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path

HAN = "\u2e80-\u2fd5\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
KANA = "\u3040-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"
"""Hiragana and katakana without the dot (・), which separates foreign words."""
HANGUL = "\u1100-\u11ff\uac00-\ud7af"
IDEOGRAPHS = f"\u3005-\u3007{HAN}{KANA}"
"""Han, kana, and marks that stand for a Han character."""
CJK = f"{IDEOGRAPHS}{HANGUL}"
"""Scripts whose words are indexed as pairs of characters. Each string of characters here is the
inside of a set in a regular expression."""
FULL_WIDTH = f"{IDEOGRAPHS}\u3001-\u303f\u30fb\u3100-\u312f\uff00-\uffef"
"""Characters between which a line breaks without a space: ideographs, bopomofo, punctuation and
full-width forms. Korean separates words by spaces."""
EAST_ASIAN = frozenset({"ja", "ko", "zh"})
"""Languages written in CJK."""
SOUTHEAST_ASIAN = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ecd\u0edc-\u0edf"
    "\u1000-\u103f\u1050-\u109f\uaa60-\uaa7f\u1780-\u17d3\u17d7\u17dc\u17dd"
)
"""Thai, Lao, Burmese and Khmer, which have no spaces between words."""


def read_rows(name: str) -> list[str]:
    """Return the lines of a packaged table."""
    path = Path(__file__).parents[1] / "data" / name
    return path.read_text(encoding="utf-8").splitlines()


_LANGUAGE_ROWS = {
    code: row for code, *row in (row.split("\t") for row in read_rows("languages.txt"))
}
"""Columns by tag: the stemmer's script (`latin`, `own`, `-` for none), names, related languages."""
NOT_LATIN = frozenset(code for code, row in _LANGUAGE_ROWS.items() if row[0] == "own")
STEMMED = NOT_LATIN.union(code for code, row in _LANGUAGE_ROWS.items() if row[0] == "latin")
"""Languages with a Snowball stemmer; words of other languages are stemmed as English."""
_ANY_WORD = re.compile(
    rf"(?:[a-z]++|(?:[^\W\d_a-z{KANA}{HANGUL}{HAN}]|[\u0591-\u05c7\u0900-\u094d\u0bbe-\u0bcd])++)++"
)
"""A word outside East Asia with its points and vowel signs, which are no letters to Python."""
CHARACTERS_PER_WORD = 2
"""Number of East Asian characters that weigh as one word when scripts are compared."""
WORDS_PER_FUNCTION_WORD = 3
"""Words of running text per function word. Latin is measured by these, since code is Latin too."""
LEAST_EVIDENCE = 2
"""Minimum evidence to name a language. A function word counts one, since it may be a coincidence
(de facto, la jolla), and two with a letter beyond ASCII (für). A single letter counts one less (à,
a). Each word with a letter that few languages have adds one, up to two. Repeats do not count."""
UNDETERMINED = "und"
"""BCP 47's tag of an unknown language."""


def language_of(text: str) -> str:
    """Return the ISO 639-1 code of `text`, `und` if 50 or more words show none, `""` if unclear."""
    return _language_of_sample(text[:20_000])  # more would not change the answer


@lru_cache(maxsize=64)
def _language_of_sample(sample: str) -> str:
    words, ranks = Counter(_ANY_WORD.findall(sample.lower())), list[tuple[int, int, str]]()
    seen, letters = {*words}, {*"".join(word for word in words if len(word) > 2)}
    for code, (listed, own) in _read_function_words().items():
        evidence = {word: (len(word) > 1) + (not word.isascii()) for word in listed & seen}
        telling = own & letters
        marked = {word for word in words if not telling.isdisjoint(word)} if telling else set[str]()
        times = sum(words[word] for word in marked.union(w for w, much in evidence.items() if much))
        much = sum(evidence.values()) + min(len(marked), LEAST_EVIDENCE)
        ranks.append((much, times, code))
    second, (evident, share, best) = sorted(ranks)[-2:]
    share = share if evident >= LEAST_EVIDENCE else 0
    characters = "".join(re.findall(f"[{HAN}{KANA}{HANGUL}]+", sample))
    if len(characters) > CHARACTERS_PER_WORD * WORDS_PER_FUNCTION_WORD * share:
        if len(re.findall(f"[{HANGUL}]", characters)) * 2 > len(characters):
            return "ko"
        kana = len(re.findall(f"[{KANA}]", characters))  # Japanese prose has half, Chinese none
        return "ja" if kana >= 0.1 * len(characters) else "zh"
    # Running text of any language has .25 and more of function words, identifiers next to none.
    if share and share >= 0.08 * words.total():
        is_shown = second[:2] < (evident, share) or {best, second[2]} == {"da", "no"}
        return best if is_shown else ""
    return UNDETERMINED if words.total() >= 50 else ""


def common_languages(posts: Mapping[str, int]) -> tuple[str, ...]:
    """Return the languages in which a query is looked up, the commonest first; `en` without posts.

    `posts` counts posts by language. Languages with less than a twentieth of the posts are left
    out, since each costs a look-up of every word.
    """
    ordered = sorted(posts, key=lambda code: (-posts[code], code))
    least = 0.05 * sum(posts.values())
    return tuple(code for code in ordered if posts[code] >= least) or ("en",)


def primary_subtag(language: str) -> str:
    """Return the language of a tag, without script and region."""
    return language.partition("-")[0].lower()


def stemmer_of(language: str) -> str:
    """Return the code of a language's Snowball stemmer (`pt` for `pt-br`), `en` if it has none."""
    code = primary_subtag(language)
    code = "no" if code in {"nb", "nn"} else code
    return code if code in STEMMED else "en"


def function_words(language: str) -> frozenset[str]:
    """Return the language's function words; none for a language without a list.

    Chinese ones are single characters, which count inside a longer word too.
    """
    return _read_function_words().get(primary_subtag(language), (frozenset[str](),))[0]


@cache
def _read_function_words() -> Mapping[str, tuple[frozenset[str], frozenset[str]]]:
    """Return the function words of each language, and its letters that few others have."""
    rows = (f"{row}\t".split("\t") for row in read_rows("function_words.txt"))
    return {row[0]: (frozenset(row[1].split()), frozenset(row[2])) for row in rows}


_LANGUAGE_TAG = re.compile(
    rf"(?:{'|'.join(_LANGUAGE_ROWS)})(?:-(?:hans|hant|latn|cyrl|arab))?(?:-(?:[a-z]{{2}}|\d{{3}}))?"
)
"""Language tags of blogs, without those that are also file endings or topics (ts, ml)."""
TRADITIONAL = re.compile(r"-(?:hant|tw|hk|mo)\b")
"""Part of a Chinese language tag that means Traditional characters."""


def join_ideographs(text: str) -> str:
    """Return a query without blanks between Han characters and kana, as text is written.

    With blanks, multilingual-e5-small puts Chinese keywords further from their own post than it
    puts headings of other posts.
    """
    return re.sub(rf"(?<=[{HAN}{KANA}])\s+(?=[{HAN}{KANA}])", "", text)


def read_tag(name: str) -> str:
    """Return the language tag that the name of a folder or a suffix means, `""` if none."""
    tags = (tag for tag, (_, names, _) in _LANGUAGE_ROWS.items() if name.lower() in names.split())
    return language_tag(name) or next(tags, "")


def is_spoken(tag: str, shown: str) -> bool:
    """Whether a text may be in the language of `tag` if `language_of` returns `shown` for it."""
    code, other = primary_subtag(tag), primary_subtag(shown)
    listed = code in EAST_ASIAN or function_words(code)
    near = _LANGUAGE_ROWS[code][2].split() if code in _LANGUAGE_ROWS else []
    return code == other or (not listed and other in (UNDETERMINED, *near))


def language_tag(text: str) -> str:
    """Return a tag such as `zh_TW` or `en-US.UTF-8` as BCP 47 in lower case, `""` for no tag."""
    tag = text.strip().lower().replace("_", "-").removesuffix(".utf-8")
    return tag if _LANGUAGE_TAG.fullmatch(tag) else ""
