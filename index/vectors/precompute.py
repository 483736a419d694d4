"""What is worked out of vectors and chunks when a generation is made, so that no search has to.

The vectors and the catalog of the new generation are there; what the one before worked out is
taken over for the chunks they have in common, since chunk ids are never used twice.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from blog_search_mcp.index.store import chunk_table
from blog_search_mcp.index.store.catalog import open_catalog
from blog_search_mcp.index.vectors import norms as sums
from blog_search_mcp.index.vectors import rabitq as first_pass
from blog_search_mcp.index.vectors.memmap import rows_of
from blog_search_mcp.index.vectors.norms import Sums, lengths_of, sums_of, total_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from blog_search_mcp.index.store.chunk_table import ChunkTable
    from blog_search_mcp.index.store.layout import GenerationFiles
    from blog_search_mcp.index.types import Ids, Vectors
    from blog_search_mcp.index.vectors.memmap import VectorRows


def write(files: GenerationFiles, before: GenerationFiles | None, gone: Sequence[int]) -> None:
    """Write `files.table`, `files.sums` and `files.first_pass`.

    `before` is the generation whose chunks were taken over, if any, but those that are `gone`.
    Raises OSError or RuntimeError.
    """
    table = _table(files, before, gone)
    chunk_table.write(files.table, table)
    now = rows_of(files)
    owners = table.posts_of(now.ids)
    change = _change(now, before, gone) if before is not None else None
    found = sums_of(now, owners) if change is None else _sums_after(change, owners)
    sums.write(files.sums, found)
    mean = found.total / max(len(now.ids), 1)
    if change is None or not first_pass.write_changed(
        files.first_pass, change.files.first_pass, change.gone, change.added, mean
    ):
        first_pass.write(files.first_pass, mean, now.blocks())


def _table(
    files: GenerationFiles, before: GenerationFiles | None, gone: Sequence[int]
) -> ChunkTable:
    earlier = chunk_table.read(before.table) if before is not None else None
    with closing(open_catalog(files)) as catalog:
        if earlier is None or not len(earlier.chunks):
            return catalog.chunk_table()
        last = int(earlier.chunks[-1])
        return catalog.chunk_table(last, chunk_table.without(earlier, _ids(gone)))


@dataclass(frozen=True, slots=True)
class _Change:
    """How the vectors differ from those of the generation before."""

    files: GenerationFiles
    """The generation before's."""
    earlier: VectorRows
    gone: Ids
    """Places in `earlier`, ascending."""
    now: VectorRows
    kept: int
    """Vectors of `now` that `earlier` has too; those after them are new."""

    @property
    def added(self) -> Vectors:
        """The new vectors."""
        return self.now.run(self.kept, len(self.now.ids))


def _change(now: VectorRows, before: GenerationFiles, gone: Sequence[int]) -> _Change:
    earlier = rows_of(before)
    is_gone = np.isin(earlier.ids, _ids(gone))
    return _Change(before, earlier, np.flatnonzero(is_gone), now, int((~is_gone).sum()))


def _sums_after(change: _Change, owners: Ids) -> Sums:
    before, dimension = sums.read(change.files.sums), change.now.dimension
    gone = total_of([change.earlier.at(change.gone)], dimension)
    total = before.total - gone + total_of([change.added], dimension)
    posts = np.unique(owners[: change.kept])
    added, counts = np.unique(owners[change.kept :], return_counts=True)
    lengths = (before.lengths_of(posts), lengths_of(change.added, counts))
    return Sums(total, np.concatenate([posts, added]), np.concatenate(lengths))


def _ids(numbers: Sequence[int]) -> Ids:
    return np.asarray(numbers, dtype=np.int64)
