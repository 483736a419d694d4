"""How near posts and their chunks are to a query: vectors in, cosines out.

Everything is told less the blog's mean cosine to the query: some queries are
near to everything, and what matters is what stands out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from index.embedder.base import Vectors
    from index.vectors import VectorSearcher


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
    """By post id, for posts given with their chunk ids; a post without vectors is not here."""
    background = float(vectors.mean @ query)
    found = {post: vectors.of(chunks) for post, chunks in posts.items()}
    having = {post: ids for post, ids in found.items() if len(ids)}
    if not having:
        return {}
    places = np.concatenate(list(having.values()))
    rows = vectors.rows[places]
    ends = list(accumulate(len(own) for own in having.values()))
    means = _mean_cosines(rows, [0, *ends[:-1]], query) - background
    chunks = np.split(vectors.ids[places], ends[:-1])
    cosines = np.split(rows @ query - background, ends[:-1])
    return {
        post: Nearness(_largest(own, near), float(mean))
        for post, own, near, mean in zip(having, chunks, cosines, means, strict=True)
    }


def _mean_cosines(rows: Vectors, starts: Sequence[int], query: Vectors) -> Vectors:
    """The cosine to `query` of each run's sum; -1 for a run that cancels out."""
    sums = np.add.reduceat(rows, starts, axis=0)
    norms = np.linalg.norm(sums, axis=1)
    cosines: Vectors = np.divide(
        sums @ query, norms, out=np.full_like(norms, -1.0), where=norms > 0.0
    )
    return cosines


def _largest(chunks: Vectors, cosines: Vectors) -> dict[int, float]:
    best: dict[int, float] = {}
    for chunk, cosine in zip(chunks.tolist(), cosines.tolist(), strict=True):
        best[chunk] = max(cosine, best.get(chunk, -2.0))
    return best
