"""The chunk table: which chunk is whose, in columns, for thousands of chunks in one step.

Every search looks up the chunks it found and all chunks of their posts. Each such query costs
SQLite milliseconds; the whole table takes 28 bytes a chunk. It is written with a generation,
since reading it out of SQLite takes a tenth of a second for 24,000 chunks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from blog_search_mcp.index.types import Ids


@dataclass(frozen=True, slots=True)
class ChunkTable:
    """All chunks of one generation, in the order of posts and of chunks in them.

    A post's chunks get their ids after those of every earlier post, in their own order, so that
    ids ascend too.
    """

    chunks: Ids
    posts: Ids
    """By place, the post that the chunk is of."""
    readables: npt.NDArray[np.float64]
    """By place, how well the embedder reads it, in [0, 1]."""
    sections: npt.NDArray[np.int32]
    """By place, a number for the path of headings over it, which no other path in the same post
    has; 0 for one under none."""

    @property
    def mean_readable(self) -> float:
        """How well the embedder reads a chunk of this blog on average, in [0, 1]."""
        return float(self.readables.mean()) if len(self.readables) else 0.0

    def posts_of(self, chunk_ids: Ids) -> Ids:
        """Return the post of each of these chunks, which all exist."""
        found: Ids = self.posts[np.searchsorted(self.chunks, chunk_ids)]
        return found

    def of_posts(self, post_ids: Ids) -> tuple[Ids, Ids]:
        """Return all chunk ids of these posts, post by post in order, and how many each has."""
        first, last = (np.searchsorted(self.posts, post_ids, side=s) for s in ("left", "right"))
        counts = last - first
        offsets = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        return self.chunks[np.repeat(first, counts) + offsets], counts

    def chunks_of(self, post_ids: Sequence[int]) -> Ids:
        """Return all chunk ids of these posts, ascending."""
        found: Ids = self.chunks[np.isin(self.posts, np.asarray(post_ids, dtype=np.int64))]
        return found

    def readable(self, chunk_ids: Sequence[int]) -> list[float]:
        """Return how well the embedder reads each of these chunks, in [0, 1]."""
        places = np.searchsorted(self.chunks, np.asarray(chunk_ids, dtype=np.int64))
        found: list[float] = self.readables[places].tolist()
        return found

    def sections_of(self, chunk_ids: Ids) -> npt.NDArray[np.int32]:
        """Return a number for the path of headings over each of these chunks; 0 for none."""
        found: npt.NDArray[np.int32] = self.sections[np.searchsorted(self.chunks, chunk_ids)]
        return found


def chunk_table(rows: Sequence[Any]) -> ChunkTable:
    """Make the table of rows of chunk id, post id, readable and path, by post and place in it."""
    numbers: dict[str, int] = {"[]": 0}
    chunks, posts, readables, paths = zip(*rows, strict=True) if rows else ((), (), (), ())
    return ChunkTable(
        np.asarray(chunks, dtype=np.int64),
        np.asarray(posts, dtype=np.int64),
        np.asarray(readables, dtype=np.float64),
        np.asarray([numbers.setdefault(path, len(numbers)) for path in paths], dtype=np.int32),
    )


def write(path: Path, table: ChunkTable) -> None:
    """Write it. Raises OSError."""
    with path.open("wb") as file:
        np.savez(file, table.chunks, table.posts, table.readables, table.sections)


def read(path: Path) -> ChunkTable:
    """Read it. The caller has verified the file's checksum. Raises OSError or ValueError."""
    with np.load(path, allow_pickle=False) as found:
        return ChunkTable(*(found[name] for name in found.files))
