"""How near posts and their chunks are to a query: vectors in, cosines out.

Everything is told less the blog's mean cosine to the query: some queries are
near to everything, and what matters is what stands out.

All proposed posts are asked at once, and of each vector only its cosine is needed: the cosine of
a sum of vectors is the sum of their cosines by the sum's length, which does not depend on the
query and is remembered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from index.embedder.base import Vectors
    from index.findings import Numbers
    from index.vectors import Ids, VectorSearcher


class Nearness(NamedTuple):
    """Of the posts that were asked."""

    cosines: Numbers
    """By chunk, the largest of its vectors; NaN for a chunk without a vector."""
    means: Numbers
    """By post, the cosine of the mean of all its vectors; 0 without one."""


def nearness(
    vectors: VectorSearcher, query: Vectors | None, posts: Ids, chunks: Ids, counts: Ids
) -> Nearness:
    """For posts given with all their chunk ids, `counts` of each, post by post."""
    near = Nearness(np.full(len(chunks), np.nan), np.zeros(len(posts)))
    places, rows = vectors.runs(chunks)
    if query is None or not len(places):
        return near
    background = float(vectors.mean @ query)
    cosines = vectors.cosines(query, places)
    near.cosines[rows > 0] = _by_run(np.maximum, cosines, rows) - background
    of_post = _by_run(np.add, rows, counts)
    having = of_post > 0
    lengths = vectors.lengths(posts[having], places, of_post[having])
    sums = _by_run(np.add, cosines.astype(np.float64), of_post)
    means = np.divide(sums, lengths, out=np.full_like(sums, -1.0), where=lengths > 0.0)
    near.means[having] = means - background
    return near


def _by_run(combine: np.ufunc, values: npt.NDArray[Any], counts: Ids) -> npt.NDArray[Any]:
    """One value for each run of `values` that is not empty."""
    starts = np.cumsum(counts) - counts
    combined: npt.NDArray[Any] = combine.reduceat(values, starts[counts > 0])
    return combined
