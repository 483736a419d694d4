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

from blog_search_mcp.index.vectors.memmap import AT_ONCE, VectorRows

if TYPE_CHECKING:
    from blog_search_mcp.index.store.layout import GenerationFiles
    from blog_search_mcp.index.types import Ids, Vectors

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
        for start in range(0, len(vectors), AT_ONCE):
            rows = np.ascontiguousarray(vectors[start : start + AT_ONCE], dtype=np.float32)
            self._file.write(rows.data)

    def append_from(self, path: Path, gone: Sequence[int] | Ids = ()) -> None:
        """Write the rows of another file but those of chunks that are `gone`. Raises OSError."""
        earlier = VectorRows([path], np.asarray(gone, dtype=np.int64))
        starts = range(0, len(earlier.ids), AT_ONCE)
        for start, rows in zip(starts, earlier.blocks(), strict=True):
            self.append(earlier.ids[start : start + AT_ONCE], rows)

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


def write_none_newer(files: GenerationFiles, dimension: int) -> None:
    """Write `newer` and `gone` of a generation all of whose vectors are shared. Raises OSError."""
    with new_vectors(files.newer, dimension) as rows:
        rows.finish()
    _write_gone(files, np.zeros(0, dtype=np.int64))


def write_newer(files: GenerationFiles, before: GenerationFiles, dimension: int, gone: Ids) -> None:
    """Write `newer`: those of `before` that are kept, then this ingest's. Raises OSError."""
    with new_vectors(files.newer, dimension) as rows:
        rows.append_from(before.newer, gone)
        rows.append_from(files.new_vectors)
        rows.finish()
    files.new_vectors.unlink()
    shared = VectorRows([files.vectors], np.zeros(0, dtype=np.int64))
    _write_gone(files, gone[np.isin(gone, shared.ids)])


def write_anew(files: GenerationFiles, before: GenerationFiles, dimension: int, gone: Ids) -> None:
    """Write all vectors into a file that is shared from now on. Raises OSError."""
    files.vectors.unlink()
    with new_vectors(files.vectors, dimension) as rows:
        rows.append_from(before.vectors, gone)
        rows.append_from(before.newer, gone)
        rows.append_from(files.new_vectors)
        rows.finish()
    files.new_vectors.unlink()
    write_none_newer(files, dimension)


def gone_after(before: GenerationFiles, gone: Sequence[int]) -> Ids:
    """Ids of chunks that were in `before` or its shared files and are no more, ascending."""
    ids: Ids = np.sort(np.concatenate([np.load(before.gone), np.asarray(gone, dtype=np.int64)]))
    return ids


def _write_gone(files: GenerationFiles, gone: Ids) -> None:
    with files.gone.open("wb") as file:
        np.save(file, gone)
