"""What a lexical level answers, whatever its terms are kept in, so that scores compare.

A word counts by its weight and its rarity, which need nothing but counts of documents; a store
adds them up over its documents. Terms are ORed: assistants ask questions, and requiring all of a
question's words finds nothing. A BM25 score is divided by that of a text full of every term of the
query.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from blog_search_mcp.index.analysis.query import Query, Word


def bm25_idf(having: int, documents: int) -> float:
    """BM25's inverse document frequency, as tantivy computes it."""
    return math.log1p((max(documents - having, 0) + 0.5) / (having + 0.5))


K1 = 1.2
"""BM25's saturation of repeated terms, fixed in tantivy, as is b = .75."""


class Prepared(NamedTuple):
    """What the calls of one search share."""

    query: Query
    idf: Mapping[Word, float]
    """Each word's weight times its inverse document frequency."""
    full: float
    """The sum of all `idf`."""

    @property
    def ideal(self) -> float:
        """The BM25 of a text full of every term of the query."""
        return (1 + K1) * self.full

    def normalise(self, scores: Mapping[int, float]) -> dict[int, float]:
        """Divide scores by the ideal one."""
        ideal = self.ideal
        return {number: min(score / ideal, 1.0) for number, score in scores.items()}

    def share(self, present: float) -> float:
        """The share of all that the words are worth."""
        return min(present / self.full, 1.0) if self.full else 0.0


class LexicalLevel(ABC):
    """The posts or the chunks of one generation by their terms; safe for concurrent searches."""

    _last: Prepared | None = None

    @property
    @abstractmethod
    def documents(self) -> int:
        """How many documents there are."""

    @abstractmethod
    def having(self, stem: str) -> int:
        """In how many documents a stem is."""

    @abstractmethod
    def _documents_with_character(self, word: Word) -> int:
        """In how many documents a character is, alone or in a pair."""

    @abstractmethod
    def _score(
        self, prepared: Prepared, limit: int, among: Sequence[int] | None
    ) -> Mapping[int, float]:
        """Find the best `limit` documents with their BM25, best first.

        A word counts by the best of its stems; a character also by its weight and rarity where it
        is in a pair.
        """

    @abstractmethod
    def _present(
        self, worth: Mapping[Word, float], limit: int, among: Sequence[int] | None
    ) -> Mapping[int, float]:
        """Find the best `limit` documents with the sum of what the words are worth that each holds.

        Best first.
        """

    def idf(self, query: Query) -> Mapping[Word, float]:
        """The query's words by inverse document frequency, times their own weight.

        A function word that no document has counts 0: a blog in another language, or a small
        one, must not look as if it lacked a word of the subject.
        """
        return self._prepare(query).idf

    @property
    def max_idf(self) -> float:
        """The inverse document frequency of a word that no document has."""
        return bm25_idf(0, self.documents)

    def normalised_bm25(
        self, query: Query, limit: int, among: Sequence[int] | None = None
    ) -> dict[int, float]:
        """The best `limit` ids with their normalised BM25 in [0, 1], best first.

        `among` restricts the search to these post ids before ranking.
        """
        prepared = self._prepare(query)
        if not (prepared.ideal and limit):
            return {}
        return prepared.normalise(self._score(prepared, limit, among))

    def coverage(
        self, query: Query, limit: int = 1, among: Sequence[int] | None = None
    ) -> dict[int, float]:
        """The best `limit` ids with the share, by idf, of the query's words that each has.

        Best first; `among` restricts the search to these post ids.
        """
        prepared = self._prepare(query)
        if not prepared.full:
            return {}
        found = self._present(prepared.idf, limit, among)
        return {number: prepared.share(present) for number, present in found.items()}

    def reach(self, queries: Sequence[Query], limit: int) -> list[tuple[dict[int, float], float]]:
        """The `normalised_bm25` and the largest `coverage` of each query."""
        every = [self._prepare(query) for query in queries]
        scores = self._score_each(every, limit)
        present = self._most_present_each([each.idf if each.full else {} for each in every])
        return [
            (each.normalise(found), each.share(most))
            for each, found, most in zip(every, scores, present, strict=True)
        ]

    def _score_each(self, every: Sequence[Prepared], limit: int) -> Sequence[Mapping[int, float]]:
        """`_score` each query; a store on a server asks for them together."""
        return [self._score(each, limit, None) if each.ideal else {} for each in every]

    def _most_present_each(self, every: Sequence[Mapping[Word, float]]) -> Sequence[float]:
        """The largest `_present` of each query; a store on a server asks for them together."""
        found = (self._present(each, 1, None) if each else {} for each in every)
        return [max(each.values(), default=0.0) for each in found]

    def _prepare(self, query: Query) -> Prepared:
        """Weigh the words, once for all calls of one search."""
        last = self._last
        if last is None or last.query is not query:
            idf = {word: word.weight * self._idf_of(word) for word in query.words}
            last = self._last = Prepared(query, idf, sum(idf.values()))
        return last

    def _idf_of(self, word: Word) -> float:
        found = self._having(word)
        if not found and word.weight < 1.0:
            return 0.0
        return bm25_idf(found, self.documents)

    def _having(self, word: Word) -> int:
        if word.is_character:
            return self._documents_with_character(word)
        return max(map(self.having, word.stems))


class LexicalSearcher(Protocol):
    """Both levels of one generation."""

    @property
    def posts(self) -> LexicalLevel:
        """Whole posts, by post id."""

    @property
    def chunks(self) -> LexicalLevel:
        """Single chunks, by chunk id."""
