"""Compare texts by their words: how much of one, by rarity, and how much word for word."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING

from blog_search_mcp.index.analysis.query import Query, analyse_query
from blog_search_mcp.index.analysis.tokenizer import index_terms
from blog_search_mcp.index.lexical.searcher import bm25_idf

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence, Set

    from blog_search_mcp.index.search.snapshot import Snapshot

RUN = 4
"""Words in a row that count as the same wording: of posts by one author on one subject, a passage
seldom shares any, and one that is copied with a quarter of its sentences left out nearly all."""

PROMINENT = 30
"""Rarest words of a text that posts are searched for by."""

_SENTENCE = re.compile(r"\n+|(?<=[.!?…])\s+|(?<=[。！？])")


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
    def runs(self) -> frozenset[tuple[str, ...]]:
        """Every RUN words in a row."""
        return frozenset(zip(*(self.stems[start:] for start in range(RUN)), strict=False))


def read_wording(text: str, language: str) -> Wording:
    """Read the words of a text in this language."""
    return Wording(tuple(index_terms(text, language).split()))


def join_wordings(parts: Iterable[Wording]) -> Wording:
    """Join the words of a text's parts."""
    return Wording(tuple(stem for part in parts for stem in part.stems))


def share_runs(mine: Wording, theirs: Set[tuple[str, ...]]) -> float:
    """Return how much of `mine` stands word for word among these runs, in [0, 1]."""
    return len(mine.runs & theirs) / len(mine.runs) if mine.runs else 0.0


class Rarity:
    """How rare words are among the passages of a blog."""

    def __init__(self, snapshot: Snapshot) -> None:
        """Take the lexical index of a generation."""
        self._snapshot = snapshot
        chunks, count = snapshot.lexical.chunks, len(snapshot.table.chunks)
        self.of = cache(lambda stem: bm25_idf(chunks.having(stem), count))
        """The inverse document frequency of a word."""

    def sum(self, stems: Iterable[str]) -> float:
        """Add up the rarity of words, in any order to the same last bit."""
        return math.fsum(map(self.of, stems))

    def prominent_words(self, texts: Sequence[Wording]) -> Query:
        """Return the query for the words that tell these texts from others of the blog."""
        counts = Counter(stem for text in texts for stem in text.stems)
        posts = self._snapshot.lexical.posts
        known = {stem: count for stem, count in counts.items() if posts.having(stem) > 0}
        weights = {stem: math.log1p(count) * self.of(stem) for stem, count in known.items()}
        best = sorted(weights, key=lambda stem: (-weights[stem], stem))[:PROMINENT]
        return analyse_query(" ".join(best), self._snapshot.languages)

    def find_sentence(self, text: str, language: str, meeting: Wording) -> str:
        """Return the sentence of a text that shares most with `meeting`, by rarity.

        The first one if none shares a word, as in another language.
        """
        sentences = [each.strip() for each in _SENTENCE.split(text) if each.strip()]
        shared = [
            self.sum(read_wording(each, language).words & meeting.words) for each in sentences
        ]
        return sentences[shared.index(max(shared))] if sentences else ""
