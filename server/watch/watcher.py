"""Keep an index up to date with its posts.

The folder is walked every second, and at once after file events, which not every file system has.
What is saved together is ingested together: a folder that still changes is left until two walks in
a row find the same, or the system reports that its burst of events is over.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from blog_search_mcp.index.commands import list_first
from blog_search_mcp.index.content.changes import compare_files, count_changed
from blog_search_mcp.index.content.last_ingest import IngestOptions, LastIngest, read_last_ingest
from blog_search_mcp.index.content.walk import SourceFile, walk
from blog_search_mcp.index.errors import BlogSearchError, IndexBusy, IndexProblem
from blog_search_mcp.index.stores import Location, open_store

if TYPE_CHECKING:
    from blog_search_mcp.server.watch.reingest import Ingested

QUIET_MS = 100
"""Milliseconds without a file event after which a burst is over: editors and git write the files
of one command within a few milliseconds of each other."""

INTERVAL = 1.0
"""Seconds between two walks: one over the rust-blog's 754 posts takes 14 ms."""
INTERVAL_FACTOR = 50.0
"""A slow walk is followed by an interval this many times as long."""
PAUSE_FACTOR = 3.0
"""However many file events come, a walk is followed by a pause this many times as long: what
changes without end may be no posts at all."""

log = logging.getLogger(__name__)

MAX_WAIT = 30.0
"""Seconds after which a folder that changes without pause is ingested all the same."""
RETRY = 60.0
"""Seconds at most after which a failed ingest is tried again though nothing has changed."""
FIRST_RETRY = 2.0
"""Seconds after the first failure, each further one in a row doubles them: what was killed can run
again, while what still fails costs an ingest's start, half a second, each time."""


@dataclass(frozen=True, slots=True)
class FolderState:
    """What one walk of the folder found."""

    files: tuple[SourceFile, ...]
    day: str
    """ISO day: dated posts appear and expire by it alone."""
    changes: int | None
    """Files that an ingest would treat anew; `None` if only an ingest can tell."""
    waiting: int = 0
    """Posts that the last ingest left without their vectors."""

    @property
    def is_indexed(self) -> bool:
        """Whether an ingest would find nothing to do."""
        return self.changes == 0 and not self.waiting


@dataclass(frozen=True, slots=True)
class WatchHistory:
    """What was found and ingested before; times in seconds of one clock."""

    latest: FolderState | None = None
    changed_since: float | None = None
    """When changes were first found that no ingest has taken yet."""
    ingested: FolderState | None = None
    """What the folder held when the last ingest began."""
    ingested_at: float = 0.0
    attempts: int = 0
    """Ingests since the last one that succeeded."""

    def with_walk(self, state: FolderState, now: float) -> WatchHistory:
        """Add a walk."""
        since = now if self.changed_since is None else self.changed_since
        return replace(self, latest=state, changed_since=None if state.is_indexed else since)

    def with_ingest(self, state: FolderState, now: float) -> WatchHistory:
        """Add an ingest that began with the folder in this state."""
        attempts = self.attempts + 1
        return replace(self, ingested=state, ingested_at=now, changed_since=None, attempts=attempts)

    @property
    def pause(self) -> float:
        """Seconds from the last ingest's beginning until it is tried again."""
        return min(RETRY, FIRST_RETRY * 2.0 ** min(self.attempts - 1, 9))


def should_ingest(
    state: FolderState, history: WatchHistory, now: float, *, settled: bool = False
) -> bool:
    """Decide whether to ingest now; `settled` means that no second walk is needed.

    The first time it is always true: a walk does not notice another site configuration or another
    version of this program.
    """
    if history.ingested is None:
        return True
    if state.is_indexed:
        return False
    if state == history.ingested:
        return now - history.ingested_at >= history.pause
    since = now if history.changed_since is None else history.changed_since
    return settled or state == history.latest or now - since >= MAX_WAIT


def watch_file_events(folder: Path, on_burst: Callable[[], None]) -> None:
    """Call `on_burst` after each burst of file events below `folder`.

    Returns only if the system has no file events; meant for a thread of its own.
    """
    from watchfiles import watch

    try:
        bursts = watch(
            folder,
            watch_filter=None,
            step=QUIET_MS,
            debounce=int(1000 * MAX_WAIT),
            ignore_permission_denied=True,
        )
        for _ in bursts:
            on_burst()
    except (OSError, RuntimeError) as error:
        log.info("The system does not tell when posts change (%s); they are looked at.", error)


class Watcher:
    """Watches one folder for one index; `check` and `notice` may be called from any thread."""

    def __init__(
        self,
        index: Location,
        content: Path,
        ingest: Callable[[IngestOptions], Ingested],
        on_switch: Callable[[], None],
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """`ingest` brings the index up to date; `on_switch` is called after a new generation."""
        self._store = open_store(index)
        self._content = content
        self._ingest = ingest
        self._on_switch = on_switch
        self._now = now
        self._burst = threading.Event()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None
        self._history = WatchHistory()
        self._failure: str | None = None
        self._told: frozenset[str] = frozenset()

    def check(self) -> None:
        """Start to watch, unless that has begun. Returns at once."""
        with self._starting:
            if self._thread is None:
                log.setLevel(logging.INFO)
                self._thread = threading.Thread(target=self._watch, name="watch", daemon=True)
                self._thread.start()

    def notice(self) -> str | None:
        """Describe what keeps the newest posts out of the answers, `None` if nothing does."""
        latest = self._history.latest
        if self._failure or latest is None or not latest.changes:
            return self._failure
        return f"{count_changed(latest.changes)}; the index is being brought up to date."

    def first_ingest(self) -> str | None:
        """Describe how far the first ingest is; called while there is no index."""
        if self._failure:
            return f"There is no index yet. {self._failure}"
        return "The index of the posts is being made for the first time; ask again in a minute."

    def step(self, *, settled: bool = False) -> float:
        """Walk the folder and ingest if it is time to; return how many seconds the walk took.

        `settled` means that a burst of file events has just ended.
        """
        began = walked = self._now()
        try:
            generation = self._find_current()
            last_ingest = read_last_ingest(self._store, generation) if generation else None
            state = self._walk(last_ingest)
            walked = self._now()
            due = should_ingest(state, self._history, walked, settled=settled)
            self._history = self._history.with_walk(state, walked)
            if state.is_indexed:
                self._failure = None
            if due:
                self._run_ingest(state, last_ingest.options if last_ingest else IngestOptions())
        except IndexBusy:
            self._failure = None  # the other ingest takes the same posts in
        except BlogSearchError as error:
            self._record_failure(error)
        return walked - began

    def _watch(self) -> None:
        arguments = (self._content, self._burst.set)
        threading.Thread(
            target=watch_file_events, args=arguments, name="file-events", daemon=True
        ).start()
        settled = False
        while True:
            took = 0.0
            try:
                took = self.step(settled=settled)
            except Exception:  # nobody waits for this thread
                log.exception("The posts could not be looked at.")
            time.sleep(PAUSE_FACTOR * took)
            settled = self._burst.wait(max(INTERVAL, INTERVAL_FACTOR * took))
            self._burst.clear()

    def _find_current(self) -> int | None:
        """Return the live generation's number, `None` if there is none that can be read."""
        with suppress(IndexProblem):
            return self._store.current_number()
        return None

    def _walk(self, last_ingest: LastIngest | None) -> FolderState:
        day = date.today().isoformat()
        if last_ingest is None:
            return FolderState((), day, None)
        files = walk(self._content, last_ingest.suffixes).files
        changes = compare_files(last_ingest, files, day)
        return FolderState(files, day, len(changes.sources), last_ingest.waiting)

    def _run_ingest(self, state: FolderState, options: IngestOptions) -> None:
        self._history = self._history.with_ingest(state, self._now())
        generation = self._find_current()
        self._tell(self._ingest(options))
        done = FolderState(state.files, state.day, 0)
        self._history = replace(self._history.with_walk(done, self._now()), attempts=0)
        self._failure = None
        if self._find_current() != generation:
            self._on_switch()

    def _tell(self, ingested: Ingested) -> None:
        """Log what was done, and the first faults of each kind that were not there before."""
        for kind in (ingested.skipped, ingested.warnings):
            for line in list_first([fault for fault in kind if fault not in self._told]):
                log.warning("%s", line)
        self._told = frozenset((*ingested.skipped, *ingested.warnings))
        log.info("%s", ingested.summary)

    def _record_failure(self, error: BlogSearchError) -> None:
        notice = error.for_clients
        if notice != self._failure:
            log.warning("%s", error)
        self._failure = notice
