"""Search a generation's words in Milvus, with tantivy's scores.

A server adds up products of query and row. A word's stems count once, by the best of them, which
no sum says: they are first all added, which is at least as much, and then what is too much is
asked for the candidates alone, a query for each stem.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, NamedTuple

from blog_search_mcp.index.lexical.level import LexicalLevel, Prepared, bm25_idf

from blog_search_mcp.index.analysis.query import Word
from blog_search_mcp.index.milvus.client import Milvus
from blog_search_mcp.index.milvus.schema import (
    CHUNK,
    CHUNKS_FIELDS,
    MOST_HITS,
    PARTS,
    POST,
    POSTS_FIELDS,
    ROW,
    TERMS,
    WHOLE,
    Field,
    Sparse,
    among,
)
from blog_search_mcp.index.milvus.terms import TermStatistics, dimension, presence

FEW: Final = 32
"""Candidates beyond those that are wanted, where scores are at first too high."""


class Wanted(NamedTuple):
    """What a document's score is the sum of."""

    terms: Sparse
    """By dimension, what its weight in the row is multiplied with."""
    choices: list[Sparse]
    """The same, but of each only the best counts."""

    def sum(self) -> Sparse:
        """Return one query that gives at least the score."""
        total = dict(self.terms)
        for choice in self.choices:
            _add(total, choice)
        return total


def _add(total: Sparse, more: Sparse) -> None:
    for each, weight in more.items():
        total[each] = total.get(each, 0.0) + weight


class MilvusLevel(LexicalLevel):
    """The posts or the chunks of one generation; every method raises IndexProblem."""

    def __init__(
        self,
        milvus: Milvus,
        collections: Sequence[str],
        dead: Sequence[int],
        key: str,
        field: Field,
        statistics: TermStatistics,
    ) -> None:
        """Search `field` in these collections' rows, which are known by `key`.

        Rows of `dead` posts do not count.
        """
        self._milvus = milvus
        self._collections = collections
        self._dead = dead
        self._key = key
        self._field = field
        self._statistics = statistics

    @property
    def documents(self) -> int:
        """As LexicalLevel."""
        return self._statistics.documents

    def having(self, stem: str) -> int:
        """As LexicalLevel."""
        return self._statistics.having(dimension("stem", stem))

    def _documents_with_character(self, word: Word) -> int:
        """As LexicalLevel; of other words that mean the same, the commonest alone counts."""
        found = sum(self._statistics.having(each) for each in _characters(word))
        return max(found, *(self.having(stem) for stem in word.stems))

    def _score(
        self, prepared: Prepared, limit: int, among: Sequence[int] | None
    ) -> Mapping[int, float]:
        return self._best(self._wanted(prepared), limit, among)

    def _wanted(self, prepared: Prepared) -> Wanted:
        wanted = Wanted({}, [])
        for word, worth in prepared.idf.items():
            if word.is_character:
                _add(wanted.terms, {dimension("pair", word.exact): worth})
            _choose(wanted, self._rarities(word.stems, word.weight))
        return wanted

    def _rarities(self, stems: Sequence[str], weight: float) -> Sparse:
        """By dimension, the rarity of those stems that any document has, times `weight`."""
        counts = {stem: self.having(stem) for stem in stems}
        return {
            dimension("stem", stem): weight * bm25_idf(count, self.documents)
            for stem, count in counts.items()
            if count and weight
        }

    def _present(
        self, worth: Mapping[Word, float], limit: int, among: Sequence[int] | None
    ) -> Mapping[int, float]:
        return self._best(_presences(worth), limit, among)

    def _score_each(self, every: Sequence[Prepared], limit: int) -> list[Mapping[int, float]]:
        return self._best_each([self._wanted(each) for each in every], limit)

    def _most_present_each(self, every: Sequence[Mapping[Word, float]]) -> list[float]:
        found = self._best_each([_presences(worth) for worth in every], 1)
        return [max(each.values(), default=0.0) for each in found]

    def _best_each(self, every: Sequence[Wanted], limit: int) -> list[Mapping[int, float]]:
        """As `_best`, with one request for all of which a sum is the score."""
        sums = [each.terms for each in every if not each.choices]
        found = iter(self._search(sums, limit, None))
        return [
            self._best(each, limit, None)
            if each.choices
            else {self._id_of(hit.key): hit.score for hit in next(found)}
            for each in every
        ]

    def _best(self, wanted: Wanted, limit: int, among: Sequence[int] | None) -> dict[int, float]:
        """Find the best documents; those that even a sum ranks too low are not looked at."""
        query = wanted.sum()
        count = limit + FEW * bool(wanted.choices)
        while True:
            count = min(count, MOST_HITS)
            [found] = self._search([query], count, among)
            excess = self._excess(wanted.choices, found)
            scores = {hit.key: hit.score - excess.get(hit.key, 0.0) for hit in found}
            best = sorted(scores, key=lambda key: (-scores[key], key))[:limit]
            if len(found) < count or count == MOST_HITS or scores[best[-1]] >= found[-1].score:
                return {self._id_of(key): scores[key] for key in best}
            count *= 4

    def _search(
        self, queries: Sequence[Sparse], count: int, posts: Sequence[int] | None
    ) -> list[list[RowHit]]:
        """Find for each query the best of every collection's rows, best first."""
        expression = among(POST, self._dead, outside=True) if self._dead else ""
        if posts is not None:
            expression = among(POST, posts)
        found: list[list[RowHit]] = [[] for _ in queries]
        asked = [place for place, query in enumerate(queries) if query and posts != []]
        for name in self._collections:
            every = self._milvus.search(
                name, self._field, [queries[place] for place in asked], count, expression
            )
            for place, hits in zip(asked, every, strict=True):
                pairs = zip(*hits, strict=True)
                found[place] += [RowHit(key, score, name) for key, score in pairs if score > 0]
        return [sorted(hits, key=lambda hit: (-hit.score, hit.key))[:count] for hits in found]

    def _excess(self, choices: Sequence[Sparse], found: Sequence[RowHit]) -> dict[int, float]:
        """By row, how much of its sum is of stems that are not the best of their word."""
        excess: dict[int, float] = {}
        queries = [{each: weight} for choice in choices for each, weight in choice.items()]
        for name in {hit.collection for hit in found} if queries else ():
            keys = [hit.key for hit in found if hit.collection == name]
            expression = among(self._key, keys)
            every = iter(self._milvus.search(name, self._field, queries, len(keys), expression))
            for choice in choices:
                parts: dict[int, list[float]] = {}
                for hits in islice(every, len(choice)):
                    for key, score in zip(*hits, strict=True):
                        parts.setdefault(key, []).append(score)
                for key, scores in parts.items():
                    excess[key] = excess.get(key, 0.0) + sum(scores) - max(scores)
        return excess

    def _id_of(self, key: int) -> int:
        return key // PARTS if self._key == ROW else key


class RowHit(NamedTuple):
    """One row that was found."""

    key: int
    score: float
    collection: str


def _characters(word: Word) -> tuple[int, int]:
    """The dimensions of a character that is anywhere."""
    return dimension("pair", word.exact), dimension("lone", word.exact)


def _presences(worth: Mapping[Word, float]) -> Wanted:
    """What the words are worth, wherever they are."""
    wanted = Wanted({}, [])
    for word, idf in worth.items():
        anywhere = {presence(dimension("stem", stem)) for stem in word.stems}
        if word.is_character:
            anywhere.discard(presence(dimension("stem", word.exact)))
            anywhere.update(_characters(word))
        _choose(wanted, dict.fromkeys(anywhere, idf))
    return wanted


def _choose(wanted: Wanted, choice: Sparse) -> None:
    """Add the best of a choice to what is wanted."""
    if len(choice) > 1:
        wanted.choices.append(choice)
    else:
        _add(wanted.terms, choice)


@dataclass(frozen=True)
class GenerationTerms:
    """What is known of a generation's words without its rows."""

    posts: tuple[str, ...]
    """Collections of posts whose rows it uses."""
    chunks: tuple[str, ...]
    dead: tuple[int, ...]
    """Posts whose rows no longer count."""
    statistics: Mapping[str, TermStatistics]
    """By field: WHOLE and TERMS."""


class MilvusSearcher:
    """Both levels of one generation; implements LexicalSearcher."""

    def __init__(self, milvus: Milvus, terms: GenerationTerms) -> None:
        by_name = {field.name: field for field in (*POSTS_FIELDS, *CHUNKS_FIELDS)}
        self.posts: LexicalLevel = MilvusLevel(
            milvus, terms.posts, terms.dead, ROW, by_name[WHOLE], terms.statistics[WHOLE]
        )
        self.chunks: LexicalLevel = MilvusLevel(
            milvus, terms.chunks, terms.dead, CHUNK, by_name[TERMS], terms.statistics[TERMS]
        )
