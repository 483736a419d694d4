"""A Chinese or Japanese query in English words: what an embedder of English can read of it.

The words that stand in the table of computing words are put in English, one after the other, and
Latin ones stay: 如何減少記憶體用量 is "reduce memory". It is no translation, and only
embedded where the blog is one that the embedder reads and the query is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from index.east_asian import CJK
from index.han import simplified
from index.languages import CHARACTERS_PER_WORD
from index.synonyms import LANGUAGES, computing_words, words_in

LEAST = 2
"""Words without which nothing is said that the words themselves do not find."""

_PIECE = re.compile(rf"(?P<run>[{CJK}]+)|[^\W_{CJK}][\w.:/\-]*")


@dataclass(frozen=True, slots=True)
class Gloss:
    """What of a query could be put in English."""

    text: str
    share: float
    """Of the query's characters, a Latin word for two of them, in [0, 1]."""


def in_english(text: str, language: str) -> Gloss | None:
    """The query `text` by its English words, if it is of a language in the table and has enough."""
    if language not in LANGUAGES:
        return None
    pieces = list(_PIECE.finditer(simplified(text)))
    found = [word for piece in pieces for word in _worded(piece, _table(language))]
    whole = sum(len(piece["run"] or "") or CHARACTERS_PER_WORD for piece in pieces)
    said = sum(length for _, length in found)
    words = " ".join(english for english, _ in found)
    return Gloss(words, said / whole) if len(found) >= LEAST else None


def _worded(piece: re.Match[str], table: Mapping[str, str]) -> Iterator[tuple[str, int]]:
    """The English words of a piece, and how many characters each stands for."""
    if piece["run"] is None:
        yield piece[0], CHARACTERS_PER_WORD
    else:
        yield from ((table[word], len(word)) for word in words_in(piece["run"], table))


@cache
def _table(language: str) -> Mapping[str, str]:
    """By word of a language, the English one; of several the first."""
    found: dict[str, str] = {}
    for english, others in computing_words(language):
        for other in others:
            found.setdefault(other, english)
    return found
