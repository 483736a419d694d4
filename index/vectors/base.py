"""What a vector store must do; the rest of the program knows chunk ids alone.

A chunk may have several vectors, one for each window of its text, and is as near as the nearest
of them. Each store of an index (`index.stores`) has vectors of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from blog_search_mcp.index.types import Ids, Vectors


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
        ...

    def __len__(self) -> int:
        """How many vectors there are."""
        ...

    def search(self, query: Vectors, k: int, among: Ids | None = None) -> dict[int, float]:
        """Find the chunks of the `k` nearest vectors; return their cosines, nearest first.

        `query` is a unit vector of shape (dimension,); `among` restricts the search to these
        chunk ids before ranking.
        """
        ...

    def cosines(self, query: Vectors, chunk_ids: Sequence[int] | Ids) -> Cosines:
        """Compute the exact cosine to `query` of every vector of these chunks."""
        ...

    def counts(self, chunk_ids: Sequence[int] | Ids) -> Ids:
        """Return how many vectors each of these chunks has."""
        ...

    def vectors(self, chunk_ids: Sequence[int] | Ids) -> ChunkVectors:
        """Read every vector of these chunks."""
        ...

    def mean(self) -> Vectors:
        """Return what all vectors have in common: their mean, of shape (dimension,).

        Zeros if there are fewer than two: less itself, a single one would be near to nothing.
        """
        ...


class VectorWriter(Protocol):
    """The vectors of the next generation: those of its base, changed; raises OSError."""

    def add(self, chunk_ids: Ids, vectors: Vectors) -> None:
        """Append float32 unit vectors of shape (len(chunk_ids), dimension).

        No chunk has a vector yet; the vectors of one stand together, its id repeated.
        """
        ...

    def delete(self, chunk_ids: Sequence[int]) -> None:
        """Leave out the vectors of these chunks."""
        ...

    def commit(self) -> None:
        """Complete the files."""
        ...
