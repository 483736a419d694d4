"""Decide when a watched folder is ingested.

What is saved together is ingested together: a folder that still changes is left until two walks in
a row find the same, or the system reports that its burst of events is over.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from blog_search_mcp.index.content.walk import SourceFile

MAX_WAIT = 30.0
"""Seconds after which a folder that changes without pause is ingested all the same."""
RETRY = 60.0
"""Seconds after which a failed ingest is tried again though nothing has changed."""


@dataclass(frozen=True, slots=True)
class FolderState:
    """What one walk of the folder found."""

    files: tuple[SourceFile, ...]
    day: str
    """ISO day: dated posts appear and expire by it alone."""
    changes: int | None
    """Files that an ingest would treat anew; `None` if only an ingest can tell."""


@dataclass(frozen=True, slots=True)
class WatchHistory:
    """What was found and ingested before; times in seconds of one clock."""

    latest: FolderState | None = None
    changed_since: float | None = None
    """When changes were first found that no ingest has taken yet."""
    ingested: FolderState | None = None
    """What the folder held when the last ingest began."""
    ingested_at: float = 0.0

    def with_walk(self, state: FolderState, now: float) -> WatchHistory:
        """Add a walk."""
        since = now if self.changed_since is None else self.changed_since
        return replace(self, latest=state, changed_since=None if state.changes == 0 else since)

    def with_ingest(self, state: FolderState, now: float) -> WatchHistory:
        """Add an ingest that began with the folder in this state."""
        return replace(self, ingested=state, ingested_at=now, changed_since=None)


def should_ingest(
    state: FolderState, history: WatchHistory, now: float, *, settled: bool = False
) -> bool:
    """Decide whether to ingest now; `settled` means that no second walk is needed.

    The first time it is always true: a walk does not notice another site configuration or another
    version of this program.
    """
    if history.ingested is None:
        return True
    if state.changes == 0:
        return False
    if state == history.ingested:
        return now - history.ingested_at >= RETRY
    since = now if history.changed_since is None else history.changed_since
    return settled or state == history.latest or now - since >= MAX_WAIT
