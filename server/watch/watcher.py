"""Keep an index up to date with its posts, using separate ingest processes.

An ingest takes much processor time and hundreds of megabytes, and may crash. Its process ends when
this process ends. The folder is walked after each burst of file events and at each timeout of
watchfiles. Not every file system sends events, and a folder that is created anew sends none.
"""

import json
import logging
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from blog_search_mcp.index.errors import BlogSearchError, IngestFailed
from blog_search_mcp.index.stores import Location, open_store
from blog_search_mcp.ingest.last_ingest import (
    LastIngest,
    compare_files,
    count_changed,
    read_last_ingest,
)
from blog_search_mcp.ingest.posts.walk import SourceFile, walk
from blog_search_mcp.server.settings import STOP_WITH_STDIN, Settings, index_arguments

TIMEOUT_MS = 3_000
"""Milliseconds without events after which the folder is walked. A walk of 754 posts takes 14 ms."""
RETRY = 20.0
"""Minimum seconds from the start of an ingest that failed or left posts without vectors to the
next, if no file changes. A failing ingest takes half a second."""
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class FolderState:
    """The result of one walk of the folder."""

    files: tuple[SourceFile, ...] = ()
    changes: int | None = None
    """Number of files edited, added, removed or due; `None` if no ingest is recorded."""
    waiting: int = 0
    """Number of posts that the last ingest left without vectors."""


class Watcher:
    """A watch over the posts of one index; `check` and `notice` may be called from any thread.

    `on_switch` is called after each ingest that publishes a generation.
    """

    def __init__(
        self,
        index: Location,
        content: Path,
        ingest: Callable[[], object],
        on_switch: Callable[[], None],
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = open_store(index)
        self._lock = (
            FileLock(index / "watch.lock", blocking=False) if isinstance(index, Path) else None
        )
        self._content = content
        self._ingest = ingest
        self._on_switch = on_switch
        self._now = now
        self._starting = threading.Lock()
        self._latest = FolderState()
        self._tried: FolderState | None = None
        """State of the folder when the last ingest began; `None` before the first ingest."""
        self._began = 0.0
        self._failure: str | None = None

    def check(self) -> None:
        """Start the watching thread at the first call. Return at once."""
        if self._starting.acquire(blocking=False):  # never released, so only one call succeeds
            log.setLevel(logging.INFO)
            threading.Thread(target=self._watch, name="watch", daemon=True).start()

    def notice(self) -> str | None:
        """Return why answers may lack the newest posts; `None` if no reason is known."""
        if self._failure or not self._latest.changes:
            return self._failure
        return f"{count_changed(self._latest.changes)}; the index is being brought up to date."

    def first_ingest(self) -> str:
        """Describe the ingest that makes a missing index or replaces an outdated one."""
        if self._failure:
            return f"There is no index yet. {self._failure}"
        return "The index of the posts is being made; ask again in a minute."

    def step(self) -> None:
        """Walk the folder; ingest if due, unless another server has locked an existing index."""
        try:
            stamp = self._store.stamp()
            last = read_last_ingest(self._store, stamp[0]) if stamp else None
            self._latest = state = self._walk(last) if last else FolderState()
            if not self._is_due(state) or not (stamp is None or self._may_ingest()):
                return
            self._tried, self._began = state, self._now()
            self._ingest()
            self._latest, self._failure = FolderState(state.files, 0), None
            if self._store.stamp() != stamp:
                self._on_switch()
        except BlogSearchError as error:
            if error.for_clients != self._failure:
                log.warning("%s", error)
            self._failure = error.for_clients
        except Exception:  # no caller would see an error of this thread
            log.exception("The posts could not be looked at.")

    def _is_due(self, state: FolderState) -> bool:
        """Whether an ingest is due; clear the failure if no file changed and no post waits.

        The first ingest is always due: no walk notices a changed configuration or a new program.
        """
        if state.changes == 0 and not state.waiting:
            self._failure = None
            return self._tried is None
        return state != self._tried or self._now() - self._began >= RETRY

    def _may_ingest(self) -> bool:
        """Whether this server ingests: no other one holds the lock, or the index can have none."""
        try:
            if self._lock is not None and not self._lock.is_locked:
                self._lock.acquire()
        except OSError as error:  # the ingest reports an error of the folder
            return not isinstance(error, Timeout)
        return True

    def _watch(self) -> None:
        from watchfiles import watch

        while True:
            self.step()
            try:
                for _ in watch(
                    self._content,
                    watch_filter=None,
                    rust_timeout=TIMEOUT_MS,
                    yield_on_timeout=True,
                    ignore_permission_denied=True,
                ):
                    self.step()
            except (OSError, RuntimeError) as error:
                log.info("The system does not tell when posts change (%s).", error)
                time.sleep(TIMEOUT_MS / 1000)

    def _walk(self, last: LastIngest) -> FolderState:
        files = walk(self._content).files
        now = datetime.now(UTC).isoformat(timespec="seconds")
        return FolderState(files, len(compare_files(last, files, now, by_ctime=True)), last.waiting)


def run_ingest(content: Path, settings: Settings) -> None:
    """Run an ingest process; log each line of its progress and report. Raises IngestFailed."""
    arguments = [str(content), *index_arguments(settings), "--json", STOP_WITH_STDIN]
    line = ""
    with (
        tempfile.TemporaryFile() as report,
        subprocess.Popen(
            [sys.executable, "-P", "-m", "blog_search_mcp.ingest", *arguments],
            stdin=subprocess.PIPE,  # held open as long as this process lives
            stdout=report,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
        ) as process,
    ):
        for printed in process.stderr or ():
            line = printed.rstrip()
            log.info("%s", line)
        if process.wait():
            failed = "The newest posts could not be ingested"
            reason = line or f"it ended with status {process.returncode}."
            detail = "the server's log says more."
            report.seek(0)
            with suppress(ValueError, LookupError):  # it was killed before it wrote anything
                detail = json.loads(report.read())["error"]
            raise IngestFailed(f"{failed}: {reason}", for_clients=f"{failed}: {detail}")
