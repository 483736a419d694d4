"""Whether the index is behind its posts: looked at in the background, said in one sentence.

A look walks the content folder, which takes milliseconds for a blog and seconds on a slow
network drive, so no answer ever waits for one: each says what the last look found, and
starts the next if that is some seconds old.
"""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from blog_search_mcp.index.errors import BlogSearchError
from blog_search_mcp.index.store.layout import Layout

if TYPE_CHECKING:
    from collections.abc import Callable

    from blog_search_mcp.index.content.changes import Changes

PAUSE = timedelta(seconds=3)
"""Between the beginnings of two looks: one over the rust-blog's 754 posts takes 14 ms of a
processor, so a client that asks without end spends less than a hundredth of it here."""

Stamp: TypeAlias = tuple[int, int, int] | None

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Look:
    began: datetime
    stamp: Stamp
    """Of what the ingest had noted when the look began; another ingest makes the look void."""
    changes: Changes | None = None
    """`None` if they cannot be told."""
    created: str = ""


def now_in_utc() -> datetime:
    """Return the time, with its zone."""
    return datetime.now(UTC)


def in_background(work: Callable[[], None]) -> None:
    """Run `work` in a thread that does not keep the process alive."""
    threading.Thread(target=work, name="freshness", daemon=True).start()


class Freshness:
    """Looks at one index's content folder; safe for concurrent use."""

    def __init__(
        self,
        index: Path,
        content: Path | None,
        now: Callable[[], datetime] = now_in_utc,
        start: Callable[[Callable[[], None]], None] = in_background,
    ) -> None:
        """Take the index folder and, if the posts were moved since the ingest, where they are."""
        self._layout = Layout(index)
        self._content = content
        self._now = now
        self._start = start
        self._lock = threading.Lock()
        self._looking = False
        self._last: _Look | None = None

    def look(self) -> None:
        """Start a look, unless one goes on or the last is still good. Returns at once."""
        stamp = self._stamp()
        with self._lock:
            if self._looking or not self._is_due(stamp):
                return
            self._looking = True
        self._start(self._look)

    def notice(self) -> str | None:
        """Say what has changed as far as the last look could see, `None` if nothing."""
        last = self._last
        if last is None or last.changes is None or last.stamp != self._stamp():
            return None
        from blog_search_mcp.index.content.changes import sentence

        return sentence(last.changes, last.created, self._now())

    def _is_due(self, stamp: Stamp) -> bool:
        last = self._last
        return last is None or last.stamp != stamp or abs(self._now() - last.began) >= PAUSE

    def _look(self) -> None:
        look = _Look(self._now(), self._stamp())
        try:
            look = self._looked(look)
        except BlogSearchError as error:
            log.info("Whether posts have changed cannot be told: %s", error)
        finally:
            self._last = look
            self._looking = False

    def _looked(self, look: _Look) -> _Look:
        from blog_search_mcp.index.content.changes import changes_of
        from blog_search_mcp.index.content.last_ingest import last_seen
        from blog_search_mcp.index.store.generations import live_number

        seen = last_seen(self._layout, live_number(self._layout))
        if seen is None:
            return look
        today = look.began.astimezone().date().isoformat()
        changes = changes_of(seen, self._content or Path(seen.content), today)
        return _Look(look.began, look.stamp, changes, seen.created)

    def _stamp(self) -> Stamp:
        try:
            status = self._layout.seen.stat()
        except OSError:
            return None
        return status.st_ino, status.st_mtime_ns, status.st_size
