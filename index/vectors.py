"""The dense leg on disk: chunk ids and unit vectors in, nearest chunks out.

A chunk may have several vectors, one for each window of its text, and is as
near as the nearest of them; in the file they all bear the chunk's id.

The vectors lie whole in a FAISS IndexFlatIP behind an id map (`index.vectors_writer`),
memory-mapped, so that opening costs nothing and every server on the machine shares its pages.
Cosines are always those of the whole vectors. Where there are many, `index.first_pass` says
which to look at.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import faiss
import numpy as np

from index.first_pass import MANY, FirstPass, one_thread
from index.sums import Sums, lengths_of

if TYPE_CHECKING:
    import numpy.typing as npt

    from index.embedder.base import Vectors
    from index.sums import Lengths

    Ids = npt.NDArray[np.int64]

_faiss: Any = faiss
"""Its types lack these loops."""


class VectorSearcher:
    """One opened vector file; safe for concurrent searches."""

    def __init__(
        self, path: Path, first_pass: FirstPass | None = None, sums: Sums | None = None
    ) -> None:
        """Map `path` into memory. The caller has verified its checksum.

        `first_pass` and `sums` are what was worked out from its vectors, if anything was.
        """
        self._index: Any = faiss.read_index(str(path), faiss.IO_FLAG_MMAP_IFC)
        self._first_pass = first_pass
        self._sums = sums
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
        places = self._candidates(query) if among is None else self.of(among)
        cosines = self.cosines(query, places)
        nearest = _largest(cosines, limit)
        ids = self.ids[nearest if places is None else places[nearest]]
        found: dict[int, float] = {}
        for chunk, cosine in zip(ids.tolist(), cosines[nearest].tolist(), strict=True):
            found.setdefault(chunk, cosine)
        return found

    def cosines(self, query: Vectors, places: Ids | None = None) -> Vectors:
        """The cosine to `query` of the vector at each of `places`, of all without them.

        By FAISS's own loops: numpy's product of a matrix and one vector takes four times as
        long, and picking the rows out would copy them first.
        """
        one_thread()
        count = len(self.ids) if places is None else len(places)
        found = np.empty(count, dtype=np.float32)
        if not count:
            return found
        wanted = np.ascontiguousarray(query, dtype=np.float32)
        out, one, rows = (faiss.swig_ptr(array) for array in (found, wanted, self.rows))
        if places is None:
            _faiss.fvec_inner_products_ny(out, one, rows, self.dimension, count)
            return found
        picked = faiss.swig_ptr(np.ascontiguousarray(places))
        _faiss.fvec_inner_products_by_idx(out, one, rows, picked, self.dimension, 1, count)
        return found

    def of(self, chunk_ids: Sequence[int] | Ids) -> Ids:
        """Places, in `ids` and `rows`, of every vector of these chunks, chunk by chunk."""
        return self.runs(chunk_ids)[0]

    def runs(self, chunk_ids: Sequence[int] | Ids) -> tuple[Ids, Ids]:
        """The same, and for each of these chunks how many vectors it has."""
        wanted = np.asarray(chunk_ids, dtype=np.int64)
        low, high = (np.searchsorted(self.ids, wanted, side=side) for side in ("left", "right"))
        counts = high - low
        offsets = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        return np.repeat(low, counts) + offsets, counts

    @cached_property
    def mean(self) -> Vectors:
        """The mean of all vectors, of shape (dimension,); zeros if there are none."""
        if not len(self.ids):
            return np.zeros(self.dimension, dtype=np.float32)
        if self._sums is not None:
            return (self._sums.total / len(self.ids)).astype(np.float32)
        mean: Vectors = self.rows.mean(axis=0, dtype=np.float32)
        return mean

    def lengths(self, posts: Sequence[int] | Ids, places: Ids, counts: Ids) -> Lengths:
        """The length of the sum of each post's vectors, which lie at `places`, `counts` each."""
        if self._sums is not None:
            return self._sums.lengths_of(posts)
        return lengths_of(self.rows[places], counts)

    def _candidates(self, query: Vectors) -> Ids | None:
        """Places among which the nearest are; `None` for all."""
        if self._first_pass is None or len(self.ids) < MANY:
            return None
        return self._first_pass.nearest(query)

    def _contents(self) -> tuple[Ids, Vectors]:
        """Chunk ids, ascending, and their vectors: a view of the mapped file."""
        ids: Ids = faiss.vector_to_array(self._index.id_map)
        if not len(ids):
            return ids, np.zeros((0, self.dimension), dtype=np.float32)
        flat: Any = faiss.downcast_index(self._index.index)
        rows = faiss.rev_swig_ptr(flat.get_xb(), len(ids) * self.dimension)
        return ids, rows.reshape(len(ids), self.dimension)


def _largest(values: Vectors, count: int) -> Ids:
    """Places of the `count` largest, the largest first; of equal ones the earlier first."""
    count = min(count, len(values))
    if not count:
        return np.zeros(0, dtype=np.int64)
    places = np.argpartition(values, len(values) - count)[-count:]
    ordered: Ids = places[np.lexsort((places, -values[places]))]
    return ordered
