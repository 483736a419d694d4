"""Checksums of a generation's files: nothing reaches FAISS, tantivy or SQLite unverified.

FAISS's C++ may abort the process on a torn file. A small file is hashed. A large one is hashed
too, unless it lies there unmodified since its checksum was taken (inode, size, time): whoever
writes to a file changes its time. Only who sets that back, or a disk that lost a bit, is not seen
by that; so these files are hashed in the background once serving has begun, and refused from then
on. An index that was copied has other inodes and is hashed at every opening.

An ingest never changes a file in place, but something else may, and a mapped file that was cut
short ends the process with SIGBUS when its lost end is read (mmap(2)), which no library can catch.
So sizes and times are compared again before each request, which leaves the instant between that
and the read, and the time of a request itself, without a guard.
"""

from __future__ import annotations

import errno
import hashlib
import logging
import os
import stat
import threading
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

from blog_search_mcp.index.errors import IndexBroken
from blog_search_mcp.index.store.layout import GenerationFiles
from blog_search_mcp.index.store.manifest import REBUILD, Checksum, FileStamp, Manifest

_BLOCK = 1 << 20

LARGE = 1 << 20
"""Bytes from which on an unmodified file is hashed in the background: the smaller ones of a
generation take a few milliseconds together."""

LATER = 5.0
"""Seconds after the opening until that begins, so that the first searches have the machine."""

log = logging.getLogger(__name__)


class Guard:
    """Verifies the files of one generation when it is opened, and notices when one changes."""

    def __init__(self, files: GenerationFiles, manifest: Manifest) -> None:
        """Verify every file, some of them later. Raises IndexBroken."""
        self._files = files
        self._checksums = manifest.files
        self._paths = {name: files.folder / name for name in manifest.files}
        self._manifest = _stamp(files.manifest)
        self._stamps, self._changes = self._read_stamps()
        self._damage: IndexBroken | None = None
        self._scheduling = threading.Lock()
        self._scheduled: set[str] = set()
        later = [name for name in self._checksums if self._may_wait(name)]
        verify(files, manifest, later)
        self._verify_later(later)

    @property
    def replaced(self) -> bool:
        """Whether the folder now holds another generation of the same number.

        So it is after the index was deleted and made again, which counts from 1 again.
        """
        return _stamp(self._files.manifest) not in (None, self._manifest)

    def check(self) -> None:
        """Raise IndexBroken if a file is no longer what was opened.

        A file that is gone is none of the changed: a generation that is no longer kept stays
        readable for those who opened it. One that was only touched is verified again; one that
        was linked to, or whose time was set back, a little later.
        """
        if self._damage is not None:
            raise self._damage
        now, changes = self._read_stamps()
        for name, stamp in now.items():
            if self._stamps.get(name) != stamp:
                _verify_one(self._files, name, self._checksums[name])
        later = [name for name, at in changes.items() if self._changes.get(name) != at]
        self._stamps |= now
        self._changes |= changes
        self._verify_later(later)

    def _may_wait(self, name: str) -> bool:
        checksum = self._checksums[name]
        return checksum.size >= LARGE and _matches(checksum, self._stamps.get(name))

    def _verify_later(self, names: Iterable[str]) -> None:
        """Have these files hashed, with all others that are scheduled until that begins."""
        with self._scheduling:
            is_first = not self._scheduled
            self._scheduled |= set(names)
            if is_first and self._scheduled:
                timer = threading.Timer(LATER, self._verify_scheduled)
                timer.daemon = True
                timer.start()

    def _verify_scheduled(self) -> None:
        """Hash the scheduled files; one that is gone by now was needed by nobody."""
        with self._scheduling:
            names, self._scheduled = self._scheduled, set()
        try:
            for name in sorted(names):
                if _stamp(self._paths[name]) is not None:
                    _verify_one(self._files, name, self._checksums[name])
        except IndexBroken as error:
            log.warning("%s", error)
            self._damage = error

    def _read_stamps(self) -> tuple[dict[str, FileStamp], dict[str, int]]:
        """By name, the stamp of each file that is there, and when its status changed last."""
        stamps, changes = {}, {}
        for name, path in self._paths.items():
            with suppress(OSError):
                status = path.stat()
                stamps[name], changes[name] = _stamp_of(status), status.st_ctime_ns
        return stamps, changes


def verify(files: GenerationFiles, manifest: Manifest, but: Collection[str] = ()) -> None:
    """Compare every file `but` these with its checksum; raise IndexBroken if one differs."""
    for name, checksum in manifest.files.items():
        if name not in but:
            _verify_one(files, name, checksum)


def verify_if_modified(files: GenerationFiles, manifest: Manifest) -> None:
    """Verify every file if one was modified after the manifest, which is last, was written.

    What a disk alone has changed is left to whoever opens the files. Raises IndexBroken.
    """
    written = files.manifest.stat().st_mtime_ns
    checksums = manifest.files.items()
    if not all(_is_older(files.folder / name, checksum, written) for name, checksum in checksums):
        verify(files, manifest)


@contextmanager
def verifying(files: GenerationFiles, manifest: Manifest) -> Iterator[Callable[[], None]]:
    """Verify every file in another thread while the block copies from them.

    Yields a function that waits for it and raises IndexBroken if a file is damaged: call it before
    the block ends, since its bytes would else get a good checksum in the copy. An error of the
    block waits too: a damaged file is the reason of whatever its reader raised.
    """
    with ThreadPoolExecutor(1, thread_name_prefix="verify") as thread:
        verified = thread.submit(verify, files, manifest)
        try:
            yield verified.result
        except Exception:
            verified.result()
            raise


def is_unmodified(path: Path, checksum: Checksum) -> bool:
    """Whether nobody has written to the file since its checksum was taken, by its time."""
    return _matches(checksum, _stamp(path))


def checksum_of(path: Path) -> Checksum:
    """Take the checksum of a file as it is now. Raises OSError."""
    sha256, status = _sha256(path), path.stat()
    return Checksum(size=status.st_size, sha256=sha256, stamp=_stamp_of(status))


def read_text(path: Path, most: int, encoding: str) -> str:
    """Read a file of at most `most` bytes. Raises OSError or UnicodeDecodeError."""
    if _size(path) > most:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    return path.read_text(encoding)


def _matches(checksum: Checksum, stamp: FileStamp | None) -> bool:
    known = checksum.stamp
    return known is not None and known == stamp and known[1] == checksum.size


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def _stamp(path: Path) -> FileStamp | None:
    try:
        return _stamp_of(path.stat())
    except OSError:
        return None


def _stamp_of(status: os.stat_result) -> FileStamp:
    return status.st_ino, status.st_size, status.st_mtime_ns


def _verify_one(files: GenerationFiles, name: str, checksum: Checksum) -> None:
    path = files.folder / name
    try:
        is_same = _size(path) == checksum.size and _sha256(path) == checksum.sha256
    except OSError as error:
        raise IndexBroken(f"The index's {name} cannot be read. {REBUILD}") from error
    if not is_same:
        raise IndexBroken(f"The index's {name} is damaged. {REBUILD}")


def _size(path: Path) -> int:
    """Bytes of a regular file; anything else is refused unopened, since a pipe waits for ever."""
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "Not a regular file")
    return status.st_size


def _is_older(path: Path, checksum: Checksum, written: int) -> bool:
    """Whether the file has its size, and was changed last before that instant."""
    try:
        status = path.stat()
    except OSError:
        return False
    return status.st_size == checksum.size and status.st_mtime_ns < written
