"""The vectors of one generation, and the search of the nearest.

They lie in its `vectors/` folder:

    000007.rows       unit vectors, float32, one after the other: a segment, never changed
    directory.npz     which segments there are, whose chunks their rows are and which are deleted

A segment bears the number of the generation that wrote it; the generations after it have it too,
as a hard link, until it is merged with others into a new one. Only the directory, 9 bytes a
vector, is written with each generation. A search compares all of them: 74,000 of 384 numbers take
4 ms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from blog_search_mcp.index.store.catalog import places_of
from blog_search_mcp.index.types import Ids, Vectors

Bools: TypeAlias = npt.NDArray[np.bool_]
Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Directory:
    """Rows stand in the order of segments, deleted ones too; those of a chunk stand together."""

    segments: Ids
    """Numbers of the segments, ascending."""
    counts: Ids
    """Rows in each, deleted ones too."""
    ids: Ids
    """By row, the chunk that the vector is of."""
    deleted: Bools
    """By row, whether it no longer counts: a tombstone."""
    total: Floats
    """Sum of the rows that are not deleted, of shape (dimension,)."""


def empty_directory(dimension: int) -> Directory:
    """Make the directory of no vectors."""
    none = np.zeros(0, dtype=np.int64)
    return Directory(none, none, none, none.astype(bool), np.zeros(dimension))


def read_directory(folder: Path) -> Directory:
    """Read the directory, whose checksum holds. Raises OSError or ValueError."""
    with np.load(folder / "directory.npz", allow_pickle=False) as columns:
        return Directory(*(columns[name] for name in columns.files))


def write_directory(folder: Path, directory: Directory) -> None:
    """Write the directory. Raises OSError."""
    with (folder / "directory.npz").open("wb") as file:
        np.savez(file, *(getattr(directory, name) for name in Directory.__slots__))


def rows_path(folder: Path, segment: int) -> Path:
    """Return where the rows of a segment lie."""
    return folder / f"{segment:06d}.rows"


def map_rows(path: Path, count: int, dimension: int) -> Vectors:
    """Map the rows of a segment into memory. Raises OSError or ValueError."""
    return np.asarray(np.memmap(path, "<f4", "r", shape=(count, dimension)))


def load_faiss() -> Any:
    """Import FAISS, whose helpers have no stubs: .12 s, for which no edit need wait."""
    import faiss

    return faiss


def inner_products(rows: Vectors, query: Vectors) -> Vectors:
    """Return the inner product of `query` with every row of a C-contiguous float32 matrix.

    Without BLAS's threads.
    """
    products = np.empty(len(rows), dtype=np.float32)
    if len(rows):
        library = load_faiss()
        out, vector, matrix = (library.swig_ptr(array) for array in (products, query, rows))
        library.fvec_inner_products_ny(out, vector, matrix, len(query), len(rows))
    return products


class VectorStore:
    """The vectors of one generation; safe for concurrent searches.

    A chunk may have several, one for each window of its text, and is as near as the nearest of
    them. All but `search`, `_products` and `read` is known from the directory, wherever rows are.
    """

    def __init__(self, folder: Path) -> None:
        """Map the segments. Raises OSError or ValueError."""
        self._set_directory(read_directory(folder))
        numbers, counts = self._directory.segments.tolist(), self._directory.counts.tolist()
        self._segments = [
            map_rows(rows_path(folder, number), count, self.dimension)
            for number, count in zip(numbers, counts, strict=True)
        ]

    def _set_directory(self, directory: Directory) -> None:
        self._directory = directory
        self.dimension = len(directory.total)
        """Length of a vector."""
        self._live: Ids = np.flatnonzero(~directory.deleted)
        self._by_id: Ids = self._live[np.argsort(directory.ids[self._live], kind="stable")]
        self._sorted_ids: Ids = directory.ids[self._by_id]

    def __len__(self) -> int:
        return len(self._by_id)

    def search(self, query: Vectors, k: int, among: Ids | None = None) -> dict[int, float]:
        """Find the chunks of the `k` nearest vectors; return their cosines, nearest first.

        `query` is a unit vector of shape (dimension,); `among` restricts the search to these
        chunk ids before ranking.
        """
        if among is None:
            offsets = self._live
            products = [inner_products(rows, query) for rows in self._segments]
            values = np.concatenate([np.zeros(0, dtype=np.float32), *products])[offsets]
        else:
            offsets, _ = self._offsets(among)
            values = self._products(query, offsets)
        count = min(k, len(values))
        if not count:
            return {}
        places = np.argpartition(values, len(values) - count)[-count:]
        nearest = places[np.lexsort((places, -values[places]))]  # of equal ones the earlier first
        return first_of_each(self._directory.ids[offsets[nearest]], values[nearest])

    def cosines(self, query: Vectors, chunk_ids: Sequence[int] | Ids) -> tuple[Vectors, Ids]:
        """Compute the cosine to `query` of every vector of these chunks, chunk by chunk.

        Returns them and how many each chunk has.
        """
        offsets, counts = self._offsets(chunk_ids)
        return self._products(query, offsets), counts

    def counts(self, chunk_ids: Sequence[int] | Ids) -> Ids:
        """Return how many vectors each of these chunks has."""
        return self._offsets(chunk_ids)[1]

    def vectors(self, chunk_ids: Sequence[int] | Ids) -> tuple[Vectors, Ids]:
        """Read every vector of these chunks, chunk by chunk, and how many each has."""
        offsets, counts = self._offsets(chunk_ids)
        return self.read(offsets), counts

    def mean(self) -> Vectors:
        """Return what all vectors have in common: their mean, of shape (dimension,).

        Zeros if there are fewer than two: less itself, a single one would be near to nothing.
        """
        if len(self) < 2:
            return np.zeros(self.dimension, dtype=np.float32)
        return (self._directory.total / len(self)).astype(np.float32)

    def _offsets(self, chunk_ids: Sequence[int] | Ids) -> tuple[Ids, Ids]:
        """Offsets of all rows of chunks that count, and how many each has."""
        places, counts = places_of(self._sorted_ids, np.asarray(chunk_ids, dtype=np.int64))
        return self._by_id[places], counts

    def _products(self, query: Vectors, offsets: Ids) -> Vectors:
        """Return the inner products of `query` with these rows."""
        return inner_products(self.read(offsets), query)

    def read(self, offsets: Ids) -> Vectors:
        """Read the rows at these offsets of the directory: shape (len(offsets), dimension)."""
        vectors, start = np.empty((len(offsets), self.dimension), dtype=np.float32), 0
        for rows in self._segments:
            inside = (offsets >= start) & (offsets < start + len(rows))
            vectors[inside] = rows[offsets[inside] - start]
            start += len(rows)
        return vectors


def first_of_each(chunks: Ids, cosines: Vectors) -> dict[int, float]:
    """Return each chunk with the first of its cosines, which descend."""
    first: dict[int, float] = {}
    for chunk, cosine in zip(chunks.tolist(), cosines.tolist(), strict=True):
        first.setdefault(chunk, cosine)
    return first
