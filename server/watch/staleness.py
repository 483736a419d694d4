"""Compare the index with its posts in the background, for the notice that posts have changed.

A comparison walks the content folder: milliseconds for a blog, seconds on a slow network drive. No
answer waits for one: each carries the result of the last and starts the next if that is old.
"""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from blog_search_mcp.index.commands import TO_INGEST
from blog_search_mcp.index.errors import BlogSearchError, ContentError
from blog_search_mcp.index.stores import Location, open_store

if TYPE_CHECKING:
    from collections.abc import Callable

    from blog_search_mcp.index.posts.changes import Changes

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
    changes: Changes | None = None
    """`None` if they are not known, or none."""
    created: str = ""
    is_lost: bool = False
    """Whether the posts' folder is gone or cannot be read."""


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
        content: Path | None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        run: Callable[[Callable[[], None]], None] = run_in_thread,
    ) -> None:
        """`content` is where the posts are now, if they were moved since the ingest."""
        self._store = open_store(index)
        self._content = content
        self._now = now
        self._run = run
        self._lock = threading.Lock()
        self._is_running = False
        self._last: _Comparison | None = None

    def check(self) -> None:
        """Start a comparison, unless one is running or the last is recent. Returns at once."""
        stamp = self._read_stamp()
        with self._lock:
            if self._is_running:
                return
            last = self._last
            if last and last.stamp == stamp and abs(self._now() - last.began) < INTERVAL:
                return
            self._is_running = True
        try:
            self._run(self._compare)
        except RuntimeError as error:  # no thread can be started
            log.info(_NOT_TOLD, error)
            self._is_running = False

    def notice(self) -> str | None:
        """Describe what the last comparison found in one sentence, `None` if nothing."""
        last = self._last
        if last is None or last.stamp != self._read_stamp():
            return None
        if last.changes is None:
            return LOST if last.is_lost else None
        from blog_search_mcp.index.posts.changes import describe_changes

        return describe_changes(last.changes, last.created, self._now())

    def first_ingest(self) -> str | None:
        """Return `None`: nobody here makes a first ingest."""
        return None

    def _compare(self) -> None:
        comparison = _Comparison(self._now(), self._read_stamp())
        try:
            comparison = self._with_changes(comparison)
        except BlogSearchError as error:
            log.info(_NOT_TOLD, error)
        finally:
            self._last = comparison
            self._is_running = False

    def _with_changes(self, comparison: _Comparison) -> _Comparison:
        from blog_search_mcp.index.posts.changes import find_changes
        from blog_search_mcp.index.posts.last_ingest import read_last_ingest

        last_ingest = read_last_ingest(self._store, self._store.current_number())
        if last_ingest is None:
            return comparison
        now = comparison.began.astimezone(UTC).isoformat(timespec="seconds")
        try:
            changes = find_changes(last_ingest, self._content or Path(last_ingest.content), now)
        except ContentError:
            return replace(comparison, is_lost=True)
        if not changes.sources:
            return comparison
        return _Comparison(comparison.began, comparison.stamp, changes, last_ingest.created)

    def _read_stamp(self) -> object | None:
        return self._store.record_stamp()
