"""The vectors of the next generation: its base's segments, linked or merged, and one of its own.

Rows are written as they come, since an ingest must not hold the vectors of a large blog at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from blog_search_mcp.index.store.disk import link_or_copy
from blog_search_mcp.index.types import Ids, Vectors
from blog_search_mcp.index.vectors.segments import (
    Bools,
    Directory,
    VectorStore,
    empty_directory,
    map_rows,
    read_directory,
    rows_path,
    write_directory,
)

BLOCK = 4096
"""Rows that are copied at a time."""

DELETED_SHARE = 0.1
"""Share of the rows that may be deleted; beyond it all segments are merged, which drops them."""


class VectorWriter:
    """The vectors of an unfinished generation, complete once committed. All raise OSError."""

    def __init__(self, folder: Path, base: Path | None, dimension: int, generation: int) -> None:
        folder.mkdir()
        self._folder = folder
        self._base_folder = base or folder
        self._base = read_directory(base) if base else empty_directory(dimension)
        self._number = generation
        self._file = rows_path(folder, generation).open("wb")
        self._ids: list[Ids] = []
        self._total = self._base.total.copy()

    def add(self, chunk_ids: Ids, vectors: Vectors) -> None:
        """Append float32 unit vectors of shape (len(chunk_ids), dimension).

        No chunk has a vector yet; the vectors of one stand together, its id repeated.
        """
        assert vectors.shape == (len(chunk_ids), len(self._total))
        self._ids.append(np.asarray(chunk_ids, dtype=np.int64))
        self._total += vectors.sum(axis=0, dtype=np.float64)
        self._file.write(np.ascontiguousarray(vectors, dtype="<f4").data)

    def commit(self, removed: Sequence[int]) -> None:
        """Leave out the vectors of the `removed` chunks, and complete the files."""
        base, new = self._base, np.concatenate([self._base.ids[:0], *self._ids])
        gone, refused = (np.isin(ids, np.asarray(removed, np.int64)) for ids in (base.ids, new))
        for rows in self._base_rows(np.flatnonzero(gone & ~base.deleted)):
            self._total -= rows.sum(axis=0, dtype=np.float64)
        deleted = base.deleted | gone
        kept = _count_kept(base, deleted, len(new))
        end = int(base.counts[:kept].sum())
        merged = end + np.flatnonzero(~deleted[end:])
        for rows in self._base_rows(merged):
            self._file.write(rows.data)
        self._file.close()
        for number in base.segments[:kept]:
            link_or_copy(rows_path(self._base_folder, number), rows_path(self._folder, number))
        added = [count] if (count := len(new) + len(merged)) else []
        path, dimension = rows_path(self._folder, self._number), len(self._total)
        if refused.any():
            rows = map_rows(path, count, dimension)[: len(new)][refused]
            self._total -= rows.sum(axis=0, dtype=np.float64)
        if not count:
            path.unlink()
        directory = Directory(
            segments=np.append(base.segments[:kept], [self._number] * len(added)).astype(np.int64),
            counts=np.append(base.counts[:kept], added).astype(np.int64),
            ids=np.concatenate([base.ids[:end], new, base.ids[merged]]),
            deleted=np.concatenate([deleted[:end], refused, np.zeros(len(merged), dtype=bool)]),
            total=self._total,
        )
        write_directory(self._folder, directory)

    def close(self) -> None:
        """Drop what was not committed."""
        with suppress(OSError):
            self._file.close()

    def _base_rows(self, offsets: Ids) -> Iterator[Vectors]:
        """Yield the base's rows at these offsets, BLOCK of them at most at a time."""
        if len(offsets):
            store = VectorStore(self._base_folder)
            for start in range(0, len(offsets), BLOCK):
                yield store.read(offsets[start : start + BLOCK])


def _count_kept(base: Directory, deleted: Bools, added: int) -> int:
    """Count the base's segments, from the first on, that are not merged with the added rows.

    A segment is merged once as many rows have come after it, so that each row is copied as often
    as the blog doubles and there are as many segments as that.
    """
    if deleted.sum() > DELETED_SHARE * len(deleted):
        return 0
    kept = len(base.counts)
    while kept and added and base.counts[kept - 1] <= added:
        kept -= 1
        added += int(base.counts[kept])
    return kept
