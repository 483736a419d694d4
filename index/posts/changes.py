"""Compare a content folder with what the last ingest left, and describe the difference.

A file counts as changed when its size or time is another, as for an ingest. Only an ingest opens
files, so an edited draft counts too.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from blog_search_mcp.index.commands import TO_INGEST
from blog_search_mcp.index.posts.last_ingest import LastIngest
from blog_search_mcp.index.posts.walk import SourceFile, walk

MAX_NAMES = 3
"""Sources that `list_changes` names."""


@dataclass(frozen=True, slots=True)
class Changes:
    """Sources that differ from the last ingest; each tuple sorted."""

    changed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    due: tuple[str, ...] = ()
    """The same bytes, but from this instant on they appear, or go."""

    @property
    def sources(self) -> tuple[str, ...]:
        """All of them."""
        return (*self.changed, *self.added, *self.removed, *self.due)


def find_changes(last: LastIngest, content: Path, now: str) -> Changes:
    """Walk `content` by the rules of the ingest and compare. Raises ContentError."""
    return compare_files(last, walk(content, last.suffixes).files, now)


def compare_files(last: LastIngest, files: Iterable[SourceFile], now: str) -> Changes:
    """Compare the last ingest with `files` as they are at `now`, written as `FileState.due`."""
    found = {file.source: (file.size, file.mtime_ns) for file in files}
    before = {source: (file.size, file.mtime_ns) for source, file in last.files.items()}
    both = sorted(before.keys() & found.keys())
    same = [source for source in both if before[source] == found[source]]
    return Changes(
        changed=tuple(source for source in both if before[source] != found[source]),
        added=tuple(sorted(found.keys() - before.keys())),
        removed=tuple(sorted(before.keys() - found.keys())),
        due=tuple(source for source in same if (last.files[source].due or "~") <= now),
    )


def describe_changes(changes: Changes, created: str, now: datetime) -> str | None:
    """Return a sentence on how many posts changed since the index was `created`, if any did."""
    count = len(changes.sources)
    if not count:
        return None
    return (
        f"{count_changed(count)} since the index was made {format_age(created, now)}; "
        f"to include {'it' if count == 1 else 'them'}: `{TO_INGEST}`."
    )


def count_changed(posts: int) -> str:
    """Begin a sentence: `3 posts have changed`."""
    return "1 post has changed" if posts == 1 else f"{posts:,} posts have changed"


def list_changes(changes: Changes) -> str:
    """Name the first few sources and how many more there are."""
    sources = changes.sources
    more = f" and {len(sources) - MAX_NAMES:,} more" if len(sources) > MAX_NAMES else ""
    return ", ".join(sources[:MAX_NAMES]) + more


def format_age(created: str, now: datetime) -> str:
    """Write the time since `created`, an ISO 8601 time with its zone: `2 days ago`."""
    passed = now - datetime.fromisoformat(created)
    for unit in ("day", "hour", "minute"):
        count = passed // timedelta(**{f"{unit}s": 1})
        if count >= 1:
            return f"{count:,} {unit}{'' if count == 1 else 's'} ago"
    return "less than a minute ago"
