"""When a folder that is watched is to be ingested: what was seen comes in, a yes or no goes out.

What is saved together is ingested together: a folder that still changes is left until two
looks in a row see the same, or the system tells that it rests.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from blog_search_mcp.index.content.walk import SourceFile

GATHER = 30.0
"""Seconds after which a folder that never rests is ingested all the same."""
RETRY = 60.0
"""Seconds after which an ingest that failed is tried again though nothing has changed."""


@dataclass(frozen=True, slots=True)
class Look:
    """What one look at the folder saw."""

    files: tuple[SourceFile, ...]
    day: str
    """ISO day; it alone makes dated posts appear and go."""
    changes: int | None
    """Files that an ingest would treat anew; `None` if only an ingest can tell."""


@dataclass(frozen=True, slots=True)
class Past:
    """What was seen and done before; times in seconds of one clock."""

    seen: Look | None = None
    restless_since: float | None = None
    """When changes were first seen that no ingest has taken yet."""
    tried: Look | None = None
    """What was there when the last ingest began."""
    tried_at: float = 0.0

    def with_look(self, look: Look, now: float) -> Past:
        """Add what was just seen."""
        since = now if self.restless_since is None else self.restless_since
        return replace(self, seen=look, restless_since=None if look.changes == 0 else since)

    def with_ingest(self, look: Look, now: float) -> Past:
        """Add an ingest that began after `look`."""
        return replace(self, tried=look, tried_at=now, restless_since=None)


def is_due(look: Look, past: Past, now: float, *, rests: bool = False) -> bool:
    """Whether to ingest now; the first time in any case, for what a look cannot see.

    That is a site's configuration, and a new version of this program. `rests` says that whatever
    has changed is complete, without a second look.
    """
    if past.tried is None:
        return True
    if look.changes == 0:
        return False
    if look == past.tried:
        return now - past.tried_at >= RETRY
    since = now if past.restless_since is None else past.restless_since
    return rests or look == past.seen or now - since >= GATHER
