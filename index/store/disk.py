"""Files of an index on disk, and functions that read, replace and share them.

INDEX/
  CURRENT                 the current generation's name, replaced by an atomic rename
  generations/000042/     immutable once CURRENT names it
    manifest.json         what this generation is, with a checksum for every other file; begun first
    vectors/              the vectors of chunks (`index.vectors`); most of it shared
    lexical/              tantivy
    chunks.db             SQLite: posts, chunks, metadata for filters, newer chunks' texts
    texts.db              SQLite: texts of most chunks; shared with other generations
    overview.json         what the blog is, in numbers
  embeddings.db           SQLite: (embedder, text) → vector; survives rebuilds
  last_ingest.json        the content folder as the last ingest saw it
  lock, watch.lock        one writer and one watching process at a time
"""

import errno
import os
import re
import shutil
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import TypeAlias

from blog_search_mcp.index.errors import IndexProblem

GENERATION_NAME = re.compile("[0-9]{6,17}")
"""Pattern of the name of a generation's folder; a number of 17 digits fits into 64 bits."""
DEFAULT_FOLDER = ".blog-index"
"""Default folder of an index, in the current folder."""
MANIFEST_HEAD = b'{"format": '
"""First bytes of a manifest of any format; a new generation begins with them."""


def require_own(paths: Iterable[Path], *kinds: int) -> None:
    """Raise IndexProblem if a path exists and is a link or not of these kinds (`stat.S_IFMT`)."""
    for path in paths:
        with suppress(OSError):
            if stat.S_IFMT(path.lstat().st_mode) not in kinds:
                raise IndexProblem(
                    f"The index cannot be used: {path.name:.80} is a link, or no such file as this "
                    "program makes. Delete that, or name another folder with --index DIR."
                )


class GenerationFiles:
    """The files of one generation."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest = folder / "manifest.json"
        self.vectors = folder / "vectors"
        self.lexical = folder / "lexical"
        self.catalog = folder / "chunks.db"
        self.texts = folder / "texts.db"
        self.overview = folder / "overview.json"

    def require_own(self) -> None:
        """Raise IndexProblem if anything inside is a link, or neither a file nor a folder."""
        parts, kinds = (self.vectors, self.lexical), (stat.S_IFREG, stat.S_IFDIR)
        names = (self.manifest, self.catalog, self.texts, self.overview)
        require_own((self.folder, *parts, *names), *kinds)
        for above, folders, files in chain.from_iterable(map(os.walk, parts)):
            require_own(map(Path(above).joinpath, (*folders, *files)), *kinds)


_FILES = (
    *("CURRENT", "CURRENT.next", "last_ingest.json", "last_ingest.json.next", "lock", "watch.lock"),
    *("embeddings.db", "embeddings.db-wal", "embeddings.db-shm", "embeddings.db-journal"),
)


class Layout:
    """The files of an index folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.current = root / "CURRENT"
        self.generations = root / "generations"
        self.cache = root / "embeddings.db"
        self.last_ingest = root / "last_ingest.json"
        self.lock = root / "lock"

    def generation(self, number: int) -> GenerationFiles:
        """Return the files of a generation."""
        return GenerationFiles(self.generations / f"{number:06d}")

    def numbers(self) -> list[int]:
        """List our generations' numbers, ascending, finished or not. Raises OSError."""
        return sorted(int(folder.name) for folder in self._list_numbered() if _is_ours(folder))

    def require_own(self) -> None:
        """Raise IndexProblem if one of our names is a link or of a wrong kind."""
        require_own(map(self.root.joinpath, _FILES), stat.S_IFREG)
        with suppress(OSError):  # of a folder that is not there or may not be read
            require_own(chain([self.generations], self._list_numbered()), stat.S_IFDIR)

    def _list_numbered(self) -> Iterator[Path]:
        for folder in self.generations.iterdir():
            if GENERATION_NAME.fullmatch(folder.name):
                yield folder


def _is_ours(folder: Path) -> bool:
    files, head = GenerationFiles(folder), b""
    parts = {files.vectors, files.lexical, files.catalog, files.texts, files.overview}
    if files.manifest.is_file() and not files.manifest.is_symlink():
        parts.add(files.manifest)
        with files.manifest.open("rb") as file:
            head = file.read(len(MANIFEST_HEAD))
    # A kill may come before the manifest is written, or after it is deleted.
    is_cut = MANIFEST_HEAD.startswith(head) and folder.is_dir()
    return head == MANIFEST_HEAD or (is_cut and parts.issuperset(folder.iterdir()))


def replace_file(path: Path, content: bytes) -> None:
    """Replace or create a file with this content, forced to disk, in one step. Raises OSError.

    Nothing is written into the old file. A file with the temporary name is deleted first.
    """
    following = path.with_name(f"{path.name}.next")
    following.unlink(missing_ok=True)
    with following.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    # Windows refuses to rename over a file that is open, and servers open CURRENT, for less than a
    # millisecond, at every request.
    for _ in range(19):
        with suppress(PermissionError):
            following.replace(path)
            return
        time.sleep(0.05)
    following.replace(path)


Stamp: TypeAlias = tuple[int, ...]
"""Stamp of the live generation: its number, then numbers that change with each switch."""
FileStamp: TypeAlias = tuple[int, int, int]
"""Inode, size in bytes, and time in ns since 1970 of the last change of content. The time of the
last change of status is not used: it changes with each link to the file."""


def read_stamp(path: Path) -> FileStamp | None:
    """Read the stamp of a file or link, `None` if there is none or it cannot be read."""
    with suppress(OSError):
        status = path.lstat()
        return status.st_ino, status.st_size, status.st_mtime_ns
    return None


def refuse_place(layout: Layout, error: Exception) -> None:
    """Raise IndexProblem if `error` means that no index can be read or made at this place."""
    denied, blocked = (errno.EACCES, errno.EPERM, errno.ENAMETOOLONG), (errno.ENOTDIR, errno.EEXIST)
    if isinstance(error, OSError) and error.errno in (*denied, *blocked):
        raise IndexProblem(
            f"The index folder {layout.root.name:.80} cannot be used: {os.strerror(error.errno)}. "
            "Move a file there away, give this account the permission, or name another folder with "
            "--index DIR."
        ) from error


def make_disk_error(error: Exception) -> IndexProblem:
    """Make the error for an index that could not be written."""
    reason = getattr(error, "strerror", None)
    return IndexProblem(
        f"The index could not be written{f': {reason}' if reason else ''}. Nothing in it has "
        "changed; check the disk's space and the folder's permissions, then run again."
    )


def link_or_copy(earlier: Path, later: Path) -> None:
    """Share a file between generations, or copy it if the disk has no links. Raises OSError.

    The file must never change, since the manifests of both generations have its checksum.
    """
    try:
        os.link(earlier, later)
    except OSError:
        shutil.copyfile(earlier, later)
