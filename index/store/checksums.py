"""Checksums of a generation's files: nothing reaches FAISS, tantivy or SQLite unverified.

FAISS's C++ may abort the process on a torn file. Whoever writes to a file changes its time, so one
that lies there unmodified since its checksum was taken (inode, size, time) may be hashed later, by
which only who sets the time back, or a disk that lost a bit, is found. An index that was copied has
other inodes and is hashed at every opening.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from blog_search_mcp.index.errors import IndexBroken, IndexPlaceUnusable
from blog_search_mcp.index.store.layout import GenerationFiles, read_stamp, regular_size, stamp_of
from blog_search_mcp.index.store.manifest import REBUILD, Checksum, Manifest

_BLOCK = 1 << 20


def verify(files: GenerationFiles, manifest: Manifest, but: Collection[str] = ()) -> None:
    """Compare every file `but` these with its checksum; raise IndexBroken if one differs."""
    for name, checksum in manifest.files.items():
        if name not in but:
            verify_file(files, name, checksum)


def verify_if_modified(files: GenerationFiles, manifest: Manifest) -> None:
    """Verify every file if one was modified after the manifest, which is last, was written.

    What a disk alone has changed is left to whoever opens the files. Raises IndexBroken.
    """
    written = files.manifest.stat().st_mtime_ns
    for name, checksum in manifest.files.items():
        stamp = read_stamp(files.folder / name)
        if stamp is None or stamp[1] != checksum.size or stamp[2] >= written:
            verify(files, manifest)
            return


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
    return checksum.stamp is not None and read_stamp(path) == checksum.stamp


def checksum_of(path: Path) -> Checksum:
    """Take the checksum of a file as it is now. Raises OSError."""
    sha256, stamp = _sha256(path), stamp_of(path.stat())
    return Checksum(size=stamp[1], sha256=sha256, stamp=stamp)


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def verify_file(files: GenerationFiles, name: str, checksum: Checksum) -> None:
    """Compare one file with its checksum; raise IndexBroken if it differs.

    Raises IndexPlaceUnusable if this account may not read it.
    """
    path = files.folder / name
    try:
        is_same = regular_size(path) == checksum.size and _sha256(path) == checksum.sha256
    except PermissionError as error:
        raise IndexPlaceUnusable(
            f"This account may not read the index's {name}. Give it the permission, or name "
            "another folder with --index DIR."
        ) from error
    except OSError as error:
        raise IndexBroken(f"The index's {name} cannot be read. {REBUILD}") from error
    if not is_same:
        raise IndexBroken(f"The index's {name} is damaged. {REBUILD}")
