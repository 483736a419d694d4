"""Keeping the index up to date with its posts: a folder is looked at, and ingested when it rests.

The folder is walked every few seconds, as it is to say that an index is behind, and at once when
the system tells of a change (`server.watch.watcher`), which it does not always.
"""

from __future__ import annotations

import logging
import threading
import time
from datetime import date
from typing import TYPE_CHECKING

from blog_search_mcp.index.content.changes import compare
from blog_search_mcp.index.content.last_ingest import IngestOptions, Seen, last_seen
from blog_search_mcp.index.content.walk import walk
from blog_search_mcp.index.errors import BlogSearchError, IndexProblem
from blog_search_mcp.index.store.generations import live_number
from blog_search_mcp.index.store.layout import Layout
from blog_search_mcp.server.format.notices import for_clients
from blog_search_mcp.server.watch.debounce import GATHER, Look, Past, is_due

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

REST_MS = 100
"""Milliseconds without a change after which what was saved together is complete: editors and
git write the files of one command within a few milliseconds of each other."""

log = logging.getLogger(__name__)


def tell(folder: Path, stirred: Callable[[], None]) -> None:
    """Call `stirred` after each burst of changes below `folder`.

    Returns only if the system cannot say; meant for a thread of its own.
    """
    from watchfiles import watch

    try:
        bursts = watch(
            folder,
            watch_filter=None,
            step=REST_MS,
            debounce=int(1000 * GATHER),
            ignore_permission_denied=True,
        )
        for _ in bursts:
            stirred()
    except (OSError, RuntimeError) as error:
        log.info("The system does not tell when posts change (%s); they are looked at.", error)


PAUSE = 1.0
"""Seconds between two looks: one over the rust-blog's 754 posts takes 14 ms."""
SHARE = 50.0
"""A look that takes long is followed by a pause this many times as long."""

BREATH = 3.0
"""However often the system tells of changes, a look is followed by a pause this many times as
long: what changes without end may be no posts at all."""

log = logging.getLogger(__name__)


class Watch:
    """Watches one folder for one index; `look` and `notice` may be called from any thread."""

    def __init__(
        self,
        index: Path,
        content: Path,
        ingest: Callable[[IngestOptions], str],
        on_switch: Callable[[], None],
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """`ingest` brings the index up to date; `on_switch` hears of each new generation."""
        self._stirred = threading.Event()
        self._layout = Layout(index)
        self._content = content
        self._ingest = ingest
        self._on_switch = on_switch
        self._now = now
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None
        self._past = Past()
        self._failure: str | None = None

    def look(self) -> None:
        """Begin to watch, unless that has begun. Returns at once."""
        with self._starting:
            if self._thread is None:
                log.setLevel(logging.INFO)
                self._thread = threading.Thread(target=self._watch, name="watch", daemon=True)
                self._thread.start()

    def notice(self) -> str | None:
        """Say what keeps the newest posts out of the answers, `None` if nothing does."""
        seen = self._past.seen
        return self._failure or (sentence(seen.changes) if seen and seen.changes else None)

    def step(self, *, rests: bool = False) -> float:
        """Look once, and ingest if it is time to; returns how many seconds the look took.

        `rests` says that whatever has changed is complete.
        """
        began = looked = self._now()
        try:
            seen = self._seen()
            look = self._look(seen)
            looked = self._now()
            due = is_due(look, self._past, looked, rests=rests)
            self._past = self._past.with_look(look, looked)
            if look.changes == 0:
                self._failure = None
            if due:
                self._renew(look, seen.options if seen else IngestOptions())
        except BlogSearchError as error:
            self._fail(error)
        return looked - began

    def _watch(self) -> None:
        told = (self._content, self._stirred.set)
        threading.Thread(target=tell, args=told, name="stirrings", daemon=True).start()
        rests = False
        while True:
            took = 0.0
            try:
                took = self.step(rests=rests)
            except Exception:  # nobody waits for this thread, so nobody would hear of it
                log.exception("The posts could not be looked at.")
            time.sleep(BREATH * took)
            rests = self._stirred.wait(max(PAUSE, SHARE * took))
            self._stirred.clear()

    def _seen(self) -> Seen | None:
        generation = self._generation()
        return None if generation is None else last_seen(self._layout, generation)

    def _generation(self) -> int | None:
        try:
            return live_number(self._layout)
        except IndexProblem:
            return None

    def _look(self, seen: Seen | None) -> Look:
        day = date.today().isoformat()
        if seen is None:
            return Look((), day, None)
        files = walk(self._content, seen.suffixes).files
        return Look(files, day, len(compare(seen, files, day).sources))

    def _renew(self, look: Look, asked: IngestOptions) -> None:
        self._past = self._past.with_ingest(look, self._now())
        generation = self._generation()
        log.info("%s", self._ingest(asked))
        self._past = self._past.with_look(Look(look.files, look.day, 0), self._now())
        self._failure = None
        if self._generation() != generation:
            self._on_switch()

    def _fail(self, error: BlogSearchError) -> None:
        said = for_clients(str(error))
        if said != self._failure:
            log.warning("%s", error)
        self._failure = said


def sentence(changes: int) -> str:
    """Say that an ingest is to come."""
    posts = "1 post has" if changes == 1 else f"{changes:,} posts have"
    return f"{posts} changed; the index is being brought up to date."
