"""The vectors of one generation, and the search for the nearest ones.

The vectors lie in the generation's folder `vectors/`:

    000007.faiss      a segment: unit vectors as an `IndexFlatIP`, never changed
    directory.npz     the segments, the chunk of each row, and which rows are deleted

FAISS writes a segment, maps it into memory and searches it. Later generations share a segment as a
hard link, until it is merged with others into a new one. Each generation writes a directory of 9
bytes a vector. A search compares all vectors: 74,000 of 384 numbers take 4 ms.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from blog_search_mcp.index.store.catalog import locate_ids
from blog_search_mcp.index.types import Ids, Vectors

Bools: TypeAlias = npt.NDArray[np.bool_]
Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Directory:
    """Rows of all segments in order, including deleted ones; a chunk's rows are adjacent."""

    segments: Ids
    """Numbers of the segments, ascending; empty in Milvus."""
    counts: Ids
    """Number of rows of each segment, including deleted ones."""
    ids: Ids
    """Chunk ID of each row."""
    deleted: Bools
    """Whether each row is deleted."""
    total: Floats
    """Sum of the rows that are not deleted, of shape (dimension,)."""


def empty_directory(dimension: int) -> Directory:
    """Return a directory without vectors."""
    none = np.zeros(0, dtype=np.int64)
    return Directory(none, none, none, none.astype(bool), np.zeros(dimension))


def read_directory(folder: Path) -> Directory:
    """Read a directory whose checksum was verified before. Raises OSError or ValueError."""
    with np.load(folder / "directory.npz", allow_pickle=False) as columns:
        return Directory(*(columns[name] for name in columns.files))


def write_directory(folder: Path, directory: Directory) -> None:
    """Write the directory. Raises OSError."""
    with (folder / "directory.npz").open("wb") as file:
        np.savez(file, *(getattr(directory, name) for name in Directory.__slots__))


def name_segment(number: int) -> str:
    """Return the name of a segment's file."""
    return f"{number:06d}.faiss"


def load_faiss() -> Any:
    """Import FAISS at its first use, which takes .12 s. It is `Any`, since its types have gaps.

    FAISS uses only the calling thread: with two threads, a search on two busy cores takes 8 times
    as long.
    """
    import faiss

    faiss.omp_set_num_threads(1)
    return faiss


def _open_segment(path: Path) -> Any:
    """Map a segment, or read it if FAISS cannot. Raises OSError, ValueError or RuntimeError."""
    faiss = load_faiss()
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as pages:
        _ = pages[:: 1 << 16]  # else a cold disk is read page by page: 111 MB in 2.6 s, not .06
        try:
            return faiss.read_index(str(path), faiss.IO_FLAG_MMAP_IFC)
        except RuntimeError:  # as early FAISS on macOS, or a Windows path beyond the code page
            return faiss.read_index(faiss.PyCallbackIOReader(file.read))


class VectorStore:
    """The vectors of one generation; safe for concurrent searches.

    A chunk has a vector for each window of its text, or none; the nearest one counts. A store that
    keeps rows elsewhere overrides `__init__`, `search`, `_products` and `read`. Opening a store
    raises OSError, ValueError or RuntimeError.
    """

    def __init__(self, folder: Path) -> None:
        self._set_directory(read_directory(folder))
        names = map(name_segment, self._directory.segments)
        self._segments = [_open_segment(folder / name) for name in names]
        self._starts = np.cumsum(self._directory.counts) - self._directory.counts

    def _set_directory(self, directory: Directory) -> None:
        self._directory = directory
        self.dimension = len(directory.total)
        self._live: Ids = np.flatnonzero(~directory.deleted)
        self._by_id: Ids = self._live[np.argsort(directory.ids[self._live], kind="stable")]
        self._sorted_ids: Ids = directory.ids[self._by_id]

    def __len__(self) -> int:
        return len(self._by_id)

    def search(self, query: Vectors, k: int, among: Ids | None = None) -> dict[int, float]:
        """Return the chunks of the `k` nearest vectors with their largest cosines, nearest first.

        `query` is a unit vector of shape (dimension,). `among` limits the search to these chunk ids
        before ranking. A chunk with several near vectors comes once.
        """
        offsets = self._live if among is None else self._offsets(among)[0]
        faiss, count = load_faiss(), min(k, len(offsets))
        nearest = faiss.ResultHeap(1, count, keep_max=True)
        for segment, start, places in self._split(offsets):
            rows, selection = offsets[places] - start, None
            if len(rows) < segment.ntotal:
                selection = faiss.SearchParameters(sel=faiss.IDSelectorArray(rows))
            cosines, labels = segment.search(query[None], count, params=selection)
            nearest.add_result(cosines, labels + start)
        nearest.finalize()
        return first_of_each(self._directory.ids[nearest.I[0]], nearest.D[0])

    def cosines(self, query: Vectors, chunk_ids: Sequence[int] | Ids) -> tuple[Vectors, Ids]:
        """Return the cosines of these chunks' vectors, chunk by chunk, and how many each has."""
        offsets, counts = self._offsets(chunk_ids)
        return self._products(query, offsets), counts

    def counts(self, chunk_ids: Sequence[int] | Ids) -> Ids:
        """Return the number of vectors of each of these chunks."""
        return self._offsets(chunk_ids)[1]

    def vectors(self, chunk_ids: Sequence[int] | Ids) -> tuple[Vectors, Ids]:
        """Return the vectors of these chunks, chunk by chunk, and how many each chunk has."""
        offsets, counts = self._offsets(chunk_ids)
        return self.read(offsets), counts

    def mean(self) -> Vectors:
        """Return the mean of all vectors, of shape (dimension,).

        Callers subtract it. It is zero below two vectors: one minus itself has no direction.
        """
        if len(self) < 2:
            return np.zeros(self.dimension, dtype=np.float32)
        return (self._directory.total / len(self)).astype(np.float32)

    def _offsets(self, chunk_ids: Sequence[int] | Ids) -> tuple[Ids, Ids]:
        """Return the offsets of the rows of these chunks, and how many each chunk has."""
        places, counts = locate_ids(self._sorted_ids, np.asarray(chunk_ids, dtype=np.int64))
        return self._by_id[places], counts

    def _split(self, offsets: Ids) -> Iterator[tuple[Any, int, Ids]]:
        """Yield each segment with rows at `offsets`, its start, and their places in `offsets`."""
        load_faiss()
        order = np.argsort(offsets, kind="stable")
        bounds = [*np.searchsorted(offsets, self._starts, sorter=order).tolist(), len(order)]
        for place, segment in enumerate(self._segments):
            if bounds[place] < bounds[place + 1]:
                yield segment, self._starts[place], order[bounds[place] : bounds[place + 1]]

    def _products(self, query: Vectors, offsets: Ids) -> Vectors:
        products, faiss = np.empty(len(offsets), dtype=np.float32), load_faiss()
        for segment, start, places in self._split(offsets):
            rows, values = offsets[places] - start, products[places]
            vector, out, labels = map(faiss.swig_ptr, (query, values, rows))
            segment.compute_distance_subset(1, vector, len(rows), out, labels)
            products[places] = values
        return products

    def read(self, offsets: Ids) -> Vectors:
        """Read the rows at these offsets of the directory: shape (len(offsets), dimension)."""
        vectors = np.empty((len(offsets), self.dimension), dtype=np.float32)
        for segment, start, places in self._split(offsets):
            vectors[places] = segment.reconstruct_batch(offsets[places] - start)
        return vectors


def first_of_each(chunks: Ids, cosines: Vectors) -> dict[int, float]:
    """Return each chunk's first cosine, which is the largest, since `cosines` descend."""
    first: dict[int, float] = {}
    for chunk, cosine in zip(chunks.tolist(), cosines.tolist(), strict=True):
        first.setdefault(chunk, cosine)
    return first
