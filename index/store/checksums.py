"""Whether the files of a generation are those that its manifest seals: files in, refusal or not.

Nothing reaches FAISS, tantivy or SQLite unlooked at: FAISS's C++ may abort the process on a torn
file. A small file is hashed. A large one is hashed too, unless it lies there exactly as it did
when it was sealed (inode, size, time): whoever writes to a file changes its time. Only who sets
that back, or a disk that lost a bit, is not seen by that; so these files are hashed in the
background once serving has begun, and refused from then on. An index that was copied has other
inodes and is hashed at every opening.

An ingest never changes a file in place, but something else may, and a mapped
file that was cut short ends the process with SIGBUS when its lost end is read (mmap(2)), which
no library can catch. So sizes and times are looked at again before each request, which leaves
the instant between the look and the read, and the time of a request itself, without a guard.
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
from blog_search_mcp.index.store.manifest import REBUILD, Manifest, Seal, Stamp

_BLOCK = 1 << 20

LARGE = 1 << 20
"""Bytes from which on a file that lies as it was sealed is hashed in the background: the
smaller ones of a generation take a few milliseconds together."""

LATER = 5.0
"""Seconds after the opening until that begins, so that the first searches have the machine."""

log = logging.getLogger(__name__)


class Guard:
    """Knows the files of one generation as they were when their checksums held."""

    def __init__(self, files: GenerationFiles, manifest: Manifest) -> None:
        """Verify every file, some of them later. Raises IndexBroken."""
        self._files = files
        self._seals = manifest.files
        self._paths = {name: files.folder / name for name in manifest.files}
        self._manifest = _stamp(files.manifest)
        self._stamps, self._changes = self._looked()
        self._refusal: IndexBroken | None = None
        self._asking = threading.Lock()
        self._asked: set[str] = set()
        later = [name for name in self._seals if self._lies_as_sealed(name)]
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
        if self._refusal is not None:
            raise self._refusal
        now, changes = self._looked()
        for name, stamp in now.items():
            if self._stamps.get(name) != stamp:
                _verify_one(self._files, name, self._seals[name])
        later = [name for name, at in changes.items() if self._changes.get(name) != at]
        self._stamps |= now
        self._changes |= changes
        self._verify_later(later)

    def _lies_as_sealed(self, name: str) -> bool:
        seal = self._seals[name]
        return seal.size >= LARGE and _is_as_sealed(seal, self._stamps.get(name))

    def _verify_later(self, names: Iterable[str]) -> None:
        """Have these files hashed, with all others that are asked for until that begins."""
        with self._asking:
            begins = not self._asked
            self._asked |= set(names)
            if begins and self._asked:
                begin = threading.Timer(LATER, self._verify)
                begin.daemon = True
                begin.start()

    def _verify(self) -> None:
        """Hash the files asked for; one that is gone by now was needed by nobody."""
        with self._asking:
            names, self._asked = self._asked, set()
        try:
            for name in sorted(names):
                if _stamp(self._paths[name]) is not None:
                    _verify_one(self._files, name, self._seals[name])
        except IndexBroken as error:
            log.warning("%s", error)
            self._refusal = error

    def _looked(self) -> tuple[dict[str, Stamp], dict[str, int]]:
        """By name, the stamp of each file that is there, and when its status changed last."""
        stamps, changes = {}, {}
        for name, path in self._paths.items():
            with suppress(OSError):
                status = path.stat()
                stamps[name], changes[name] = _stamp_of(status), status.st_ctime_ns
        return stamps, changes


def verify_some(files: GenerationFiles, manifest: Manifest, names: Iterable[str]) -> None:
    """Compare these files with their seals; raise IndexBroken if one differs."""
    for name in names:
        _verify_one(files, name, manifest.files[name])


def verify(files: GenerationFiles, manifest: Manifest, but: Collection[str] = ()) -> None:
    """Compare every file `but` these with its seal; raise IndexBroken if one differs."""
    for name in files.needed:
        if name not in manifest.files:
            raise IndexBroken(f"The index's manifest.json does not seal {name}. {REBUILD}")
    for name, seal in manifest.files.items():
        if name not in but:
            _verify_one(files, name, seal)


def lies_as_sealed(path: Path, seal: Seal) -> bool:
    """Whether nobody has written to the file since it was sealed, as far as its time tells."""
    return _is_as_sealed(seal, _stamp(path))


def _is_as_sealed(seal: Seal, stamp: Stamp | None) -> bool:
    return seal.stamp is not None and seal.stamp == stamp and stamp[1] == seal.size


def sealed(path: Path) -> Seal:
    """The seal of a file as it is now. Raises OSError."""
    sha256, status = _hashed(path), path.stat()
    return Seal(size=status.st_size, sha256=sha256, stamp=_stamp_of(status))


def _hashed(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def text_of(path: Path, most: int, encoding: str) -> str:
    """The text of a file of at most `most` bytes. Raises OSError or UnicodeDecodeError."""
    if _size(path) > most:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    return path.read_text(encoding)


def _stamp(path: Path) -> Stamp | None:
    """The file's, `None` if there is none."""
    try:
        return _stamp_of(path.stat())
    except OSError:
        return None


def _stamp_of(status: os.stat_result) -> Stamp:
    return status.st_ino, status.st_size, status.st_mtime_ns


def _verify_one(files: GenerationFiles, name: str, seal: Seal) -> None:
    path = files.folder / name
    try:
        same = _size(path) == seal.size and _hashed(path) == seal.sha256
    except OSError as error:
        raise IndexBroken(f"The index's {name} cannot be read. {REBUILD}") from error
    if not same:
        raise IndexBroken(f"The index's {name} is damaged. {REBUILD}")


def _size(path: Path) -> int:
    """Bytes of a regular file; anything else is refused unopened, since a pipe waits for ever."""
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "Not a regular file")
    return status.st_size


def verify_unless_untouched(files: GenerationFiles, manifest: Manifest) -> None:
    """Verify every file if one is not as it lay when the manifest, which is last, was written.

    What a disk alone has changed is left to whoever opens the files. Raises IndexBroken.
    """
    if not _is_untouched(files, manifest):
        verify(files, manifest)


@contextmanager
def verifying(
    files: GenerationFiles, manifest: Manifest, linked: Collection[str]
) -> Iterator[Callable[[], None]]:
    """Verify every file but the `linked` ones while the block copies from them.

    Call what it gives before the block ends: that waits, and raises IndexBroken if a file is
    damaged, since its bytes would else be sealed in the copy. A linked file keeps the seal that
    it has, so whoever opens it verifies it. After an error of the block they are all verified:
    a damaged file is the reason of whatever its reader said.
    """
    with ThreadPoolExecutor(1, thread_name_prefix="verify") as thread:
        whole = thread.submit(verify, files, manifest, linked)
        try:
            yield whole.result
        except Exception:
            whole.result()
            verify_some(files, manifest, linked)
            raise


def _is_untouched(files: GenerationFiles, manifest: Manifest) -> bool:
    written = files.manifest.stat().st_mtime_ns
    sealed = manifest.files.items()
    lie = all(_lies(files.folder / name, seal, written) for name, seal in sealed)
    return lie and not set(files.needed) - manifest.files.keys()


def _lies(path: Path, seal: Seal, written: int) -> bool:
    """Whether the file has its sealed size, and was changed last before that instant."""
    try:
        status = path.stat()
    except OSError:
        return False
    return status.st_size == seal.size and status.st_mtime_ns < written
