"""Generations: which one is current, and how the next one takes its place.

CURRENT is a one-line file replaced by an atomic rename, after everything it names is on disk
(fsync): a writer killed at any instruction leaves the old generation current. A generation that
somebody reads is kept, and so is the one before the current one until the next switch, for readers
that could not lock it.
"""

from __future__ import annotations

import errno
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

from blog_search_mcp.index.commands import TO_INGEST
from blog_search_mcp.index.errors import (
    IndexBroken,
    IndexBusy,
    IndexMissing,
    IndexPlaceUnusable,
    IndexProblem,
)
from blog_search_mcp.index.store.disk import (
    GENERATION_NAME,
    LARGEST_CURRENT,
    GenerationFiles,
    Layout,
    generation_name,
    make_disk_error,
    quarantine,
    read_regular,
)
from blog_search_mcp.index.store.manifest import (
    REBUILD,
    Checksum,
    Manifest,
    checksum_of,
    dumps,
    is_unmodified,
    loads,
)

_LOCK_TIMEOUT = 1.0
"""Seconds; a lock file nobody else knows is refused only while `locked_generations` tries it."""


def lock_generation(layout: Layout, number: int) -> Callable[[], None]:
    """Keep generation `number` from being deleted, if the index can be written.

    What is returned ends that; it may be called from any thread, and a second time does nothing.
    An ingest that looked before may delete it all the same: it is safe only if CURRENT names
    it after this returns. Files of readers that were killed are deleted here too: a client may
    start a server a thousand times between two ingests.
    """
    path = layout.readers / f"{generation_name(number)}-{secrets.token_hex(8)}"
    lock = FileLock(path, thread_local=False)
    try:
        layout.readers.mkdir(exist_ok=True)
        locked_generations(layout)
        lock.acquire(timeout=_LOCK_TIMEOUT)
    except (OSError, Timeout):
        pass
    return partial(_release, lock)


def locked_generations(layout: Layout) -> set[int]:
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


AT_ONCE = 4
"""Files that are hashed and waited for at once; Python holds no lock while it does either."""

SWITCH_ATTEMPTS = 20
SWITCH_PAUSE = 0.05
"""Seconds. Windows refuses to rename over a file that is open, and servers open CURRENT, for less
than a millisecond, at every request."""

BUSY = "Another ingest is writing to this index."
"""Begins the sentence by which a process that started an ingest knows of it."""

_LARGEST_MANIFEST = 1 << 28
"""Bytes; a post takes about 200, and a larger file would fill the memory before it is refused."""


def current_number(layout: Layout) -> int:
    """Read the current generation's number. Raises IndexMissing or IndexBroken."""
    try:
        name = read_regular(layout.current, LARGEST_CURRENT).decode("ascii").strip()
    except FileNotFoundError as error:
        raise IndexMissing(
            f"There is no index in {layout.root.name}/ yet. Make one: `{TO_INGEST}`."
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        check_place(layout, error)
        raise IndexBroken(f"The index's CURRENT cannot be read. {REBUILD}") from error
    if not GENERATION_NAME.fullmatch(name):
        raise IndexBroken(f"The index's CURRENT names no generation. {REBUILD}")
    return int(name)


def check_place(layout: Layout, error: Exception, *, makes: bool = False) -> None:
    """Raise IndexPlaceUnusable if `error` came of a place where no index can be read or made."""
    advice = "Name another folder with --index DIR"
    number = error.errno if isinstance(error, OSError) else None
    if number == errno.ENAMETOOLONG:
        raise IndexPlaceUnusable(f"The path of the index is too long. {advice}.") from error
    if number in (errno.ENOTDIR, errno.EEXIST):
        for path in (layout.generations, layout.root, *layout.root.parents):
            if path.is_file():
                raise IndexPlaceUnusable(
                    f"{path.name} is a file, and the index needs a folder there. {advice}, or move "
                    "the file away."
                ) from error
    is_open = makes and os.access(layout.root, os.R_OK | os.X_OK)
    if number in (errno.EACCES, errno.EPERM) and not is_open:
        raise IndexPlaceUnusable(
            f"This account may not {'make' if makes else 'read'} the index folder "
            f"{layout.root.name}. Give it the permission, or name another folder with --index DIR."
        ) from error


def find_current(layout: Layout) -> int | None:
    """Read the current generation's number, `None` if there is none that can be read."""
    try:
        return current_number(layout)
    except IndexProblem:
        return None


def newest_number(layout: Layout) -> int:
    """Return the highest number of a generation's folder, finished or not; 0 if there is none.

    One that leaves no name for the next number is none of ours.
    """
    numbers = _list_numbers(layout)
    followed = (each for each in numbers if GENERATION_NAME.fullmatch(generation_name(each + 1)))
    return max(followed, default=0)


def earlier_numbers(layout: Layout) -> list[int]:
    """Return the numbers of the generations before the current one, the newest first.

    Raises IndexMissing or IndexBroken if no generation is the current one.
    """
    current = current_number(layout)
    return sorted((each for each in _list_numbers(layout) if each < current), reverse=True)


def _list_numbers(layout: Layout) -> list[int]:
    names = [folder.name for folder in layout.generations.iterdir()]
    return [int(name) for name in names if GENERATION_NAME.fullmatch(name)]


def read_manifest(layout: Layout, number: int) -> Manifest:
    """Read generation `number`'s manifest. Raises IndexBroken or IndexFormatUnknown."""
    path = layout.generation(number).manifest
    try:
        manifest = loads(read_regular(path, _LARGEST_MANIFEST).decode("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        check_place(layout, error)
        raise IndexBroken(f"The index's {path.name} cannot be read. {REBUILD}") from error
    if manifest.generation != number:
        raise IndexBroken(f"The index's {path.name} belongs to another generation. {REBUILD}")
    return manifest


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
        check_place(layout, error, makes=True)
        raise make_disk_error(error) from error
    try:
        yield
    finally:
        lock.release()


@contextmanager
def next_folder(layout: Layout) -> Iterator[int]:
    """Make the folder of a new generation; yield its number.

    What a killed ingest left is deleted before, the generation before the current one after the
    switch. If the new one has not become the current one when the block ends, it is deleted.
    """
    current = find_current(layout)
    number = newest_number(layout) + 1
    before = max((each for each in _list_numbers(layout) if each < (current or 0)), default=None)
    collect(layout, current, keep=before)
    files = layout.generation(number)
    try:
        files.folder.mkdir(parents=True)
        yield number
        if find_current(layout) == number:
            collect(layout, number, keep=current)
    finally:
        if find_current(layout) != number:
            shutil.rmtree(files.folder, ignore_errors=True)


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
    _sync(files.manifest)
    inner = sorted(path for path in files.folder.rglob("*") if path.is_dir())
    for folder in (*inner, files.folder, layout.generations):
        _sync(folder)
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


def collect(layout: Layout, current: int | None, keep: int | None = None) -> None:
    """Delete every generation but `current`, `keep` and those that are being read.

    That is old ones, and what a killed ingest left.
    """
    spared = {current, keep, *locked_generations(layout)}
    kept = {generation_name(number) for number in spared if number is not None}
    for folder in layout.generations.iterdir():
        if GENERATION_NAME.fullmatch(folder.name) and folder.name not in kept:
            shutil.rmtree(folder, ignore_errors=True)


def _sync(path: Path) -> None:
    if os.name == "nt" and path.is_dir():
        return
    descriptor = os.open(path, os.O_RDWR if os.name == "nt" else os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
