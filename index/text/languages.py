"""Detect the language of a text, which decides how words are stemmed and which are function words.

Chinese, Japanese and Korean are recognised by their scripts; of the others, which are those that
Snowball stems, the language whose function words occur most is taken, as a third of any running
text is made of them, and letters that few others have tell it too. A text with too few of both has
no language: names, abbreviations and commands are spelt like function words of some language or
other (AI, OS, man, I/O).
"""

import re
from collections import Counter
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path

HAN = "\u2e80-\u2fd5\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
KANA = "\u3040-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"
"""Without the dot between foreign words (・), which parts them."""
HANGUL = "\u1100-\u11ff\uac00-\ud7af"
IDEOGRAPHS = f"\u3005-\u3007{HAN}{KANA}"
"""Han, kana, and the marks that stand for a Han character."""
CJK = f"{IDEOGRAPHS}{HANGUL}"
"""Scripts whose words are indexed as pairs of characters. Each of these constants is the inside of
a set in a regular expression."""
FULL_WIDTH = f"{IDEOGRAPHS}\u3001-\u303f\u30fb\u3100-\u312f\uff00-\uffef"
"""Characters between which a line breaks without a space: ideographs, bopomofo, punctuation and
forms of full width. Hangul parts its words by spaces."""

EAST_ASIAN = frozenset({"ja", "ko", "zh"})
"""The languages of these scripts."""

SOUTHEAST_ASIAN = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ecd\u0edc-\u0edf"
    "\u1000-\u103f\u1050-\u109f\uaa60-\uaa7f\u1780-\u17d3\u17d7\u17dc\u17dd"
)
"""Thai, Lao, Burmese and Khmer, which have no spaces between words either."""


def read_rows(name: str) -> list[str]:
    """The lines of a table of the package."""
    path = Path(__file__).parents[1] / "data" / name
    return path.read_text(encoding="utf-8").splitlines()


_LANGUAGE_ROWS = {
    code: row for code, *row in (row.split("\t") for row in read_rows("languages.txt"))
}
"""Columns of each language by its tag: whether it is stemmed, its names, and what it is near."""
NOT_LATIN = frozenset(code for code, row in _LANGUAGE_ROWS.items() if row[0] == "own")
STEMMED = NOT_LATIN.union(code for code, row in _LANGUAGE_ROWS.items() if row[0] == "latin")
"""Languages that Snowball has a stemmer for. Latin words in any other language's posts are stemmed
as English, which is what technical terms mostly are."""

_ANY_WORD = re.compile(
    rf"(?:[a-z]++|(?:[^\W\d_a-z{KANA}{HANGUL}{HAN}]|[\u0591-\u05c7\u0900-\u094d\u0bbe-\u0bcd])++)++"
)
"""A word outside East Asia with its points and vowel signs, which Python counts as no letters."""

CHARACTERS_PER_WORD, WORDS_PER_FUNCTION_WORD = 2, 3
"""East Asian characters that count as one word where scripts are weighed against each other, and
words of running text for each function word in it; by these Latin text is weighed, since code is
Latin whatever language it is explained in."""

LEAST_EVIDENCE = 2
"""Different function words that name a language: one alone may be a coincidence (de facto, la
jolla, man pages), unless it has a letter beyond ASCII (für, что), which counts as two. Of single
letters one beyond ASCII counts as one (à la carte), any other as none: it is a variable, or a half
of I/O. So does each word with a letter that tells a language, but two at most: a text may quote."""

UNDETERMINED = "und"
"""BCP 47's word for a language that is not known."""


def language_of(text: str) -> str:
    """The language of `text` as ISO 639-1.

    `""` where too few words show it, `und` for 50 words and more in a language that is not known
    here.
    """
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
    # Running text of any language has .25 and more, text made of identifiers next to none.
    if share and share >= 0.08 * words.total():
        is_shown = second[:2] < (evident, share) or {best, second[2]} == {"da", "no"}
        return best if is_shown else ""
    return UNDETERMINED if words.total() >= 50 else ""


def common_languages(posts: Mapping[str, int]) -> tuple[str, ...]:
    """The languages that a query is looked up in, the commonest first, of posts counted by theirs.

    Each further one costs a look-up of every word, so those of less than a twentieth of the posts
    are left out.
    """
    ordered = sorted(posts, key=lambda code: (-posts[code], code))
    least = 0.05 * sum(posts.values())
    return tuple(code for code in ordered if posts[code] >= least) or ("en",)


def primary_subtag(language: str) -> str:
    """The language alone of a tag that may name a script or a region too."""
    return language.partition("-")[0].lower()


def stemmer_of(language: str) -> str:
    """Snowball's stemmer for the Latin words of a post in `language` (`de`, `pt-br`, `zh-tw`)."""
    code = primary_subtag(language)
    code = "no" if code in {"nb", "nn"} else code
    return code if code in STEMMED else "en"


def function_words(language: str) -> frozenset[str]:
    """The language's function words; none for a language without a list.

    Of Chinese they are characters, which serve grammar also as a part of a word.
    """
    return _read_function_words().get(primary_subtag(language), (frozenset[str](),))[0]


@cache
def _read_function_words() -> Mapping[str, tuple[frozenset[str], frozenset[str]]]:
    """The function words of each language, and the letters that tell it."""
    rows = (f"{row}\t".split("\t") for row in read_rows("function_words.txt"))
    return {row[0]: (frozenset(row[1].split()), frozenset(row[2])) for row in rows}


_LANGUAGE_TAG = re.compile(
    rf"(?:{'|'.join(_LANGUAGE_ROWS)})(?:-(?:hans|hant|latn|cyrl|arab))?(?:-(?:[a-z]{{2}}|\d{{3}}))?"
)
"""Codes blogs are written in; without those that are file endings or topics (ts, ml)."""

TRADITIONAL = re.compile(r"-(?:hant|tw|hk|mo)\b")
"""Parts of a Chinese language tag that stand for Traditional characters."""


def join_ideographs(text: str) -> str:
    """Return a query without the blanks between Han characters and kana, as these are written.

    An embedder takes Chinese keywords with blanks for another kind of text than any passage: with
    multilingual-e5-small they lie further from their own post than headings about other things do.
    """
    return re.sub(rf"(?<=[{HAN}{KANA}])\s+(?=[{HAN}{KANA}])", "", text)


def read_tag(name: str) -> str:
    """The tag that the name of a folder or a suffix spells or means, `""` if none."""
    tags = (tag for tag, (_, names, _) in _LANGUAGE_ROWS.items() if name.lower() in names.split())
    return language_tag(name) or next(tags, "")


def is_spoken(tag: str, shown: str) -> bool:
    """Whether a text that shows a language, as `language_of` says, may be in that of a tag."""
    code, other = primary_subtag(tag), primary_subtag(shown)
    listed = code in EAST_ASIAN or function_words(code)
    near = _LANGUAGE_ROWS[code][2].split() if code in _LANGUAGE_ROWS else []
    return code == other or (not listed and other in (UNDETERMINED, *near))


def language_tag(text: str) -> str:
    """The BCP 47 tag in lower case that `text` spells (`zh_TW`, `en-US.UTF-8`), `""` if none."""
    tag = text.strip().lower().replace("_", "-").removesuffix(".utf-8")
    return tag if _LANGUAGE_TAG.fullmatch(tag) else ""
