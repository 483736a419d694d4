"""Retrieve candidate posts by words and by meaning, and gather everything each is scored by.

The retrievers propose posts (by their best chunks, as wholes, by their vectors); then each
proposed post gets every number, also from the retriever that did not propose it, so that the
ranking compares like with like.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from blog_search_mcp.index.analysis.query import Query, Word
    from blog_search_mcp.index.search.snapshot import Snapshot
    from blog_search_mcp.index.types import Ids, Vectors
    from blog_search_mcp.index.vectors.store import VectorStore

    Numbers = npt.NDArray[np.float64]


class EmbeddedQuery(NamedTuple):
    """An analysed query and its vector."""

    query: Query
    vector: Vectors | None
    """Embedded; `None` for words alone."""
    vocabulary_coverage: float
    """Share of it that the embedder's vocabulary covers, in [0, 1]."""


@dataclass(frozen=True, eq=False)
class Candidates:
    """The candidate posts by id, in columns. BM25 is normalised to [0, 1]."""

    ids: Ids
    """Of the posts, ascending, shape (posts,)."""
    counts: Ids
    """How many chunks each has, at least 1."""
    chunks: Ids
    """Every chunk id of the first post in order, then of the second: shape (chunks,)."""
    bm25: Numbers
    """By chunk; 0 for one that holds no word of the query."""
    coverage: Numbers
    """By chunk, the share of the query's terms, by IDF, that it holds; that of the last of the
    COVERED_CHUNKS for one with fewer."""
    cosines: Numbers
    """By chunk, the cosine of its nearest vector to the query less the blog's mean; NaN for one
    without a vector."""
    post_bm25: Numbers
    """Of the post as a whole."""

    @cached_property
    def starts(self) -> Ids:
        """By post, the position of its first chunk."""
        found: Ids = np.cumsum(self.counts) - self.counts
        return found

    @cached_property
    def best_bm25(self) -> Numbers:
        """By post, the BM25 of its best chunk."""
        found: Numbers = np.maximum.reduceat(self.bm25, self.starts)
        return found

    @cached_property
    def best_coverage(self) -> Numbers:
        """By post, the coverage of the chunk that holds most of the query's terms together."""
        found: Numbers = np.maximum.reduceat(self.coverage, self.starts)
        return found

    @cached_property
    def best_cosine(self) -> Numbers:
        """By post, the largest cosine of a chunk; NaN for one without a vector."""
        found: Numbers = np.fmax.reduceat(self.cosines, self.starts)
        return found

    def position_of(self, post: int) -> int:
        """The position of a post in the columns. Raises KeyError."""
        position = int(np.searchsorted(self.ids, post))
        if position == len(self.ids) or self.ids[position] != post:
            raise KeyError(post)
        return position

    def best_chunk(self, post: int) -> int | None:
        """The chunk of a post that holds most of the words; `None` if none holds any."""
        position = self.position_of(post)
        own = slice(self.starts[position], self.starts[position] + self.counts[position])
        best = int(self.bm25[own].argmax())
        return int(self.chunks[own][best]) if self.bm25[own][best] > 0.0 else None

    def of_chunk(self, chunk: int) -> tuple[float | None, float | None]:
        """Cosine and BM25 of one of the chunks, `None` where `cosines` and `bm25` have none."""
        position = np.searchsorted(self.chunks, chunk)  # which ascend (`ChunkTable`)
        cosine, bm25 = float(self.cosines[position]), float(self.bm25[position])
        return None if np.isnan(cosine) else cosine, bm25 or None

    def __iter__(self) -> Iterator[int]:
        return iter(self.ids.tolist())

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True)
class RetrievalResult:
    """Everything one query retrieved."""

    posts: Candidates
    """None of them where only how far the query reaches was asked for."""
    coverage: float
    """The largest share of the query's terms, by IDF, that one chunk holds together."""
    vocabulary_coverage: float
    """How well the embedder's vocabulary covers the query and what it is about, in [0, 1]."""
    idf: Mapping[Word, float]
    """The query's words with their inverse document frequencies."""
    max_idf: float
    """The inverse document frequency of a word that no chunk has."""
    max_cosine: float | None
    """The largest cosine of any vector to the query; `None` without a vector of the query."""
    blog_cosine: float
    """The cosine of the blog's mean vector to the query, which is subtracted from the candidates'
    cosines; 0 without a vector of the query."""
    max_bm25: float
    """The BM25 of the best chunk of all; 0 if there is none."""


_NO_IDS, _NO_NUMBERS = np.zeros(0, dtype=np.int64), np.zeros(0)
_NO_POSTS = Candidates(*(_NO_IDS,) * 3, *(_NO_NUMBERS,) * 4)


def align_to_ids(ids: Ids, values: Mapping[int, float]) -> Numbers:
    """Put values by id in the order of `ids`, which ascend; 0 where there is none."""
    known = np.fromiter(values.keys(), np.int64, len(values))
    numbers = np.fromiter(values.values(), np.float64, len(values))
    positions = np.searchsorted(ids, known)
    exists = positions < len(ids)
    exists[exists] = ids[positions[exists]] == known[exists]
    column = np.zeros(len(ids))
    column[positions[exists]] = numbers[exists]
    return column


def find_top_positions(
    values: Numbers, counts: Ids, most: int
) -> tuple[Ids, npt.NDArray[np.bool_]]:
    """The positions of the largest values in each run of `counts` values, earlier of equals first.

    Both of shape (runs, most); the second tells which exist, where a run is shorter.
    """
    owners = np.repeat(np.arange(len(counts)), counts)
    order = np.lexsort((-values, owners))
    nth = np.arange(most)
    exists = nth < counts[:, np.newaxis]
    starts = np.cumsum(counts) - counts
    positions: Ids = order[np.where(exists, starts[:, np.newaxis] + nth, 0)]
    return positions, exists


LEXICAL_CHUNKS = 200
"""Chunks by which the lexical index proposes posts."""

COVERED_CHUNKS = 200
"""Chunks, those that hold most of the query's terms, of which it is known how much they hold."""

LEXICAL_POSTS = 80
"""Posts that the lexical index proposes as wholes."""

DENSE_VECTORS = 150
"""Nearest vectors by which posts are proposed."""

CHUNKS_PER_POST = 5
"""Chunks looked up, on average, for each post that is proposed only as a whole."""

FULL_COVERAGE = 0.5
"""How much of the blog the embedder's vocabulary must cover for meaning to count in full: posts
that it does not cover have no vectors, and where they are most, those with vectors would win by
having them."""

LEAST_COVERAGE = 0.1
"""How much it must cover for meaning to count at all: what it covers of a blog in another language
is quotes and single terms, a twentieth of it, and a post would win over its equal by them."""

COVERAGE_SAMPLE = 20
"""Lexical hits by which the coverage of what the query is about is estimated."""


def chunk_cosines(vectors: VectorStore, query: Vectors | None, chunks: Ids) -> Numbers:
    """By chunk, the largest cosine of its vectors, less that of the blog's mean.

    NaN for a chunk without a vector.
    """
    largest = np.full(len(chunks), np.nan)
    if query is None:
        return largest
    cosines, windows = vectors.cosines(query, chunks)
    if len(cosines):
        starts = np.cumsum(windows) - windows
        nearest = np.maximum.reduceat(cosines, starts[windows > 0])
        largest[windows > 0] = nearest - float(vectors.mean() @ query)
    return largest


def retrieve(
    snapshot: Snapshot, embedded: EmbeddedQuery, among: Sequence[int] | None = None
) -> RetrievalResult:
    """Return every post that a retriever proposes; `among` restricts all to these post ids."""
    lexical, (query, vector, _) = snapshot.lexical, embedded
    bm25 = lexical.chunks.normalised_bm25(query, LEXICAL_CHUNKS, among)
    nearest = _nearest_chunks(snapshot, vector, among)
    coverage = lexical.chunks.coverage(query, COVERED_CHUNKS, among)
    words = bm25, max(coverage.values(), default=0.0)
    reach = _measure_reach(snapshot, embedded, words, max(nearest.values(), default=0.0))
    wholes = lexical.posts.normalised_bm25(query, LEXICAL_POSTS, among)
    by_chunks = _posts_of(snapshot, bm25)
    proposed = sorted({*by_chunks, *_posts_of(snapshot, nearest), *wholes})
    others = sorted(wholes.keys() - by_chunks)
    bm25 |= lexical.chunks.normalised_bm25(query, CHUNKS_PER_POST * len(others), others)
    found = np.array(proposed, dtype=np.int64)
    posts = _gather_candidates(snapshot, query, vector, found, (bm25, coverage))
    return replace(reach, posts=posts)


def retrieve_reach(snapshot: Snapshot, queries: Sequence[EmbeddedQuery]) -> list[RetrievalResult]:
    """As `retrieve` for each query, but without the posts, at a fraction of its price."""
    return [_retrieve_reach(snapshot, each) for each in queries]


def _retrieve_reach(snapshot: Snapshot, embedded: EmbeddedQuery) -> RetrievalResult:
    chunks, (query, vector, _) = snapshot.lexical.chunks, embedded
    words = (
        chunks.normalised_bm25(query, COVERAGE_SAMPLE),
        max(chunks.coverage(query).values(), default=0.0),
    )
    nearest = {} if vector is None else snapshot.vectors.search(vector, 1)
    return _measure_reach(snapshot, embedded, words, max(nearest.values(), default=0.0))


def _measure_reach(
    snapshot: Snapshot,
    embedded: EmbeddedQuery,
    words: tuple[Mapping[int, float], float],
    nearest: float,
) -> RetrievalResult:
    """Measure what a query reaches, without posts.

    `words` are the BM25 of the best chunks, best first, and how much of the query one of them
    covers; `nearest` is the highest cosine.
    """
    chunks, (query, vector, vocabulary_coverage) = snapshot.lexical.chunks, embedded
    bm25, coverage = words
    on_topic = snapshot.table.vocabulary_coverage_of(
        np.array(list(bm25)[:COVERAGE_SAMPLE], dtype=np.int64)
    )
    topic_coverage = float(on_topic.mean()) if len(on_topic) else 1.0
    blog_coverage = trust_in_coverage(snapshot.vocabulary_coverage)
    return RetrievalResult(
        posts=_NO_POSTS,
        coverage=coverage,
        vocabulary_coverage=vocabulary_coverage * blog_coverage * topic_coverage,
        idf=chunks.idf(query),
        max_idf=chunks.max_idf,
        max_cosine=nearest if vector is not None else None,
        blog_cosine=float(snapshot.vectors.mean() @ vector) if vector is not None else 0.0,
        max_bm25=max(bm25.values(), default=0.0),
    )


def trust_in_coverage(blog: float) -> float:
    """How much meaning counts in a blog of which the embedder's vocabulary covers this share."""
    return min(max(blog - LEAST_COVERAGE, 0.0) / (FULL_COVERAGE - LEAST_COVERAGE), 1.0)


def _nearest_chunks(
    snapshot: Snapshot, vector: Vectors | None, among: Sequence[int] | None
) -> dict[int, float]:
    if vector is None:
        return {}
    chunks = None if among is None else snapshot.table.chunks_of(among)
    return snapshot.vectors.search(vector, DENSE_VECTORS, chunks)


def _posts_of(snapshot: Snapshot, chunk_ids: Iterable[int]) -> set[int]:
    return set(snapshot.table.posts_of(np.fromiter(chunk_ids, np.int64)).tolist())


def _gather_candidates(
    snapshot: Snapshot,
    query: Query,
    vector: Vectors | None,
    proposed: Ids,
    words: tuple[Mapping[int, float], Mapping[int, float]],
) -> Candidates:
    """Gather everything of the `proposed` posts; `words` are BM25 and coverage by chunk."""
    chunks, counts = snapshot.table.of_posts(proposed)
    posts, counts = proposed[counts > 0], counts[counts > 0]
    bm25, coverage = (align_to_ids(chunks, each) for each in words)
    if len(words[1]) == COVERED_CHUNKS:
        coverage[(coverage == 0.0) & (bm25 > 0.0)] = min(words[1].values())
    return Candidates(
        ids=posts,
        counts=counts,
        chunks=chunks,
        bm25=bm25,
        coverage=coverage,
        cosines=chunk_cosines(snapshot.vectors, vector, chunks),
        post_bm25=align_to_ids(
            posts, snapshot.lexical.posts.normalised_bm25(query, len(posts), posts.tolist())
        ),
    )
