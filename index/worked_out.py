"""What is worked out from a generation's vectors when it is made, so that no search has to.

The vectors and the catalog of the new generation are there; what the one before worked out is
taken over for the chunks they have in common, since chunk ids are never used twice.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from index import first_pass, sums
from index.catalog import open_catalog
from index.sums import Sums, lengths_of, sums_of, total_of
from index.vectors import VectorSearcher

if TYPE_CHECKING:
    from index.embedder.base import Vectors
    from index.layout import GenerationFiles
    from index.vectors import Ids


def write(files: GenerationFiles, before: GenerationFiles | None) -> None:
    """Write `files.sums` and `files.first_pass`.

    `before` is the generation whose chunks were taken over, if any. Raises OSError or
    RuntimeError.
    """
    now = VectorSearcher(files.vectors)
    with closing(open_catalog(files.catalog)) as catalog:
        owners = catalog.chunk_table().posts_of(now.ids)
    change = _change(now, before) if before is not None else None
    found = sums_of(now.rows, owners) if change is None else _sums_after(change, owners)
    sums.write(files.sums, found)
    mean = found.total / max(len(now.ids), 1)
    if change is None or not first_pass.write_changed(
        files.first_pass, change.files.first_pass, change.gone, change.added, mean
    ):
        first_pass.write(files.first_pass, now.rows)


@dataclass(frozen=True, slots=True)
class _Change:
    """How the vectors differ from those of the generation before."""

    files: GenerationFiles
    """The generation before's."""
    earlier: VectorSearcher
    gone: Ids
    """Places in `earlier`, ascending."""
    now: VectorSearcher
    kept: int
    """Vectors of `now` that `earlier` has too; those after them are new."""

    @property
    def added(self) -> Vectors:
        """The new vectors."""
        return self.now.rows[self.kept :]


def _change(now: VectorSearcher, before: GenerationFiles) -> _Change | None:
    """The change; `None` if it cannot be told by the ids."""
    earlier = VectorSearcher(before.vectors)
    is_kept = np.isin(earlier.ids, now.ids)
    kept = earlier.ids[is_kept]
    if not np.array_equal(kept, now.ids[: len(kept)]):
        return None
    return _Change(before, earlier, np.flatnonzero(~is_kept), now, len(kept))


def _sums_after(change: _Change, owners: Ids) -> Sums:
    before = sums.read(change.files.sums)
    gone = total_of(change.earlier.rows[change.gone])
    total = before.total - gone + total_of(change.added)
    posts = np.unique(owners[: change.kept])
    added, counts = np.unique(owners[change.kept :], return_counts=True)
    lengths = (before.lengths_of(posts), lengths_of(change.added, counts))
    return Sums(total, np.concatenate([posts, added]), np.concatenate(lengths))
