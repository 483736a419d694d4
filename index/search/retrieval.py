"""Retrieve candidate posts by words and by meaning, and gather everything each is scored by.

The retrievers propose posts (by their best chunks, as wholes, by their vectors); then each
proposed post gets every number, also from the retriever that did not propose it, so that the
ranking compares like with like.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from blog_search_mcp.index.search.candidates import Candidates, RetrievalResult, align_to_ids

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from blog_search_mcp.index.analysis.query import Query
    from blog_search_mcp.index.search.candidates import Numbers
    from blog_search_mcp.index.search.snapshot import Snapshot
    from blog_search_mcp.index.types import Ids, Vectors
    from blog_search_mcp.index.vectors.base import VectorStore

LEXICAL_CHUNKS = 200
"""Chunks by which the lexical index proposes posts."""

LEXICAL_POSTS = 80
"""Posts that the lexical index proposes as wholes."""

LEXICAL_DESCRIPTIONS = 20
"""Posts that the lexical index proposes by their descriptions."""

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


class DenseSimilarity(NamedTuple):
    """Of candidate posts to the query, less the cosine of the blog's mean."""

    cosines: Numbers
    """By chunk, the largest of its vectors; NaN for a chunk without a vector."""
    means: Numbers
    """By post, the cosine of the mean of all its vectors; 0 without one."""


def dense_similarity(
    vectors: VectorStore, query: Vectors | None, posts: Ids, chunks: Ids, counts: Ids
) -> DenseSimilarity:
    """Compute cosines for posts given with all their chunk ids, `counts` of each, post by post."""
    similarity = DenseSimilarity(np.full(len(chunks), np.nan), np.zeros(len(posts)))
    if query is None:
        return similarity
    cosines, windows = vectors.cosines(query, chunks)
    if not len(cosines):
        return similarity
    background = float(vectors.mean() @ query)
    similarity.cosines[windows > 0] = _reduce_runs(np.maximum, cosines, windows) - background
    of_post = _reduce_runs(np.add, windows, counts)
    having = of_post > 0
    norms = vectors.norms(posts[having])
    sums = _reduce_runs(np.add, cosines.astype(np.float64), of_post)
    means = np.divide(sums, norms, out=np.full_like(sums, -1.0), where=norms > 0.0)
    similarity.means[having] = means - background
    return similarity


def _reduce_runs(reduce: np.ufunc, values: npt.NDArray[Any], counts: Ids) -> npt.NDArray[Any]:
    """One value for each run of `values` that is not empty."""
    starts = np.cumsum(counts) - counts
    reduced: npt.NDArray[Any] = reduce.reduceat(values, starts[counts > 0])
    return reduced


def retrieve(
    snapshot: Snapshot,
    query: Query,
    vector: Vectors | None,
    vocabulary_coverage: float,
    among: Sequence[int] | None = None,
) -> RetrievalResult:
    """Return every post that a retriever proposes.

    `vector` is the embedded query or `None` for words alone, `vocabulary_coverage` how well the
    embedder reads it, in [0, 1]; `among` restricts everything to these post ids.
    """
    lexical, table = snapshot.lexical, snapshot.table
    bm25 = lexical.chunks.normalised_bm25(query, LEXICAL_CHUNKS, among)
    wholes = lexical.posts.normalised_bm25(query, LEXICAL_POSTS, among)
    if len(snapshot.described):
        wholes |= lexical.posts.normalised_bm25(query, LEXICAL_DESCRIPTIONS, among, "about_")
    nearest = _nearest_chunks(snapshot, vector, among)
    by_chunks = _posts_of(snapshot, bm25)
    proposed = sorted({*by_chunks, *_posts_of(snapshot, nearest), *wholes})
    others = sorted(wholes.keys() - by_chunks)
    bm25 |= lexical.chunks.normalised_bm25(query, CHUNKS_PER_POST * len(others), others)
    on_topic = table.readable(list(bm25)[:COVERAGE_SAMPLE])
    topic_coverage = sum(on_topic) / len(on_topic) if on_topic else 1.0
    blog_coverage = trust_in_coverage(snapshot.vocabulary_coverage)
    return RetrievalResult(
        posts=_candidates(snapshot, query, vector, np.array(proposed, dtype=np.int64), bm25),
        coverage=lexical.chunks.coverage(query, among),
        vocabulary_coverage=vocabulary_coverage * blog_coverage * topic_coverage,
        idf=lexical.chunks.idf(query),
        max_idf=lexical.chunks.max_idf,
        max_cosine=max(nearest.values(), default=0.0) if vector is not None else None,
        blog_cosine=float(snapshot.vectors.mean() @ vector) if vector is not None else 0.0,
    )


def trust_in_coverage(blog: float) -> float:
    """How much meaning counts in a blog of which the embedder's vocabulary covers this share."""
    return min(max(blog - LEAST_COVERAGE, 0.0) / (FULL_COVERAGE - LEAST_COVERAGE), 1.0)


def _nearest_chunks(
    snapshot: Snapshot, vector: Vectors | None, among: Sequence[int] | None
) -> dict[int, float]:
    if vector is None:
        return {}
    if among is None:
        return snapshot.vectors.search(vector, DENSE_VECTORS)
    return snapshot.vectors.search(vector, DENSE_VECTORS, snapshot.table.chunks_of(among))


def _posts_of(snapshot: Snapshot, chunk_ids: Iterable[int]) -> set[int]:
    return set(snapshot.table.posts_of(np.fromiter(chunk_ids, np.int64)).tolist())


def _candidates(
    snapshot: Snapshot,
    query: Query,
    vector: Vectors | None,
    proposed: Ids,
    bm25: Mapping[int, float],
) -> Candidates:
    def post_bm25(posts: Ids, prefix: str = "") -> dict[int, float]:
        level = snapshot.lexical.posts
        return level.normalised_bm25(query, len(posts), posts.tolist(), prefix)

    chunks, counts = snapshot.table.of_posts(proposed)
    posts, counts = proposed[counts > 0], counts[counts > 0]
    described = posts[np.isin(posts, snapshot.described, assume_unique=True)]
    similarity = dense_similarity(snapshot.vectors, vector, posts, chunks, counts)
    return Candidates(
        ids=posts,
        counts=counts,
        chunks=chunks,
        bm25=align_to_ids(chunks, bm25),
        cosines=similarity.cosines,
        post_bm25=align_to_ids(posts, post_bm25(posts)),
        lead_bm25=align_to_ids(posts, {} if query.is_question else post_bm25(posts, "lead_")),
        about_bm25=align_to_ids(posts, post_bm25(described, "about_")),
        mean_cosine=similarity.means,
    )
