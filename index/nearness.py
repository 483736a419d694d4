"""How near posts and their chunks are to a query: vectors in, cosines out.

Everything is told less the blog's mean cosine to the query: some queries are
near to everything, and what matters is what stands out.

All proposed posts are asked at once, and of each vector only its cosine is needed: the cosine of
a sum of vectors is the sum of their cosines by the sum's length, which does not depend on the
query and is remembered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from index.embedder.base import Vectors
    from index.vectors import Ids, VectorSearcher


@dataclass(frozen=True, slots=True)
class Nearness:
    """One post's."""

    cosines: Mapping[int, float]
    """By chunk id, the largest of its vectors; a chunk without a vector is not here."""
    mean: float
    """The cosine of the mean of all its vectors; 0 without one."""


FAR = Nearness({}, 0.0)
"""A post without vectors, or a query without one."""


def nearness(
    vectors: VectorSearcher, query: Vectors, posts: Mapping[int, Sequence[int]]
) -> dict[int, Nearness]:
    """By post id, for posts given with all their chunk ids; one without vectors is not here."""
    asked = np.fromiter((chunk for own in posts.values() for chunk in own), np.int64)
    places, counts = vectors.runs(asked)
    if not len(places):
        return {}
    background = float(vectors.mean @ query)
    cosines = vectors.rows.cosines(query, places)
    largest = _by_run(np.maximum, cosines, counts) - background
    having, own, rows = _having_vectors(posts, counts)
    lengths = vectors.lengths(having, places, rows)
    sums = _by_run(np.add, cosines.astype(np.float64), rows)
    means = np.divide(sums, lengths, out=np.full_like(sums, -1.0), where=lengths > 0.0)
    pairs = list(zip(asked[counts > 0].tolist(), largest.tolist(), strict=True))
    ends = list(accumulate(own.tolist()))
    return {
        post: Nearness(dict(pairs[end - count : end]), mean)
        for post, count, end, mean in zip(
            having, own.tolist(), ends, (means - background).tolist(), strict=True
        )
    }


def _having_vectors(posts: Mapping[int, Sequence[int]], counts: Ids) -> tuple[list[int], Ids, Ids]:
    """The posts that have vectors; how many of their chunks have any; how many these are."""
    sizes = np.fromiter((len(own) for own in posts.values()), np.int64, len(posts))
    ends = np.cumsum(sizes)
    chunks, rows = (np.concatenate([[0], np.cumsum(values)]) for values in (counts > 0, counts))
    own, of_post = (sums[ends] - sums[ends - sizes] for sums in (chunks, rows))
    having = of_post > 0
    return (
        [post for post, has in zip(posts, having.tolist(), strict=True) if has],
        own[having],
        of_post[having],
    )


def _by_run(combine: np.ufunc, values: npt.NDArray[Any], counts: Ids) -> npt.NDArray[Any]:
    """One value for each run of `values` that is not empty."""
    starts = np.cumsum(counts) - counts
    combined: npt.NDArray[Any] = combine.reduceat(values, starts[counts > 0])
    return combined
