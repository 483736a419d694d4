"""Who reads which generation: a reader's hold in, the generations to spare out.

A hold is a file in readers/ named after its generation, which the reader keeps locked. The
lock is the operating system's: a reader that is killed lets go of it, and whoever comes next
deletes its file. A name is never used twice, so nobody waits for another. Where the index
cannot be written there are no holds; there is no ingest either that could delete anything.
"""

from __future__ import annotations

import secrets
from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout

from index.layout import Layout, generation_name

_PATIENCE = 1.0
"""Seconds; a lock file nobody else knows is refused only while `held` looks at it."""


class Hold:
    """What keeps a generation from being deleted, until it is released."""

    def __init__(self, lock: FileLock | None) -> None:
        self._lock = lock

    def release(self) -> None:
        """Let go, from any thread; a second time does nothing."""
        if self._lock is None:
            return
        lock, self._lock = self._lock, None
        lock.release()
        with suppress(OSError):  # whoever comes next deletes what stays
            Path(lock.lock_file).unlink()


def hold(layout: Layout, number: int) -> Hold:
    """Keep generation `number` from being deleted, if the index can be written.

    An ingest that looked before may delete it all the same: it is safe only if CURRENT names
    it after this returns. Files of readers that were killed are deleted here too: a client may
    start a server a thousand times between two ingests.
    """
    path = layout.readers / f"{generation_name(number)}-{secrets.token_hex(8)}"
    lock = FileLock(path, thread_local=False)
    try:
        layout.readers.mkdir(exist_ok=True)
        held(layout)
        lock.acquire(timeout=_PATIENCE)
    except (OSError, Timeout):
        return Hold(None)
    return Hold(lock)


def held(layout: Layout) -> set[int]:
    """The generations that are being read; holds of readers that ended are deleted."""
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
    Hold(lock).release()
    return False
