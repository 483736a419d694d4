"""What a vector store must do; the rest of the program knows chunk ids alone.

A chunk may have several vectors, one for each window of its text, and is as near as the nearest
of them. Each store of an index (`index.stores`) has vectors of its own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from blog_search_mcp.index.types import Ids, Vectors

Bools: TypeAlias = npt.NDArray[np.bool_]
Floats: TypeAlias = npt.NDArray[np.float64]


class Cosines(NamedTuple):
    """Cosines of the vectors of some chunks, chunk by chunk."""

    values: Vectors
    """In [-1, 1], shape (counts.sum(),); higher is nearer."""
    counts: Ids
    """By chunk, how many vectors it has; 0 for one that could not be embedded."""


class ChunkVectors(NamedTuple):
    """The vectors of some chunks, chunk by chunk."""

    rows: Vectors
    """Unit vectors of shape (counts.sum(), dimension)."""
    counts: Ids
    """By chunk, how many vectors it has; 0 for one that could not be embedded."""


class VectorStore(Protocol):
    """The vectors of one generation; safe for concurrent searches."""

    @property
    def dimension(self) -> int:
        """Length of a vector."""

    def __len__(self) -> int:
        """How many vectors there are."""

    def search(self, query: Vectors, k: int, among: Ids | None = None) -> dict[int, float]:
        """Find the chunks of the `k` nearest vectors; return their cosines, nearest first.

        `query` is a unit vector of shape (dimension,); `among` restricts the search to these
        chunk ids before ranking.
        """

    def nearest(self, queries: Sequence[Vectors]) -> list[float]:
        """Return the largest cosine of any vector to each query, 0 if there is no vector."""

    def cosines(self, query: Vectors, chunk_ids: Sequence[int] | Ids) -> Cosines:
        """Compute the exact cosine to `query` of every vector of these chunks."""

    def counts(self, chunk_ids: Sequence[int] | Ids) -> Ids:
        """Return how many vectors each of these chunks has."""

    def vectors(self, chunk_ids: Sequence[int] | Ids) -> ChunkVectors:
        """Read every vector of these chunks."""

    def mean(self) -> Vectors:
        """Return what all vectors have in common: their mean, of shape (dimension,).

        Zeros if there are fewer than two: less itself, a single one would be near to nothing.
        """


class Rows(ABC):
    """What a VectorStore answers by which chunks its rows are of, in whatever order they stand."""

    def __init__(self, chunks: Ids, counts: Bools, total: Floats) -> None:
        """Take, by row, the chunk that it is of and whether it counts, and the sum of those."""
        live = np.flatnonzero(counts)
        self._by_id: Ids = live[np.argsort(chunks[live], kind="stable")]
        self._sorted_ids: Ids = chunks[self._by_id]
        self._total = total

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return len(self._total)

    def __len__(self) -> int:
        return len(self._by_id)

    def cosines(self, query: Vectors, chunk_ids: Sequence[int] | Ids) -> Cosines:
        """Compute the cosine of every vector of these chunks."""
        offsets, counts = self._offsets(chunk_ids)
        return Cosines(self._products(query, offsets), counts)

    def counts(self, chunk_ids: Sequence[int] | Ids) -> Ids:
        """As VectorStore."""
        return self._offsets(chunk_ids)[1]

    def vectors(self, chunk_ids: Sequence[int] | Ids) -> ChunkVectors:
        """Read every vector of these chunks."""
        offsets, counts = self._offsets(chunk_ids)
        return ChunkVectors(self._read(offsets), counts)

    def mean(self) -> Vectors:
        """As VectorStore."""
        if len(self) < 2:
            return np.zeros(self.dimension, dtype=np.float32)
        return (self._total / len(self)).astype(np.float32)

    def _offsets(self, chunk_ids: Sequence[int] | Ids) -> tuple[Ids, Ids]:
        """Offsets of all rows of chunks that count, and how many each has."""
        ids, wanted = self._sorted_ids, np.asarray(chunk_ids, dtype=np.int64)
        low, high = (np.searchsorted(ids, wanted, side=side) for side in ("left", "right"))
        counts = high - low
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        return self._by_id[np.repeat(low, counts) + within], counts

    @abstractmethod
    def _products(self, query: Vectors, offsets: Ids) -> Vectors:
        """Return the inner products of `query` with these rows."""

    @abstractmethod
    def _read(self, offsets: Ids) -> Vectors:
        """Read these rows: shape (len(offsets), dimension)."""


class VectorWriter(Protocol):
    """The vectors of the next generation: those of its base, changed; raises OSError."""

    def add(self, chunk_ids: Ids, vectors: Vectors) -> None:
        """Append float32 unit vectors of shape (len(chunk_ids), dimension).

        No chunk has a vector yet; the vectors of one stand together, its id repeated.
        """

    def delete(self, chunk_ids: Sequence[int]) -> None:
        """Leave out the vectors of these chunks."""

    def commit(self) -> None:
        """Complete the files."""
