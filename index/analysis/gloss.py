"""Gloss a query in English: by its words of computing, as the table of synonyms translates them.

What an embedder of English cannot read it can search for by these.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from blog_search_mcp.index.analysis.languages import CHARACTERS_PER_WORD, CJK
from blog_search_mcp.index.analysis.query import split_run
from blog_search_mcp.index.analysis.synonyms import LANGUAGES, english_words
from blog_search_mcp.index.analysis.tokenizer import to_simplified

LEAST_GLOSS = 2
"""Words that a gloss must have; fewer find nothing that the words themselves do not."""


@cache
def _pieces() -> re.Pattern[str]:
    """Match a run of East Asian characters or a word: for few queries, and slow to compile."""
    return re.compile(rf"(?P<run>[{CJK}]+)|[^\W_{CJK}][\w.:/\-]*")


@dataclass(frozen=True, slots=True)
class Gloss:
    """The words of a query that have an English name."""

    text: str
    share: float
    """Of the query's characters, a Latin word for two of them, in [0, 1]."""


def gloss_in_english(text: str, language: str) -> Gloss | None:
    """The query `text` by its English words, if it is of a language in the table and has enough."""
    if language not in LANGUAGES:
        return None
    pieces = list(_pieces().finditer(to_simplified(text)))
    found = [word for piece in pieces for word in _english_words(piece, english_words(language))]
    whole = sum(len(piece["run"] or "") or CHARACTERS_PER_WORD for piece in pieces)
    covered = sum(length for _, length in found)
    words = " ".join(english for english, _ in found)
    return Gloss(words, covered / whole) if len(found) >= LEAST_GLOSS else None


def _english_words(piece: re.Match[str], table: Mapping[str, str]) -> Iterator[tuple[str, int]]:
    """The English words of a piece, and how many characters each stands for."""
    if piece["run"] is None:
        yield piece[0], CHARACTERS_PER_WORD
    else:
        words = filter(table.__contains__, split_run(piece["run"], table))
        yield from ((table[word], len(word)) for word in words)
