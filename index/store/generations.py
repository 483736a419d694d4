"""Generations: who reads and who writes them, and how the next one takes its place.

CURRENT is a one-line file replaced by an atomic rename, after everything it names is on disk
(fsync): a writer killed at any instruction leaves the old generation current. A generation that
somebody reads is kept, and so is the one before the current one until the next switch, for readers
that could not lock it.
"""

from __future__ import annotations

import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from filelock import FileLock, Timeout

from blog_search_mcp.index.errors import IndexBusy
from blog_search_mcp.index.store.disk import (
    GENERATION_NAME,
    GenerationFiles,
    Layout,
    generation_name,
    make_disk_error,
    quarantine,
    refuse_place,
)
from blog_search_mcp.index.store.manifest import (
    Checksum,
    Manifest,
    checksum_of,
    dumps,
    is_unmodified,
)

_LOCK_TIMEOUT = 1.0
"""Seconds; a lock file nobody else knows is refused only while `locked_generations` tries it."""

AT_ONCE = 4
"""Files that are hashed and waited for at once; Python holds no lock while it does either."""

SWITCH_ATTEMPTS = 20
SWITCH_PAUSE = 0.05
"""Seconds. Windows refuses to rename over a file that is open, and servers open CURRENT, for less
than a millisecond, at every request."""

BUSY = "Another ingest is writing to this index."
"""Begins the sentence by which a process that started an ingest knows of it."""


def lock_generation(layout: Layout, number: int) -> Callable[[], None]:
    """Keep generation `number` from being deleted, if the index can be written.

    What is returned ends that; it may be called from any thread, and a second time does nothing.
    An ingest that looked before may delete it all the same: it is safe only if CURRENT names
    it after this returns. Files of readers that were killed are deleted here too: a client may
    start a server a thousand times between two ingests.
    """
    lock = FileLock(
        layout.readers / f"{generation_name(number)}-{secrets.token_hex(8)}", thread_local=False
    )
    with suppress(OSError, Timeout):
        layout.readers.mkdir(exist_ok=True)
        _locked_generations(layout)
        lock.acquire(timeout=_LOCK_TIMEOUT)
    return partial(_release, lock)


def _locked_generations(layout: Layout) -> set[int]:
    """Return the generations that are being read; delete the locks of readers that ended."""
    if not layout.readers.is_dir():
        return set()
    numbers = ((path, path.name.partition("-")[0]) for path in layout.readers.iterdir())
    return {int(number) for path, number in numbers if number.isdecimal() and _is_locked(path)}


def _is_locked(path: Path) -> bool:
    lock = FileLock(path)
    try:
        lock.acquire(timeout=0)
    except (OSError, Timeout):
        return True
    _release(lock)
    return False


def _release(lock: FileLock) -> None:
    if lock.is_locked:
        lock.release()
        with suppress(OSError):  # whoever comes next deletes what stays
            Path(lock.lock_file).unlink()


@contextmanager
def writer_lock(layout: Layout) -> Iterator[None]:
    """Be the only writer. Raises IndexBusy at once if another ingest is."""
    lock = FileLock(layout.lock)
    try:
        layout.generations.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=0)
    except Timeout as error:
        raise IndexBusy(f"{BUSY} Wait until it has finished, then run again.") from error
    except OSError as error:
        refuse_place(layout, error)
        raise make_disk_error(error) from error
    try:
        yield
    finally:
        lock.release()


def checksum_files(files: GenerationFiles, earlier: Mapping[str, Checksum]) -> dict[str, Checksum]:
    """Take the checksums of everything written so far, which is on disk when this returns.

    `earlier` are the base generation's: a file that it shares has been forced to disk before.
    """
    written = [path for path in sorted(files.folder.rglob("*")) if path.is_file()]
    paths = [path for path in written if not path.name.endswith(".lock")]
    names = [path.relative_to(files.folder).as_posix() for path in paths]

    def checksum(name: str, path: Path) -> Checksum:
        known = earlier.get(name)
        if known is not None and is_unmodified(path, known):
            return known
        _sync(path)
        return checksum_of(path)

    with ThreadPoolExecutor(AT_ONCE) as threads:
        return dict(zip(names, threads.map(checksum, names, paths), strict=True))


def switch(layout: Layout, manifest: Manifest) -> None:
    """Write the manifest of a complete generation and make that generation the current one."""
    files = layout.generation(manifest.generation)
    files.manifest.write_text(dumps(manifest), encoding="utf-8")
    inner = sorted(path for path in files.folder.rglob("*") if path.is_dir())
    for path in (files.manifest, *inner, files.folder, layout.generations):
        _sync(path)
    following = layout.current.with_name("CURRENT.next")
    following.write_text(generation_name(manifest.generation) + "\n", encoding="ascii")
    _sync(following)
    if layout.current.is_dir():
        quarantine(layout.current)
    _rename_over(following, layout.current)
    with suppress(OSError):  # the switch has happened; both generations are on disk
        _sync(layout.root)


def _rename_over(new: Path, path: Path) -> None:
    """Rename `new` to `path`, when whoever reads that has closed it. Raises OSError."""
    for attempt in range(1, SWITCH_ATTEMPTS + 1):
        try:
            new.replace(path)
            return
        except PermissionError:
            if attempt == SWITCH_ATTEMPTS:
                raise
            time.sleep(SWITCH_PAUSE)


def collect(layout: Layout, *kept: int | None) -> None:
    """Delete every generation but those that are `kept` or being read.

    That is old ones, and what a killed ingest left.
    """
    spared = {*kept, *_locked_generations(layout)}
    names = {generation_name(number) for number in spared if number is not None}
    for folder in layout.generations.iterdir():
        if GENERATION_NAME.fullmatch(folder.name) and folder.name not in names:
            shutil.rmtree(folder, ignore_errors=True)


def _sync(path: Path) -> None:
    if os.name == "nt" and path.is_dir():
        return
    descriptor = os.open(path, os.O_RDWR if os.name == "nt" else os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
