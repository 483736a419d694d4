"""Text as the terms the lexical leg counts; the same function for documents and queries.

Case, width, accents and Chinese script are folded. Latin words come in two
spellings, exact and stemmed: stems find a question's words, exact ones keep
identifiers and titles apart, and each is a field of its own. Han and kana runs,
which have no spaces to cut at, become bigrams. Identifiers stay whole beside
their parts, so that `faiss.IndexFlatIP`, `IndexFlatIP` and `flat index` all find
the same passage.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import snowballstemmer

from index.han import simplified

ANALYSIS = 2
"""Raise it when the same text would give other terms; the next ingest then writes the lexical
index anew."""

LONGEST = 64
"""Characters of a term that count: beyond, it is data (a hash, an inlined file), not a word."""

CJK = (
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\uff66-\uff9f\U00020000-\U0003ffff"
)
"""Han, kana and hangul, as the inside of a regular expression's set."""

_ACCENTS = "\u0300-\u036f"
_WORD = rf"(?:[^\W_{CJK}][{_ACCENTS}]*)+"
_TOKEN = re.compile(rf"(?P<cjk>[{CJK}]+)|(?P<name>{_WORD}(?:[._:/\-'’@+#]+{_WORD})*)")
_PART = re.compile(_WORD)
_HUMP = re.compile(
    rf"[A-Z]+(?=[A-Z][a-z])|[A-Z]?(?:[^\WA-Z\d_][{_ACCENTS}]*)+|[A-Z]+|\d+",
)
_ACCENT = re.compile(f"[{_ACCENTS}]")
_STEMMER = snowballstemmer.stemmer("english")
_ENCLITICS = {"s", "t", "d", "re", "ll", "ve", "m"}
"""What English writes after an apostrophe; no word by itself."""


class Term(NamedTuple):
    """A term in both spellings and the characters of the text it stands for."""

    stem: str
    exact: str
    start: int
    end: int


def terms(text: str) -> Iterator[Term]:
    """The terms of `text` in its order; an identifier comes before its parts."""
    for match in _TOKEN.finditer(text):
        if match["cjk"]:
            yield from _grams(match["cjk"], match.start())
        else:
            yield from _names(match["name"], match.start())


def _grams(run: str, offset: int) -> Iterator[Term]:
    folded = [fold(character) for character in run]
    if len(run) == 1:
        yield Term(folded[0], folded[0], offset, offset + 1)
    for place in range(len(run) - 1):
        pair = folded[place] + folded[place + 1]
        yield Term(pair, pair, offset + place, offset + place + 2)


def _names(name: str, offset: int) -> Iterator[Term]:
    words = list(_PART.finditer(name))
    spoken = "'" in name or "’" in name
    if len(words) > 1 and not spoken:
        whole = fold(name)
        yield Term(whole, whole, offset, offset + len(name))
    for word in words:
        if not (spoken and word.start() and word[0].lower() in _ENCLITICS):
            yield from _words(word[0], offset + word.start())


def _words(word: str, offset: int) -> Iterator[Term]:
    yield _term(word, offset)
    humps = [] if word.islower() and word.isalpha() else list(_HUMP.finditer(word))
    if len(humps) > 1:
        for hump in humps:
            yield _term(hump[0], offset + hump.start())


def _term(word: str, start: int) -> Term:
    exact = fold(word)
    return Term(_stem(exact), exact, start, start + len(word))


@lru_cache(maxsize=65536)
def fold(word: str) -> str:
    """A word without case, width, accents or Traditional characters."""
    compatible = unicodedata.normalize("NFKC", word[:LONGEST]).casefold()
    bare = _ACCENT.sub("", unicodedata.normalize("NFD", compatible))
    return simplified(unicodedata.normalize("NFC", bare))


@lru_cache(maxsize=65536)
def _stem(word: str) -> str:
    return str(_STEMMER.stemWord(word))
