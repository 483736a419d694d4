"""How far an index is behind its content folder: what was seen and what is there in, sentence out.

A file counts as changed when its size or time is another, as for an ingest; only an ingest
opens it, so a draft that was edited counts too.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from blog_search_mcp.index.content.last_ingest import Seen
from blog_search_mcp.index.content.walk import SourceFile, walk

NAMED = 3
"""Files named where somebody asks which ones they are."""


@dataclass(frozen=True, slots=True)
class Changes:
    """Sources by what became of them since the last ingest; each tuple sorted."""

    changed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    due: tuple[str, ...] = ()
    """The same bytes, but their day has come: they appear, or go."""

    @property
    def sources(self) -> tuple[str, ...]:
        """All of them."""
        return (*self.changed, *self.added, *self.removed, *self.due)


def changes_of(seen: Seen, content: Path, today: str) -> Changes:
    """Walk `content` by the rules of the ingest and compare. Raises ContentError."""
    return compare(seen, walk(content, seen.suffixes).files, today)


def compare(seen: Seen, files: Iterable[SourceFile], today: str) -> Changes:
    """Compare what was seen with `files` as they are on the ISO day `today`."""
    now = {file.source: (file.size, file.mtime_ns) for file in files}
    before = {source: (file.size, file.mtime_ns) for source, file in seen.files.items()}
    both = sorted(before.keys() & now.keys())
    same = [source for source in both if before[source] == now[source]]
    return Changes(
        changed=tuple(source for source in both if before[source] != now[source]),
        added=tuple(sorted(now.keys() - before.keys())),
        removed=tuple(sorted(before.keys() - now.keys())),
        due=tuple(source for source in same if (seen.files[source].due or "~") <= today),
    )


def sentence(changes: Changes, created: str, now: datetime) -> str | None:
    """Say how many posts have changed since the index of `created` was made; `None` if none."""
    count = len(changes.sources)
    if not count:
        return None
    posts, them = ("1 post has", "it") if count == 1 else (f"{count:,} posts have", "them")
    return (
        f"{posts} changed since the index was made {age(created, now)}; "
        f"to include {them}: `python -m ingest CONTENT`."
    )


def named(changes: Changes) -> str:
    """Name the first few of them."""
    sources = changes.sources
    more = f" and {len(sources) - NAMED:,} more" if len(sources) > NAMED else ""
    return ", ".join(sources[:NAMED]) + more


def age(created: str, now: datetime) -> str:
    """Say how long ago `created`, an ISO 8601 time with its zone, was: `2 days ago`."""
    passed = now - datetime.fromisoformat(created)
    for unit, length in (
        ("day", timedelta(days=1)),
        ("hour", timedelta(hours=1)),
        ("minute", timedelta(minutes=1)),
    ):
        count = passed // length
        if count >= 1:
            return f"{count:,} {unit}{'' if count == 1 else 's'} ago"
    return "less than a minute ago"
