"""What speaks for each post that may answer: both legs asked, their findings gathered by post.

The legs propose posts (by their best chunks, as wholes, by meaning); then each
proposed post is given all its evidence, also from the leg that did not propose
it, so that the ranking compares like with like.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from blog_search_mcp.index.analysis.query import Query
from blog_search_mcp.index.search.candidates import Candidates, Findings, column

if TYPE_CHECKING:
    import numpy.typing as npt

    from blog_search_mcp.index.lexical.searcher import LexicalSearcher
    from blog_search_mcp.index.search.candidates import Numbers
    from blog_search_mcp.index.store.catalog import Catalog
    from blog_search_mcp.index.store.chunk_table import ChunkTable
    from blog_search_mcp.index.types import Ids, Vectors
    from blog_search_mcp.index.vectors.base import VectorStore


class Nearness(NamedTuple):
    """Of the posts that were asked."""

    cosines: Numbers
    """By chunk, the largest of its vectors; NaN for a chunk without a vector."""
    means: Numbers
    """By post, the cosine of the mean of all its vectors; 0 without one."""


def nearness(
    vectors: VectorStore, query: Vectors | None, posts: Ids, chunks: Ids, counts: Ids
) -> Nearness:
    """For posts given with all their chunk ids, `counts` of each, post by post."""
    near = Nearness(np.full(len(chunks), np.nan), np.zeros(len(posts)))
    if query is None:
        return near
    cosines, windows = vectors.cosines(query, chunks)
    if not len(cosines):
        return near
    background = float(vectors.mean() @ query)
    near.cosines[windows > 0] = _by_run(np.maximum, cosines, windows) - background
    of_post = _by_run(np.add, windows, counts)
    having = of_post > 0
    norms = vectors.norms(posts[having])
    sums = _by_run(np.add, cosines.astype(np.float64), of_post)
    means = np.divide(sums, norms, out=np.full_like(sums, -1.0), where=norms > 0.0)
    near.means[having] = means - background
    return near


def _by_run(combine: np.ufunc, values: npt.NDArray[Any], counts: Ids) -> npt.NDArray[Any]:
    """One value for each run of `values` that is not empty."""
    starts = np.cumsum(counts) - counts
    combined: npt.NDArray[Any] = combine.reduceat(values, starts[counts > 0])
    return combined


CHUNKS = 200
"""Chunks the lexical leg proposes posts by."""

POSTS = 80
"""Posts the lexical leg proposes as wholes."""

DESCRIBED = 20
"""Posts the lexical leg proposes by their descriptions."""

NEAR = 150
"""Vectors the dense leg proposes posts by."""

FILL = 5
"""Chunks looked up, on average, for each post that the lexical leg proposed only as a whole."""

READ_BLOG = 0.5
"""How well the embedder must read the blog as a whole to have its full say: posts it cannot read
have no vectors, and where they are most, those that have would win by having them."""

READ_LEAST = 0.1
"""How well it must read the blog to have any: what is read of a blog in another language is quotes
and single terms, a twentieth of it, and a post would win over its equal by having them."""

READ_SAMPLE = 20
"""Lexical hits by which it is judged how well the embedder reads what the query is about."""


class Gatherer:
    """Asks the legs of one generation."""

    def __init__(
        self,
        catalog: Catalog,
        lexical: LexicalSearcher,
        vectors: VectorStore,
        table: ChunkTable,
        described: Ids,
        readable: float = 1.0,
    ) -> None:
        """`described` are posts with a description, `readable` is the blog's, in [0, 1]."""
        self._described = described
        self._table = table
        beyond = max(readable - READ_LEAST, 0.0) / (READ_BLOG - READ_LEAST)
        self._blog_readable = min(beyond, 1.0)
        self._catalog = catalog
        self._lexical = lexical
        self._vectors = vectors

    def gather(
        self, query: Query, vector: Vectors | None, readable: float, among: Sequence[int] | None
    ) -> Findings:
        """The evidence for every post that a leg proposes.

        `vector` is the embedded query or `None` for the lexical leg alone, `readable`
        how well the embedder reads it; `among` restricts everything to these post ids.
        """
        shares = self._lexical.chunks.shares(query, CHUNKS, among)
        wholes = self._lexical.posts.shares(query, POSTS, among)
        if len(self._described):
            wholes |= self._lexical.posts.shares(query, DESCRIBED, among, prefix="about_")
        near = self._near(vector, among)
        heard, met = self._owners(shares), self._owners(near)
        posts = np.array(sorted({*heard, *met, *wholes}), dtype=np.int64)
        unheard = sorted(wholes.keys() - heard)
        shares |= self._lexical.chunks.shares(query, FILL * len(unheard), unheard)
        return Findings(
            posts=self._evidence(query, vector, posts, shares),
            coverage=self._lexical.chunks.coverage(query, among),
            readable=readable * self._blog_readable * self._readable(list(shares)[:READ_SAMPLE]),
            rarities=self._lexical.chunks.rarities(query),
            rarest=self._lexical.chunks.rarest,
            nearest=max(near.values(), default=0.0) if vector is not None else None,
            background=float(self._vectors.mean() @ vector) if vector is not None else 0.0,
        )

    def _near(self, vector: Vectors | None, among: Sequence[int] | None) -> dict[int, float]:
        if vector is None:
            return {}
        if among is None:
            return self._vectors.search(vector, NEAR)
        return self._vectors.search(vector, NEAR, self._table.chunks_of(among))

    def _readable(self, chunk_ids: Sequence[int]) -> float:
        """The mean over these chunks; 1 if the lexical leg found none, for want of doubt."""
        found = self._table.readable(chunk_ids)
        return sum(found) / len(found) if found else 1.0

    def _owners(self, chunk_ids: Iterable[int]) -> set[int]:
        return set(self._table.posts_of(np.fromiter(chunk_ids, np.int64)).tolist())

    def _evidence(
        self,
        query: Query,
        vector: Vectors | None,
        proposed: Ids,
        shares: Mapping[int, float],
    ) -> Candidates:
        chunks, counts = self._table.of_posts(proposed)
        posts, counts = proposed[counts > 0], counts[counts > 0]
        near = nearness(self._vectors, vector, posts, chunks, counts)
        return Candidates(
            ids=posts,
            counts=counts,
            chunks=chunks,
            shares=column(chunks, shares),
            cosines=near.cosines,
            whole=column(posts, self._level(query, posts, "")),
            lead=column(posts, {} if query.is_question else self._level(query, posts, "lead_")),
            about=column(posts, self._level(query, self._of_described(posts), "about_")),
            mean_cosine=near.means,
        )

    def _level(self, query: Query, posts: Ids, prefix: str) -> dict[int, float]:
        """By post, its share of the query in these fields."""
        return self._lexical.posts.shares(query, len(posts), posts.tolist(), prefix)

    def _of_described(self, posts: Ids) -> Ids:
        return posts[np.isin(posts, self._described, assume_unique=True)]
