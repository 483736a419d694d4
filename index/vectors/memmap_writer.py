"""The vectors of the next generation: its base's segments, linked or merged, and one of its own.

Rows are written as they come, since an ingest must not hold the vectors of a large blog at once.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile

import numpy as np

from blog_search_mcp.index.store.disk import link_or_copy
from blog_search_mcp.index.types import Ids, Vectors
from blog_search_mcp.index.vectors.base import Bools, Floats
from blog_search_mcp.index.vectors.memmap_store import (
    BLOCK,
    MANY,
    Directory,
    blocks_of,
    codes_path,
    empty_directory,
    map_rows,
    read_directory,
    rows_path,
    write_codes,
    write_directory,
)

DELETED_SHARE = 0.1
"""Share of the rows that may be deleted; beyond it all segments are merged, which drops them."""


class MemmapWriter:
    """An unfinished store, complete once committed; implements VectorWriter."""

    def __init__(self, folder: Path, base: Path | None, dimension: int, generation: int) -> None:
        folder.mkdir()
        self._folder = folder
        self._base_folder = base
        self._base = read_directory(base) if base else empty_directory(dimension)
        self._number = generation
        self._pending = TemporaryFile(dir=folder)  # noqa: SIM115  # of the rows added so far
        self._ids: list[Ids] = []
        self._deleted: list[int] = []

    def add(self, chunk_ids: Ids, vectors: Vectors) -> None:
        """Append these vectors."""
        assert vectors.shape == (len(chunk_ids), self._base.dimension)
        self._ids.append(np.asarray(chunk_ids, dtype=np.int64))
        self._pending.write(np.ascontiguousarray(vectors, dtype="<f4").data)

    def delete(self, chunk_ids: Sequence[int]) -> None:
        """Leave out the vectors of these chunks."""
        self._deleted.extend(chunk_ids)

    def commit(self) -> None:
        """Complete the segment of this generation, link those that stay, write the directory."""
        base, new = self._base, np.concatenate([np.zeros(0, dtype=np.int64), *self._ids])
        gone = np.asarray(self._deleted, dtype=np.int64)
        deleted, refused = base.deleted | np.isin(base.ids, gone), np.isin(new, gone)
        kept = _count_kept(base, deleted, len(new))
        end = int(base.counts[:kept].sum())
        merged = end + np.flatnonzero(~deleted[end:])
        rows = self._write_segment(merged, len(new))
        self._pending.close()  # some systems list it until then
        self._link_segments(kept)
        added = rows[len(merged) :]
        added = added[~refused] if refused.any() else added
        dropped = self._base_rows(np.flatnonzero(deleted & ~base.deleted))
        own = [self._number] if len(rows) else []
        directory = Directory(
            segments=np.append(base.segments[:kept], np.asarray(own, dtype=np.int64)),
            counts=np.append(base.counts[:kept], np.asarray([len(rows)] * len(own), np.int64)),
            ids=np.concatenate([base.ids[:end], base.ids[merged], new]),
            deleted=np.concatenate([deleted[:end], np.zeros(len(merged), dtype=bool), refused]),
            total=base.total - self._sum(dropped) + self._sum(blocks_of(added)),
        )
        write_directory(self._folder, directory)

    def close(self) -> None:
        """Drop what was not committed."""
        with suppress(OSError):
            self._pending.close()

    def _write_segment(self, merged: Ids, added: int) -> Vectors:
        """Write the base's rows at these offsets and those added; map the segment."""
        count, path = len(merged) + added, rows_path(self._folder, self._number)
        shape = (count, self._base.dimension)
        if not count:
            return np.zeros(shape, dtype=np.float32)
        with path.open("wb") as file:
            header = {"descr": "<f4", "fortran_order": False, "shape": shape}
            np.lib.format.write_array_header_1_0(file, header)
            for rows in self._base_rows(merged):
                file.write(rows.data)
            self._pending.seek(0)
            shutil.copyfileobj(self._pending, file)
        rows = map_rows(path, *shape)
        if count >= MANY:
            mean = self._sum(blocks_of(rows)) / count
            write_codes(codes_path(self._folder, self._number), mean, blocks_of(rows))
        return rows

    def _link_segments(self, kept: int) -> None:
        for number, count in zip(self._base.segments[:kept], self._base.counts, strict=False):
            assert self._base_folder is not None
            for path_of in (rows_path, codes_path)[: 2 if count >= MANY else 1]:
                link_or_copy(path_of(self._base_folder, number), path_of(self._folder, number))

    def _base_rows(self, offsets: Ids) -> Iterator[Vectors]:
        """Yield the base's rows at these offsets, which ascend, BLOCK of them at most at a time."""
        start = 0
        for number, count in zip(self._base.segments, self._base.counts, strict=True):
            numbers = offsets[(offsets >= start) & (offsets < start + count)] - start
            start += count
            if len(numbers) and self._base_folder is not None:
                path = rows_path(self._base_folder, number)
                rows = map_rows(path, int(count), self._base.dimension)
                for first in range(0, len(numbers), BLOCK):
                    yield rows[numbers[first : first + BLOCK]]

    def _sum(self, blocks: Iterable[Vectors]) -> Floats:
        total = np.zeros(self._base.dimension)
        for rows in blocks:
            total += rows.sum(axis=0, dtype=np.float64)
        return total


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
