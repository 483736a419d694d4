"""The dense leg's file, written front to back: blocks of ids and rows in, FAISS's own file out.

FAISS writes an index that it holds whole; an ingest must not hold the vectors of a large blog
at once. So FAISS writes an empty one, whose bytes show where the counts stand, and the rows go
between them as they come. What comes out is byte for byte what FAISS writes for all of them.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import faiss
import numpy as np

from index.vectors import VectorSearcher

if TYPE_CHECKING:
    from index.embedder.base import Vectors
    from index.vectors import Ids

BLOCK = 4096
"""Rows copied at once."""

_HEAD = 37
"""Bytes before an index's own data (FAISS, impl/index_write.cpp): name 4, dimension 4, count 8,
two numbers no longer in use 16, whether it is trained 1, metric 4. The map's head comes first,
then that of the vectors."""
_COUNT_AT = 8
_COUNT = struct.Struct("<q")


class VectorFile:
    """An unfinished file; use `new_vectors`."""

    def __init__(self, file: BinaryIO, dimension: int) -> None:
        self._file = file
        self._dimension = dimension
        self._ids: list[Ids] = []
        empty = faiss.IndexIDMap(faiss.IndexFlatIP(dimension))
        self._file.write(bytes(faiss.serialize_index(empty))[: 2 * _HEAD + _COUNT.size])

    def append(self, ids: Ids, vectors: Vectors) -> None:
        """Write `vectors` of shape (len(ids), dimension), each with its chunk's id; ids ascend.

        Raises OSError.
        """
        assert vectors.shape == (len(ids), self._dimension)
        self._ids.append(np.asarray(ids, dtype=np.int64))
        for start in range(0, len(vectors), BLOCK):
            rows = np.ascontiguousarray(vectors[start : start + BLOCK], dtype=np.float32)
            self._file.write(rows.data)

    def append_from(self, path: Path, gone: Sequence[int]) -> None:
        """Write the rows of another file but those of chunks that are `gone`. Raises OSError."""
        earlier = VectorSearcher(path)
        kept = ~np.isin(earlier.ids, gone)
        for start in range(0, len(kept), BLOCK):
            among = slice(start, start + BLOCK)
            ids, rows, stay = earlier.ids[among], earlier.rows[among], kept[among]
            self.append(*((ids, rows) if stay.all() else (ids[stay], rows[stay])))

    def finish(self) -> None:
        """Write the ids and the counts; the file is complete. Raises OSError."""
        ids = np.concatenate([np.zeros(0, dtype=np.int64), *self._ids])
        self._file.write(_COUNT.pack(len(ids)))
        self._file.write(ids.data)
        for place, count in (
            (_COUNT_AT, len(ids)),
            (_HEAD + _COUNT_AT, len(ids)),
            (2 * _HEAD, len(ids) * self._dimension),
        ):
            self._file.seek(place)
            self._file.write(_COUNT.pack(count))
        self._file.close()


@contextmanager
def new_vectors(path: Path, dimension: int) -> Iterator[VectorFile]:
    """A file at `path` for this block; `finish` completes it. Raises OSError."""
    opened = path.open("wb")
    try:
        yield VectorFile(opened, dimension)
    finally:
        with suppress(OSError):  # of a file that `finish` has closed nothing is left to be lost
            opened.close()
