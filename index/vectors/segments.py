"""How a generation's vectors lie in its `vectors/` folder.

    000007.npy        rows of unit vectors, float32: a segment, never changed once written
    000007.rabitq     its RaBitQ codes, if it has `rabitq.MANY` rows
    directory.npz     which segments there are, whose their rows are and which are deleted

A segment bears the number of the generation that wrote it; the generations after it have it too,
as a hard link, until it is merged with others into a new one. Only the directory, some 30 bytes a
vector, is written with each generation.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from blog_search_mcp.index.types import Ids, Vectors

    Bools = npt.NDArray[np.bool_]
    Floats = npt.NDArray[np.float64]

BLOCK = 4096
"""Rows that are copied or added up at a time."""

_DIRECTORY = "directory.npz"


@dataclass(frozen=True, slots=True)
class Directory:
    """Rows stand in the order of segments, ascending by chunk id, deleted ones too."""

    segments: Ids
    """Numbers of the segments, ascending."""
    counts: Ids
    """Rows in each, deleted ones too."""
    ids: Ids
    """By row, the chunk that the vector is of."""
    deleted: Bools
    """By row, whether it no longer counts: a tombstone."""
    total: Floats
    """Sum of the rows that are not deleted, of shape (dimension,)."""
    posts: Ids
    """Ids of the posts that have vectors, ascending."""
    norms: Floats
    """For each of them the length of its vectors' sum."""

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return len(self.total)

    @property
    def live(self) -> int:
        """How many rows count."""
        return len(self.ids) - int(self.deleted.sum())

    def norms_of(self, post_ids: Ids) -> Floats:
        """Look up the norms of these posts; 0 for one without vectors."""
        norms = np.zeros(len(post_ids))
        known = np.isin(post_ids, self.posts)
        norms[known] = self.norms[np.searchsorted(self.posts, post_ids[known])]
        return norms


def empty_directory(dimension: int) -> Directory:
    """Make the directory of no vectors."""
    none, floats = np.zeros(0, dtype=np.int64), np.zeros(0)
    return Directory(none, none, none, none.astype(bool), np.zeros(dimension), none, floats)


def read_directory(folder: Path) -> Directory:
    """Read the directory, whose checksum holds. Raises OSError or ValueError."""
    with np.load(folder / _DIRECTORY, allow_pickle=False) as found:
        return Directory(*(found[name] for name in found.files))


def write_directory(folder: Path, directory: Directory) -> None:
    """Write the directory. Raises OSError."""
    columns = (getattr(directory, name) for name in Directory.__slots__)
    with (folder / _DIRECTORY).open("wb") as file:
        np.savez(file, *columns)


def rows_path(folder: Path, segment: int) -> Path:
    """Return where the rows of a segment lie."""
    return folder / f"{segment:06d}.npy"


def codes_path(folder: Path, segment: int) -> Path:
    """Return where the RaBitQ codes of a segment lie, if it has any."""
    return folder / f"{segment:06d}.rabitq"


def map_rows(path: Path) -> Vectors:
    """Map a segment's rows into memory. Raises OSError or ValueError."""
    return np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))


def blocks_of(rows: Vectors) -> Iterator[Vectors]:
    """Yield all rows in order, BLOCK of them at a time."""
    return (rows[start : start + BLOCK] for start in range(0, len(rows), BLOCK))


def load_rows(folder: Path) -> tuple[Ids, Vectors]:
    """Copy all vectors that count, and the chunk that each is of: for tests and measurements."""
    directory = read_directory(folder)
    parts = [map_rows(rows_path(folder, number)) for number in directory.segments.tolist()]
    rows = np.concatenate([np.zeros((0, directory.dimension), dtype=np.float32), *parts])
    return directory.ids[~directory.deleted], rows[~directory.deleted]
