"""Compare the index with its posts in the background, for the notice that posts have changed.

A comparison walks the content folder: milliseconds for a blog, seconds on a slow network drive. No
answer waits for one: each carries the result of the last and starts the next if that is old.
"""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from blog_search_mcp.index.commands import TO_INGEST
from blog_search_mcp.index.errors import BlogSearchError, ContentError
from blog_search_mcp.index.stores import Location, open_store

if TYPE_CHECKING:
    from collections.abc import Callable

INTERVAL = timedelta(seconds=3)
"""Between the beginnings of two comparisons: one over the rust-blog's 754 posts takes 14 ms of a
processor, so a client that searches without end spends less than a hundredth of it here."""

log = logging.getLogger(__name__)

_NOT_TOLD = "Whether posts have changed cannot be told: %s"


@dataclass(frozen=True, slots=True)
class _Comparison:
    began: datetime
    stamp: object | None
    """Of the last ingest's record when the comparison began; another ingest makes it void."""
    notice: str | None
    """What it told, in a sentence; `None` if nothing has changed or that is not known."""


LOST = (
    "The folder of the posts is gone or cannot be read, so whether they have changed is not known. "
    f"If it was moved: `{TO_INGEST}`."
)


def run_in_thread(work: Callable[[], None]) -> None:
    """Run `work` in a thread that does not keep the process alive."""
    threading.Thread(target=work, name="staleness", daemon=True).start()


class StalenessCheck:
    """Compares one index with its content folder; safe for concurrent use."""

    def __init__(
        self,
        index: Location,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        run: Callable[[Callable[[], None]], None] = run_in_thread,
    ) -> None:
        self._store = open_store(index)
        self._now = now
        self._run = run
        self._lock = threading.Lock()
        self._is_running = False
        self._last: _Comparison | None = None

    def check(self) -> None:
        """Start a comparison, unless one is running or the last is recent. Returns at once."""
        stamp = self._store.record_stamp()
        with self._lock:
            last = self._last
            if last and last.stamp == stamp and abs(self._now() - last.began) < INTERVAL:
                return
            if self._is_running:
                return
            self._is_running = True
        try:
            self._run(self._compare)
        except RuntimeError as error:  # no thread can be started
            log.info(_NOT_TOLD, error)
            self._is_running = False

    def notice(self) -> str | None:
        """Return what the last comparison told, `None` if nothing."""
        last = self._last
        return last.notice if last and last.stamp == self._store.record_stamp() else None

    def first_ingest(self) -> str | None:
        """Return `None`: nobody here makes a first ingest."""
        return None

    def _compare(self) -> None:
        began, stamp, notice = self._now(), self._store.record_stamp(), None
        try:
            notice = self._describe_changes(began)
        except BlogSearchError as error:
            log.info(_NOT_TOLD, error)
        finally:
            self._last = _Comparison(began, stamp, notice)
            self._is_running = False

    def _describe_changes(self, now: datetime) -> str | None:
        from blog_search_mcp.index.posts.changes import describe_changes, find_changes
        from blog_search_mcp.index.posts.last_ingest import read_last_ingest

        last = read_last_ingest(self._store, self._store.current_number())
        if last is None:
            return None
        instant = now.astimezone(UTC).isoformat(timespec="seconds")
        try:
            changes = find_changes(last, Path(last.content), instant)
        except ContentError:
            return LOST
        return describe_changes(changes, last.created, now)
