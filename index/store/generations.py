"""Generations: who writes them, and how the next one takes the place of the current one.

CURRENT is a one-line file replaced by an atomic rename, after everything it names is on disk
(fsync): a writer killed at any instruction leaves the old generation current. The one before the
current one is kept until the next switch, for whoever is about to open it. Servers look at CURRENT
at each request, and what is open outlives its deletion, so that an older one is never missed.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

from blog_search_mcp.index.errors import IndexBusy
from blog_search_mcp.index.store.disk import GenerationFiles, Layout, make_disk_error, refuse_place
from blog_search_mcp.index.store.manifest import (
    Checksum,
    Manifest,
    checksum_of,
    dumps,
    is_unmodified,
)

AT_ONCE = 4
"""Files that are hashed and waited for at once; Python holds no lock while it does either."""

SWITCH_ATTEMPTS = 20
SWITCH_PAUSE = 0.05
"""Seconds. Windows refuses to rename over a file that is open, and servers open CURRENT, for less
than a millisecond, at every request."""

BUSY = "Another ingest is writing to this index. Wait until it has finished, then run again."


@contextmanager
def writer_lock(layout: Layout) -> Iterator[None]:
    """Be the only writer. Raises IndexBusy at once if another ingest is."""
    from filelock import FileLock, Timeout  # which the first reply of a server does without

    lock = FileLock(layout.lock)
    try:
        layout.generations.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=0)
    except Timeout as error:
        raise IndexBusy(BUSY) from error
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
    following.write_text(files.folder.name + "\n", encoding="ascii")
    _sync(following)
    for attempts_left in reversed(range(SWITCH_ATTEMPTS)):
        try:
            following.replace(layout.current)
            break
        except PermissionError:
            if not attempts_left:
                raise
            time.sleep(SWITCH_PAUSE)
    with suppress(OSError):  # the switch has happened; both generations are on disk
        _sync(layout.root)


def collect(layout: Layout, *kept: int | None) -> None:
    """Delete every generation but those that are `kept`: old ones, and what a killed ingest left.

    What somebody has open of them stays readable to them.
    """
    for number in set(layout.numbers()).difference(kept):
        shutil.rmtree(layout.generation(number).folder, ignore_errors=True)


def _sync(path: Path) -> None:
    if os.name == "nt" and path.is_dir():
        return
    descriptor = os.open(path, os.O_RDWR if os.name == "nt" else os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
