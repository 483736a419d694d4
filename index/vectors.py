"""The dense leg on disk: chunk ids and unit vectors in, nearest chunks out.

A chunk may have several vectors, one for each window of its text, and is as
near as the nearest of them; in the file they all bear the chunk's id.

Exact inner product (FAISS IndexFlatIP) behind an id map: at a blog's size an
exact search is memory-bound and takes milliseconds, and an approximate one
would trade recall for nothing. The file is memory-mapped, so that opening costs
nothing and every server on the machine shares its pages.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import faiss
import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from index.embedder.base import Vectors

    Ids = npt.NDArray[np.int64]


def write(path: Path, ids: Ids, vectors: Vectors) -> None:
    """Write `vectors` of shape (len(ids), dimension), each with its chunk's id; ids ascend.

    Raises OSError.
    """
    index = faiss.IndexIDMap(faiss.IndexFlatIP(vectors.shape[1]))
    index.add_with_ids(np.ascontiguousarray(vectors, dtype=np.float32), ids)
    with path.open("wb") as file:
        # Given a path, FAISS only prints a failure to flush, and leaves a shorter file.
        writer = faiss.PyCallbackIOWriter(file.write)  # type: ignore[attr-defined]
        faiss.write_index(index, writer)


class VectorSearcher:
    """One opened vector file; safe for concurrent searches."""

    def __init__(self, path: Path) -> None:
        """Map `path` into memory. The caller has verified its checksum."""
        self._index: Any = faiss.read_index(str(path), faiss.IO_FLAG_MMAP_IFC)
        self.ids, self.rows = self._contents()

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return int(self._index.d)

    def search(self, query: Vectors, limit: int, among: Ids | None = None) -> dict[int, float]:
        """The chunks of the `limit` nearest vectors with their cosines, nearest first.

        `query` is a unit vector of shape (dimension,); `among` restricts the search
        to these chunk ids before ranking.
        """
        limit = min(limit, len(self.ids))
        if limit == 0 or (among is not None and not len(among)):
            return {}
        parameters = None
        if among is not None:
            selector = faiss.IDSelectorBatch(among)
            parameters = faiss.SearchParameters(sel=selector)  # type: ignore[call-arg]
        cosines, ids = self._index.search(query[np.newaxis], limit, params=parameters)
        found: dict[int, float] = {}
        for chunk, cosine in zip(ids[0].tolist(), cosines[0].tolist(), strict=True):
            if chunk >= 0:
                found.setdefault(chunk, cosine)
        return found

    def of(self, chunk_ids: Sequence[int]) -> Ids:
        """Places, in `ids` and `rows`, of every vector of these chunks, chunk by chunk."""
        wanted = np.asarray(chunk_ids, dtype=np.int64)
        low, high = (np.searchsorted(self.ids, wanted, side=side) for side in ("left", "right"))
        counts = high - low
        offsets = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        places: Ids = np.repeat(low, counts) + offsets
        return places

    @cached_property
    def mean(self) -> Vectors:
        """The mean of all vectors, of shape (dimension,); zeros if there are none."""
        if not len(self.ids):
            return np.zeros(self.dimension, dtype=np.float32)
        mean: Vectors = self.rows.mean(axis=0, dtype=np.float32)
        return mean

    def _contents(self) -> tuple[Ids, Vectors]:
        """Chunk ids, ascending, and their vectors: a view of the mapped file."""
        ids: Ids = faiss.vector_to_array(self._index.id_map)
        if not len(ids):
            return ids, np.zeros((0, self.dimension), dtype=np.float32)
        flat: Any = faiss.downcast_index(self._index.index)
        rows = faiss.rev_swig_ptr(flat.get_xb(), len(ids) * self.dimension)
        return ids, rows.reshape(len(ids), self.dimension)
