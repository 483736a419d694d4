"""Compare texts by their words: how much of one, by rarity, and how much word for word."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING

from blog_search_mcp.index.analysis.tokenizer import index_terms
from blog_search_mcp.index.lexical.searcher import bm25_idf

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

RUN = 4
"""Words in a row that count as the same wording: of posts by one author on one subject, a passage
seldom shares any, and one that is copied with a quarter of its sentences left out nearly all."""
PROMINENT = 30
"""Rarest words of a text that posts are searched for by."""

_SENTENCE = re.compile(r"\n+|(?<=[.!?…])\s+|(?<=[。！？])")

Runs = frozenset[tuple[str, ...]]
"""Every RUN words in a row of a text."""


@dataclass(frozen=True)
class Wording:
    """The words of one text."""

    stems: tuple[str, ...]
    """In order."""

    @cached_property
    def words(self) -> frozenset[str]:
        """Its words without repeats."""
        return frozenset(self.stems)

    @cached_property
    def runs(self) -> Runs:
        """Every RUN words in a row."""
        return frozenset(zip(*(self.stems[start:] for start in range(RUN)), strict=False))


def stems_of(text: str, language: str) -> tuple[str, ...]:
    """Return the words of a text in this language, without their endings."""
    return tuple(index_terms(text, language).split())


def read_wording(text: str, language: str) -> Wording:
    """Read the words of a text in this language."""
    return Wording(stems_of(text, language))


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

    def find_prominent(self, texts: Iterable[Wording], having: Callable[[str], int]) -> list[str]:
        """Return the words that tell these texts from others, of those that a post has."""
        counts = Counter(stem for text in texts for stem in text.stems)
        weights = {n: math.log1p(count) * self.of(n) for n, count in counts.items() if having(n)}
        return sorted(weights, key=lambda stem: (-weights[stem], stem))[:PROMINENT]

    def find_sentence(self, text: str, language: str, meeting: Wording) -> str:
        """Return the sentence of a text that shares most with `meeting`, by rarity.

        The first one if none shares a word, as in another language.
        """
        sentences = [each.strip() for each in _SENTENCE.split(text) if each.strip()]
        return max(
            sentences,
            key=lambda each: self.sum(read_wording(each, language).words & meeting.words),
            default="",
        )
