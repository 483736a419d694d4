"""Reader locks: which generations are being read, here or in another process.

Each reader locks a file of its own in `readers/`, which the operating system unlocks when the
process ends, however it ends. Where no lock can be had, reading goes on without one: the
generation before the current one is kept for such readers until the next switch.
"""

from __future__ import annotations

import secrets
from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout

from blog_search_mcp.index.store.layout import Layout, generation_name

_LOCK_TIMEOUT = 1.0
"""Seconds; a lock file nobody else knows is refused only while `locked_generations` tries it."""


class ReaderLock:
    """Keeps a generation from being deleted until it is released."""

    def __init__(self, lock: FileLock | None) -> None:
        self._lock = lock

    def release(self) -> None:
        """Release the lock, from any thread; a second time does nothing."""
        if self._lock is None:
            return
        lock, self._lock = self._lock, None
        lock.release()
        with suppress(OSError):  # whoever comes next deletes what stays
            Path(lock.lock_file).unlink()


def lock_generation(layout: Layout, number: int) -> ReaderLock:
    """Keep generation `number` from being deleted, if the index can be written.

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
        return ReaderLock(None)
    return ReaderLock(lock)


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
    ReaderLock(lock).release()
    return False
