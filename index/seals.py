"""Whether the files of a generation are those that its manifest seals: files in, refusal or not.

Everything is hashed before FAISS, tantivy or SQLite see it: FAISS's C++ may abort the process
on a torn file. An ingest never changes a file in place, but something else may, and a mapped
file that was cut short ends the process with SIGBUS when its lost end is read (mmap(2)), which
no library can catch. So sizes and times are looked at again before each request, which leaves
the instant between the look and the read, and the time of a request itself, without a guard.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from pathlib import Path
from typing import TypeAlias

from index.errors import IndexBroken
from index.layout import GenerationFiles
from index.manifest import REBUILD, Manifest, Seal

_BLOCK = 1 << 20

_Stamp: TypeAlias = tuple[int, int, int]
"""Inode, size in bytes, time of last change in nanoseconds since 1970."""


class Guard:
    """Knows the files of one generation as they were when their checksums held."""

    def __init__(self, files: GenerationFiles, manifest: Manifest) -> None:
        """Verify every file. Raises IndexBroken."""
        self._files = files
        self._seals = manifest.files
        self._paths = {name: files.folder / name for name in manifest.files}
        self._manifest = _stamp(files.manifest)
        self._stamps = self._stamped()
        verify(files, manifest)

    @property
    def replaced(self) -> bool:
        """Whether the folder now holds another generation of the same number.

        So it is after the index was deleted and made again, which counts from 1 again.
        """
        return _stamp(self._files.manifest) not in (None, self._manifest)

    def check(self) -> None:
        """Raise IndexBroken if a file is no longer what was opened.

        A file that is gone is none of the changed: a generation that is no longer kept stays
        readable for those who opened it. One that was only touched is verified again.
        """
        now = self._stamped()
        for name, stamp in now.items():
            if self._stamps.get(name) != stamp:
                _verify_one(self._files, name, self._seals[name])
        self._stamps |= now

    def _stamped(self) -> dict[str, _Stamp]:
        stamps = {name: _stamp(path) for name, path in self._paths.items()}
        return {name: stamp for name, stamp in stamps.items() if stamp is not None}


def verify(files: GenerationFiles, manifest: Manifest) -> None:
    """Compare every file with its seal. Raises IndexBroken at the first that differs."""
    for name in files.needed:
        if name not in manifest.files:
            raise IndexBroken(f"The index's manifest.json does not seal {name}. {REBUILD}")
    for name, seal in manifest.files.items():
        _verify_one(files, name, seal)


def sealed(path: Path) -> Seal:
    """The seal of a file as it is now. Raises OSError."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return Seal(size=path.stat().st_size, sha256=digest.hexdigest())


def text_of(path: Path, most: int, encoding: str) -> str:
    """The text of a file of at most `most` bytes. Raises OSError or UnicodeDecodeError."""
    if _size(path) > most:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    return path.read_text(encoding)


def _stamp(path: Path) -> _Stamp | None:
    """The file's, `None` if there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def _verify_one(files: GenerationFiles, name: str, seal: Seal) -> None:
    path = files.folder / name
    try:
        same = _size(path) == seal.size and sealed(path) == seal
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
