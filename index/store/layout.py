"""The layout of an index on disk: one typed object that names every file.

INDEX/
  CURRENT                 the current generation's name, replaced by an atomic rename
  generations/000042/     immutable once CURRENT names it
    manifest.json         what this generation is, with a checksum for every other file
    vectors/              the vectors of chunks (`index.vectors`); most of it shared
    lexical/              tantivy
    chunks.db             SQLite: posts, chunks, metadata for filters, newer chunks' texts
    texts.db              SQLite: texts of most chunks; shared with other generations
    table.npz             which chunk is whose
    overview.json         what the blog is, in numbers
  embeddings.db           SQLite: (embedder, text) → vector; survives rebuilds
  last_ingest.json        the content folder as the last ingest saw it
  lock                    one writer at a time
  readers/                one locked file for each generation that a process has open
"""

from __future__ import annotations

import errno
import os
import re
import stat
from pathlib import Path
from typing import TypeAlias

GENERATION_NAME = re.compile("[0-9]{6,17}")
"""A folder of any other name is not ours; 17 digits fit wherever integers do."""

LARGEST_CURRENT = 1 << 16
"""Bytes; CURRENT is one line of ours."""

DEFAULT_FOLDER = ".blog-index"
"""Where the index lies unless the author says otherwise, below the current folder."""


class GenerationFiles:
    """The files of one generation."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest = folder / "manifest.json"
        self.vectors = folder / "vectors"
        self.lexical = folder / "lexical"
        self.catalog = folder / "chunks.db"
        self.texts = folder / "texts.db"
        self.table = folder / "table.npz"
        self.overview = folder / "overview.json"


class Layout:
    """The files of an index folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.current = root / "CURRENT"
        self.generations = root / "generations"
        self.cache = root / "embeddings.db"
        self.last_ingest = root / "last_ingest.json"
        self.lock = root / "lock"
        self.readers = root / "readers"

    def generation(self, number: int) -> GenerationFiles:
        """Return the files of generation `number`."""
        return GenerationFiles(self.generations / generation_name(number))


def generation_name(number: int) -> str:
    """Write `000042`, which sorts as it counts."""
    return f"{number:06d}"


FileStamp: TypeAlias = tuple[int, int, int]
"""Inode, size in bytes, time of the last change of content in ns since 1970: what a write changes.
The time of the last change of status would change with every further link to the file."""


def stamp_of(status: os.stat_result) -> FileStamp:
    """Return the stamp of a file with this status."""
    return status.st_ino, status.st_size, status.st_mtime_ns


def read_stamp(path: Path) -> FileStamp | None:
    """Read a file's stamp, `None` if there is no such file."""
    try:
        return stamp_of(path.stat())
    except OSError:
        return None


def regular_size(path: Path) -> int:
    """Return the bytes of a regular file. Raises OSError for anything else."""
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "Not a regular file")
    return status.st_size


def read_regular(path: Path, most: int) -> bytes:
    """Read a regular file of at most `most` bytes. Raises OSError, and reads nothing of any other.

    A pipe would never end, nor would a device.
    """
    if regular_size(path) > most:
        raise OSError(errno.EFBIG, "Too large")
    return path.read_bytes()
