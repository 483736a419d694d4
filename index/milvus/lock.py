"""Let one ingest at a time write into an index on a server, whichever machine it runs on.

The lock is an alias, which the server lets name one collection only: that of the writer who holds
it. In there is a row that the writer changes every other second. A lock whose row stays as it is
belongs to an ingest that was killed and is taken over; how long that is, is measured by the clock
of who waits, so that clocks need not agree.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

from blog_search_mcp.index.errors import CollectionGone, IndexBusy, IndexProblem
from blog_search_mcp.index.milvus.client import Milvus
from blog_search_mcp.index.milvus.schema import KEY, NO_TERM, STATE_FIELDS, TEXT, WHOLE, Names

BEAT_SECONDS: Final = 2.0
STALE_SECONDS: Final = 15.0
"""Without a beat until the lock is taken over: more than a busy server delays seven of them."""
SETTLE_SECONDS: Final = 1.0
"""Until who took over looks whether another did so at the same time."""

_BEAT: Final = "beat"


class WriterLock:
    """The lock of an index, held."""

    def __init__(self, milvus: Milvus, names: Names, own: str) -> None:
        self._milvus = milvus
        self._names = names
        self._own = own
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="milvus-lock", daemon=True)
        self._thread.start()

    def check(self) -> None:
        """Raise IndexBusy if another ingest has taken the lock over."""
        if self._milvus.resolve(self._names.lock) != self._own:
            raise IndexBusy(
                f"Another ingest has taken over the index {self._names.index}, since the server "
                "heard nothing of this one for a while. Nothing is lost: run the ingest again."
            )

    def release(self) -> None:
        """Let the next writer in."""
        self._ended.set()
        self._thread.join()
        if self._milvus.resolve(self._names.lock) == self._own:
            self._milvus.drop_alias(self._names.lock)
        self._milvus.drop(self._own)

    def _beat(self) -> None:
        while not self._ended.wait(BEAT_SECONDS):
            with suppress(IndexProblem):
                beat(self._milvus, self._own)


@contextmanager
def writer_lock(milvus: Milvus, names: Names) -> Iterator[WriterLock]:
    """Be the only writer for the length of a block. Raises IndexBusy if another ingest is."""
    own = names.lock_held(secrets.token_hex(8))
    milvus.create(own, STATE_FIELDS)
    try:
        milvus.load(own)
        beat(milvus, own)
        if not milvus.create_alias(names.lock, own):
            _take_over(milvus, names, own)
        for other in filter(names.is_lock, milvus.collections()):
            if other != own:
                milvus.drop(other)
    except CollectionGone as error:  # the holder dropped it, as one that nobody has
        raise _busy(names) from error
    except BaseException:
        with suppress(IndexProblem):
            milvus.drop(own)
        raise
    lock = WriterLock(milvus, names, own)
    try:
        yield lock
    finally:
        with suppress(IndexProblem):  # else it is taken over later
            lock.release()


def beat(milvus: Milvus, name: str) -> None:
    """Show that the writer of this collection is alive."""
    row = {KEY: _BEAT, TEXT: secrets.token_hex(8), WHOLE: {NO_TERM: 1.0}}
    milvus.insert(name, STATE_FIELDS, [row], replace=True)


def _take_over(milvus: Milvus, names: Names, own: str) -> None:
    """Wait until the lock is left, or its holder shows no life. Raises IndexBusy if it does."""
    until = time.monotonic() + STALE_SECONDS
    first = _heard(milvus, names)
    while time.monotonic() < until:
        time.sleep(BEAT_SECONDS / 4)
        if _heard(milvus, names) != first:
            if milvus.create_alias(names.lock, own):
                return
            raise _busy(names)
    milvus.alter_alias(names.lock, own)
    time.sleep(SETTLE_SECONDS)
    if milvus.resolve(names.lock) != own:
        raise _busy(names)


def _heard(milvus: Milvus, names: Names) -> tuple[str | None, list[str]]:
    """Return who holds the lock and its latest beat."""
    holder = milvus.resolve(names.lock)
    if holder is None:
        return None, []
    try:
        rows = milvus.query(holder, "", [TEXT], strong=True)
    except CollectionGone:
        rows = []
    return holder, sorted(str(row[TEXT]) for row in rows)


def _busy(names: Names) -> IndexBusy:
    return IndexBusy(
        f"Another ingest is writing into the index {names.index}. Wait until it has finished, "
        "then run again."
    )
