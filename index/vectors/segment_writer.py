"""Write the vectors of a generation: segments of its base, linked or merged, and new ones.

A segment is written as soon as it is full, so memory never holds all vectors of a large blog.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from blog_search_mcp.index.store.disk import link_or_copy
from blog_search_mcp.index.types import Ids, Vectors
from blog_search_mcp.index.vectors.segments import (
    Bools,
    Directory,
    VectorStore,
    empty_directory,
    load_faiss,
    name_segment,
    read_directory,
    write_directory,
)

SEGMENT = 1 << 24
"""Minimum numbers (rows times dimension) in a full segment, 64 MB. An ingest holds one segment in
memory. Each segment costs a search .02 ms."""


class VectorWriter:
    """Vectors of an unfinished generation; `commit` completes them. Methods raise OSError."""

    def __init__(self, folder: Path, base: Path | None, dimension: int) -> None:
        folder.mkdir()
        self._folder = folder
        self._base_folder = base or folder
        self._base = read_directory(base) if base else empty_directory(dimension)
        self._first = int(self._base.segments.max(initial=0)) + 1
        self._counts: list[int] = []
        self._segment: Any = None
        """FAISS index of the segment that is not full yet, else `None`."""
        self._ids: list[Ids] = []
        self._total = self._base.total.copy()

    def add(self, chunk_ids: Ids, vectors: Vectors) -> None:
        """Append float32 unit vectors of shape (len(chunk_ids), dimension).

        `chunk_ids` has the chunk of each row. Rows of one chunk are adjacent and are added at once.
        """
        assert vectors.shape == (len(chunk_ids), len(self._total))
        self._ids.append(np.asarray(chunk_ids, dtype=np.int64))
        self._total += vectors.sum(axis=0, dtype=np.float64)
        self._segment = self._segment or load_faiss().IndexFlatIP(len(self._total))
        self._segment.add(vectors)
        if self._segment.ntotal * self._segment.d >= SEGMENT:
            self._write_segment()

    def _write_segment(self) -> None:
        """Write the segment through a Python file, since FAISS's own hides errors on closing."""
        faiss, name = load_faiss(), name_segment(self._first + len(self._counts))
        with (self._folder / name).open("wb") as file:
            faiss.write_index(self._segment, faiss.PyCallbackIOWriter(file.write))
        self._counts.append(self._segment.ntotal)
        self._segment = None

    def commit(self, removed: Sequence[int]) -> None:
        """Leave out the vectors of the `removed` chunks, and complete the files."""
        base, gone = self._base, np.isin(self._base.ids, removed)
        deleted = base.deleted | gone
        kept = _count_kept(base, deleted, sum(map(len, self._ids)))
        end = int(base.counts[:kept].sum())
        leaving = np.flatnonzero(~base.deleted & (gone | (np.arange(len(gone)) >= end)))
        if len(leaving):
            store = VectorStore(self._base_folder)
            for block in np.split(leaving, range(4096, len(leaving), 4096)):
                rows, are_kept = store.read(block), ~gone[block]
                self._total -= rows.sum(axis=0, dtype=np.float64)
                if are_kept.any():
                    self.add(base.ids[block[are_kept]], rows[are_kept])
        if self._segment:
            self._write_segment()
        for name in map(name_segment, base.segments[:kept]):
            link_or_copy(self._base_folder / name, self._folder / name)
        segments = np.append(base.segments[:kept], self._first + np.arange(len(self._counts)))
        counts = np.append(base.counts[:kept], self._counts).astype(np.int64)
        ids = np.concatenate([base.ids[:end], *self._ids])
        deleted = np.append(deleted[:end], np.isin(ids[end:], removed))
        write_directory(self._folder, Directory(segments, counts, ids, deleted, self._total))


def _count_kept(base: Directory, deleted: Bools, added: int) -> int:
    """Return the number of the base's first segments that are kept; later ones are merged.

    A segment that is not full is merged once as many rows follow it, so its rows are copied only
    when it doubles. All segments are merged if more than a tenth of the rows is deleted.
    """
    if deleted.sum() > 0.1 * len(deleted):
        return 0
    kept, most = len(base.counts), (SEGMENT - 1) // len(base.total)
    while kept and added and base.counts[kept - 1] <= min(added, most):
        kept -= 1
        added += int(base.counts[kept])
    return kept
