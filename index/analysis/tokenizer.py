"""Cut text into the terms that the lexical index counts; one grammar for posts and queries.

Case, width, accents and Chinese script are folded, and words are stemmed by the rules of the text's
language. Han and kana runs, which have no spaces, become bigrams. Identifiers stay whole beside
their parts, so that `faiss.IndexFlatIP`, `IndexFlatIP` and `flat index` all find the same passage.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from blog_search_mcp.index.analysis.languages import CJK, stemmer_of

LONGEST = 64
"""Characters of a term that count: beyond, it is data (a hash, an inlined file), not a word."""

_ACCENTS = "\u0300-\u036f"
_WORD = rf"(?:(?:[a-zA-Z0-9]++|[^\W_{CJK}a-zA-Z0-9]++)[{_ACCENTS}]*+)++"
_NAME = rf"{_WORD}(?:[._:/\-'’@+#]+{_WORD})*(?:\+\+|#)?"
_RUN = re.compile(rf"[{CJK}]+|{_NAME}")
"""A run of characters that makes terms."""
_EAST_ASIAN = re.compile(f"[{CJK}]")
_PART = re.compile(_WORD)
_HUMP = re.compile(
    rf"[A-Z]+(?=[A-Z][a-z])|[A-Z]?(?:[^\WA-Z\d_][{_ACCENTS}]*)+|[A-Z]+|\d+",
)
_ACCENT = re.compile(f"[{_ACCENTS}]")
_ENCLITICS = {"s", "t", "d", "re", "ll", "ve", "m"}
"""What English writes after an apostrophe; no word by itself."""

_UNIFIED = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]+")
"""Characters of which nothing but their script is folded."""
_LETTER = re.compile(
    "[\u1100-\u115f][\u1160-\u11a7][\u11a8-\u11ff]?|.[\u3099\u309a\uff9e\uff9f]?", re.DOTALL
)
"""A Han, kana or hangul character with the marks or the jamo that belong to it."""
_KATAKANA = "[\u30a1-\u30fa\u30fc\u31f0-\u31ff]"
_FINAL_MARK = re.compile(rf"(?<={_KATAKANA}{{3}})\u30fc(?!{_KATAKANA})")
"""The long mark at the end of a katakana word of four characters or more, which some leave out:
コピー and キー always have theirs. Lucene's JapaneseKatakanaStemFilter draws the line there."""


class Term(NamedTuple):
    """A term in both spellings and the characters of the text it stands for."""

    stem: str
    exact: str
    start: int
    end: int


def terms(text: str, language: str = "en") -> Iterator[Term]:
    """The terms of `text` in its order; an identifier comes before its parts.

    `language` is that of the text (`index.analysis.languages`), and decides how words are stemmed.
    """
    for match in _RUN.finditer(text):
        place = match.start()
        for stem, exact, start, end in _split_run(match[0], language):
            yield Term(stem, exact, place + start, place + end)


LONGEST_RUN = 32
"""Characters of a run whose terms are remembered; longer ones hardly come again."""


def index_terms(text: str, language: str = "en") -> str:
    """The stems that `terms` gives of a text, each apart by a space, and faster."""
    return " ".join([t[0] for run in _RUN.findall(text) for t in _split_run(run, language)])


def _split_run(run: str, language: str) -> Sequence[Term]:
    split = _remember_run if len(run) <= LONGEST_RUN else _remember_run.__wrapped__
    return split(run, language)


@lru_cache(maxsize=32768)
def _remember_run(run: str, language: str) -> Sequence[Term]:
    """The terms of a run, by their place in it."""
    if _EAST_ASIAN.match(run):
        return tuple(_bigrams(run))
    return tuple(_names(run, stemmer_of(language)))


def _bigrams(run: str) -> Iterator[Term]:
    """Pairs of neighbours in a run without spaces, or its only character."""
    letters, bounds = _fold_letters(run)
    if len(letters) == 1:
        yield Term(letters[0], letters[0], bounds[0], bounds[-1])
    for place, (first, second) in enumerate(pairwise(letters)):
        yield Term(first + second, first + second, bounds[place], bounds[place + 2])


def _fold_letters(run: str) -> tuple[list[str], list[int]]:
    """The folded characters of a run, and where each begins and the last one ends."""
    if _UNIFIED.fullmatch(run):
        return list(to_simplified(run)), list(range(len(run) + 1))
    matches = list(_LETTER.finditer(run))
    folded = [fold(match[0]) for match in matches]
    joined = "".join(letter[:1] or " " for letter in folded)
    marks = {mark.start() for mark in _FINAL_MARK.finditer(joined)}
    kept = [place for place in range(len(folded)) if place not in marks]
    starts = [matches[place].start() for place in kept]
    return [folded[place] for place in kept], [*starts, len(run)]


def _names(name: str, stemmer: str) -> Iterator[Term]:
    words, spoken = list(_PART.finditer(name)), "'" in name or "’" in name
    if not spoken and (len(words) > 1 or name[-1] in "+#"):
        whole = fold(name)
        yield Term(whole, whole, 0, len(name))
    for word in words:
        if not (spoken and word.start() and word[0].lower() in _ENCLITICS):
            yield from _words(word[0], word.start(), stemmer)


def _words(word: str, start: int, stemmer: str) -> Iterator[Term]:
    yield Term(stem(word, stemmer), fold(word), start, start + len(word))
    humps = [] if word.islower() and word.isalpha() else list(_HUMP.finditer(word))
    for hump in humps if len(humps) > 1 else ():
        place, part = start + hump.start(), hump[0]
        yield Term(stem(part, stemmer), fold(part), place, place + len(part))


_TABLE = Path(__file__).parents[1] / "data" / "traditional_to_simplified.txt"


def to_simplified(text: str) -> str:
    """`text` with every Traditional character as its commonest Simplified one."""
    return text if text.isascii() else text.translate(_table())


@cache
def _table() -> dict[int, int]:
    traditional, simple = _TABLE.read_text(encoding="utf-8").splitlines()
    return str.maketrans(traditional, simple)


@lru_cache(maxsize=65536)
def fold(word: str) -> str:
    """A word without case, width, accents or Traditional characters.

    Some compatibility forms (`ﷺ`) are phrases or begin with a space; the spaces go.
    """
    if word.isascii():
        return "".join(word[:LONGEST].lower().split())
    compatible = unicodedata.normalize("NFKC", word[:LONGEST]).casefold()
    bare = _ACCENT.sub("", unicodedata.normalize("NFD", compatible))
    return to_simplified("".join(unicodedata.normalize("NFC", bare).split()))


@lru_cache(maxsize=131072)
def stem(word: str, stemmer: str) -> str:
    """The folded stem of a word by one of Snowball's stemmers (`languages.stemmer_of`).

    Accents are folded last: endings such as Portuguese -ção are told by them. What ends in a
    digit has no other ending; pages of issue numbers and hashes are the longest there are.
    """
    lower = unicodedata.normalize("NFKC", word[:LONGEST]).lower()
    return fold(lower if lower[-1:].isdecimal() else _snowball(lower, stemmer))


_THREAD = threading.local()
"""By name, the thread's stemmers: each keeps the word it works on in itself."""


def _snowball(word: str, stemmer: str) -> str:
    stemmers = _THREAD.__dict__
    if stemmer not in stemmers:
        from Stemmer import Stemmer  # no part of an ingest that changes nothing

        stemmers[stemmer] = Stemmer(stemmer, 0)
    return str(stemmers[stemmer].stemWord(word))


_NO_SIGNS = {code: None for code in range(128) if not (chr(code).isalnum() or chr(code) in "+#")}


def name_key(text: str) -> str:
    """Return what two spellings of one name share: letters, digits and signs such as + and #.

    Width, case, spaces and marks do not count, and Chinese of both scripts is one.
    """
    if text.isascii():
        return text.lower().translate(_NO_SIGNS)
    folded = to_simplified(unicodedata.normalize("NFKC", text).casefold())
    return "".join(c for c in folded if c.isalnum() or c in "+#")


def split_name(name: str) -> set[str]:
    """Return the words of a person's name, folded."""
    return {fold(word) for word in re.findall(r"[^\W_]+", name)}


_WORD_OR_CHARACTER = rf"[{CJK}]|[^\W_{CJK}]+"
"""A word, or one character of a script without spaces; few queries need it compiled."""


def spell_words(text: str) -> str:
    """Return the words of `text` with a blank around each, as what holds another's is searched for.

    Width, case and punctuation do not count, and Chinese of both scripts is one.
    """
    folded = text if text.isascii() else to_simplified(unicodedata.normalize("NFKC", text))
    return f" {' '.join(re.findall(_WORD_OR_CHARACTER, folded.casefold()))} "
