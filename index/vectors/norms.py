"""What can be told of vectors before there is a query: their sum, and the length of each post's.

A search needs the blog's mean vector and the mean vector of every post it proposes. Adding up a
post's vectors takes longer than all their cosines, and the cosine of a sum needs only its length,
so sums are made when the index is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from blog_search_mcp.index.types import Ids, Vectors
    from blog_search_mcp.index.vectors.memmap import VectorRows

    Lengths: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Sums:
    """Those of one generation."""

    total: Lengths
    """The sum of all vectors, of shape (dimension,)."""
    posts: Ids
    """Ids of the posts that have vectors, ascending."""
    lengths: Lengths
    """For each of them the length of its vectors' sum."""

    def lengths_of(self, posts: Sequence[int] | Ids) -> Lengths:
        """For posts that all have vectors."""
        found: Lengths = self.lengths[np.searchsorted(self.posts, posts)]
        return found


def sums_of(rows: VectorRows, owners: Ids) -> Sums:
    """The sums of all rows, whose posts are `owners`, ascending."""
    posts, counts = np.unique(owners, return_counts=True)
    ends = np.cumsum(counts)
    runs = zip((ends - counts).tolist(), ends.tolist(), strict=True)
    lengths = np.asarray([_length(rows.run(start, end)) for start, end in runs])
    return Sums(total_of(rows.blocks(), rows.dimension), posts, lengths)


def total_of(blocks: Iterable[Vectors], dimension: int) -> Lengths:
    """The sum of all rows of these blocks."""
    total = np.zeros(dimension)
    for rows in blocks:
        total += rows.sum(axis=0, dtype=np.float64)
    return total


def lengths_of(rows: Vectors, counts: Ids) -> Lengths:
    """The length of the sum of each run of rows; `counts` says how many each has, at least 1."""
    ends = np.cumsum(counts)
    runs = zip((ends - counts).tolist(), ends.tolist(), strict=True)
    return np.asarray([_length(rows[start:end]) for start, end in runs])


def _length(rows: Vectors) -> float:
    return float(np.linalg.norm(rows.sum(axis=0)))


def write(path: Path, sums: Sums) -> None:
    """Write them. Raises OSError."""
    with path.open("wb") as file:
        np.savez(file, total=sums.total, posts=sums.posts, lengths=sums.lengths)


def read(path: Path) -> Sums:
    """Read them. The caller has verified the file's checksum. Raises OSError or ValueError."""
    with np.load(path, allow_pickle=False) as found:
        return Sums(found["total"], found["posts"], found["lengths"])
