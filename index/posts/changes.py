"""Compare a content folder with what the last ingest left, and describe the difference.

A file counts as changed when its size or time is another, as for an ingest. Only an ingest opens
files, so an edited draft counts too.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from blog_search_mcp.index.commands import TO_INGEST
from blog_search_mcp.index.posts.last_ingest import LastIngest
from blog_search_mcp.index.posts.walk import SourceFile, walk

MAX_NAMES = 3
"""Sources that `list_changes` names."""


def find_changes(last: LastIngest, content: Path, now: str) -> list[str]:
    """Walk `content` by the rules of the ingest and compare. Raises ContentError."""
    return compare_files(last, walk(content, last.suffixes).files, now)


def compare_files(last: LastIngest, files: Iterable[SourceFile], now: str) -> list[str]:
    """List the sources that differ from the last ingest at `now`, written as `FileState.due`.

    Sorted: those that changed, were added or removed, and those that appear or go by themselves.
    """
    present = {file.source: (file.size, file.mtime_ns) for file in files}
    before = {source: (file.size, file.mtime_ns) for source, file in last.files.items()}
    due = {source for source, file in last.files.items() if (file.due or "~") <= now}
    return sorted({source for source, _ in present.items() ^ before.items()} | due)


def describe_changes(changes: Sequence[str], created: str, now: datetime) -> str | None:
    """Return a sentence on how many posts changed since the index was `created`, if any did."""
    if not changes:
        return None
    them = "it" if len(changes) == 1 else "them"
    made = f"since the index was made {format_age(created, now)}"
    return f"{count_changed(len(changes))} {made}; to include {them}: `{TO_INGEST}`."


def count_changed(posts: int) -> str:
    """Begin a sentence: `3 posts have changed`."""
    return "1 post has changed" if posts == 1 else f"{posts:,} posts have changed"


def list_changes(changes: Sequence[str]) -> str:
    """Name the first few sources and how many more there are."""
    more = len(changes) - MAX_NAMES
    return ", ".join(changes[:MAX_NAMES]) + (f" and {more:,} more" if more > 0 else "")


def format_age(created: str, now: datetime) -> str:
    """Write the time since `created`, an ISO 8601 time with its zone: `2 days ago`."""
    passed = now - datetime.fromisoformat(created)
    for unit in ("day", "hour", "minute"):
        count = passed // timedelta(**{f"{unit}s": 1})
        if count >= 1:
            return f"{count:,} {unit}{'' if count == 1 else 's'} ago"
    return "less than a minute ago"
