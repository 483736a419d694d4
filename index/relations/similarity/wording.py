"""Compare texts by their words: how much of one, by rarity, and how much word for word."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import cache
from typing import NamedTuple

from blog_search_mcp.index.analysis.tokenizer import index_terms
from blog_search_mcp.index.lexical.searcher import bm25_idf

RUN = 4
"""Words in a row that count as the same wording: of posts by one author on one subject, a passage
seldom shares any, and one that is copied with a quarter of its sentences left out nearly all."""

Runs = frozenset[tuple[str, ...]]
"""Every RUN words in a row of a text."""


class Wording(NamedTuple):
    """The words of one text, without their endings."""

    words: frozenset[str]
    runs: Runs
    length: int


def stems_of(text: str, language: str) -> tuple[str, ...]:
    """Return the words of a text in this language, without their endings."""
    return tuple(index_terms(text, language).split())


def read_wording(text: str, language: str) -> Wording:
    """Read the words of a text in this language."""
    stems = stems_of(text, language)
    runs = frozenset(zip(*(stems[start:] for start in range(RUN)), strict=False))
    return Wording(frozenset(stems), runs, len(stems))


def join_runs(texts: Iterable[Wording]) -> Runs:
    """Return the runs of several texts."""
    return frozenset().union(*(text.runs for text in texts))


def share_runs(mine: Runs, theirs: Runs) -> float:
    """Return how much of `mine` stands word for word in `theirs`, in [0, 1]."""
    return len(mine & theirs) / len(mine) if mine else 0.0


class Rarity:
    """How rare words are in some texts, as inverse document frequencies."""

    def __init__(self, having: Callable[[str], int], count: int) -> None:
        """Take in how many texts a word is, and how many texts there are."""
        self.of = cache(lambda stem: bm25_idf(having(stem), count))
        self.highest = bm25_idf(0, count)
        """That of a word that no text has."""

    def sum(self, stems: Iterable[str]) -> float:
        """Add up the rarity of different words, in any order to the same last bit."""
        return math.fsum(map(self.of, frozenset(stems)))

    def share(self, words: frozenset[str], of: frozenset[str]) -> float:
        """Return how much of some words, by rarity, are among others, in [0, 1]."""
        return self.sum(words & of) / (self.sum(of) or 1.0)
