"""Compare the index with its posts in the background, for the notice that posts have changed.

A comparison walks the content folder, which takes milliseconds, or seconds on a slow network drive.
In a server no answer waits: each has the last comparison's result and may start the next.
"""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from threading import Lock

from blog_search_mcp.index.embedders.embedder import run_in_background
from blog_search_mcp.index.errors import BlogSearchError, ContentError
from blog_search_mcp.index.invocation import TO_SETUP, Message
from blog_search_mcp.index.store.disk import read_stamp
from blog_search_mcp.index.stores import Location, open_store
from blog_search_mcp.ingest.last_ingest import describe_changes, find_changes, read_last_ingest

INTERVAL = 3.0
"""Minimum seconds between the starts of two comparisons without an ingest in between. Comparing 754
posts takes 14 ms of processor time, so constant searching costs less than 1 % of a core."""
FOLDER_LOST = (
    "The folder of the posts is gone or cannot be read, so whether they have changed is not known. "
    "If it was moved: ",
    TO_SETUP,
    ".",
)


class StalenessCheck:
    """A comparison of one index with its content folder; safe for concurrent use."""

    def __init__(
        self, index: Location, run: Callable[[Callable[[], None]], object] = run_in_background
    ) -> None:
        self._store = open_store(index)
        self._record = self._store.layout.last_ingest
        self._run = run
        self._running = Lock()
        self._began = -INTERVAL
        """Start of the last comparison in seconds of the monotonic clock."""
        self._compared: object | None = None
        """Stamp of the ingest that posts were compared with. A later ingest outdates the notice."""
        self._notice: str | None = None

    def check(self) -> None:
        """Start a comparison, unless one is running or the last one is recent and still valid."""
        is_recent = time.monotonic() - self._began < INTERVAL
        is_valid = self._compared == read_stamp(self._record)
        if not (is_recent and is_valid) and self._running.acquire(blocking=False):
            self._run(self._compare)

    def notice(self) -> str | None:
        """Return the last comparison's notice; `None` if nothing changed or it is outdated."""
        return self._notice if self._compared == read_stamp(self._record) else None

    def _compare(self) -> None:
        notice, self._began, stamp = None, time.monotonic(), read_stamp(self._record)
        now = datetime.now(UTC)
        try:
            last = read_last_ingest(self._store, self._store.current_number())
            if last is not None:
                changes = find_changes(last, now.isoformat(timespec="seconds"))
                notice = describe_changes(changes, last.created, now)
        except BlogSearchError as error:  # the answers report all other errors
            notice = Message(*FOLDER_LOST) if isinstance(error, ContentError) else None
        finally:
            self._notice, self._compared = notice, stamp
            self._running.release()
