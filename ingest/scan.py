"""Which files an ingest must open: a folder and what was known of it in, a list out.

A file whose size and time are as the last ingest saw them is not opened. Whether another one
really changed is for its digest to say (`ingest.outcome`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from index.content_folder import Skipped, SourceFile, walk
from index.manifest import IndexedPost
from ingest.visibility import day_after

SUFFIXES = (".md", ".markdown", ".mdx")
"""What a post's name ends in."""


@dataclass(frozen=True, slots=True)
class Known:
    """What the last ingest knew."""

    posts: Mapping[str, IndexedPost]
    settled_ns: int
    """A file modified at or after this time may have changed within its time stamp's grain."""


NOTHING_KNOWN = Known({}, 0)


@dataclass(frozen=True, slots=True)
class Unread:
    """A file that must be opened, and what is in the index of it."""

    file: SourceFile
    before: IndexedPost | None


@dataclass(frozen=True, slots=True)
class Scan:
    """What the folder holds; both sequences sorted by source."""

    files: Mapping[str, SourceFile]
    """By source, every file that was found."""
    unread: tuple[Unread, ...]
    untouched: Mapping[str, str | None]
    """By source, the posts that stay as they are, each with the first ISO day, if there is one,
    on which the same bytes would be treated otherwise."""
    skipped: tuple[Skipped, ...]


def scan(content: Path, known: Known, today: date) -> Scan:
    """Look at every file below `content`, opening none. Raises ContentError."""
    found = walk(content, SUFFIXES)
    unread, untouched = [], {}
    for file in found.files:
        before = known.posts.get(file.source)
        if before is not None and _is_untouched(file, before, known.settled_ns, today):
            untouched[file.source] = day_after(before.expires)
        else:
            unread.append(Unread(file, before))
    return Scan(
        {file.source: file for file in found.files}, tuple(unread), untouched, found.skipped
    )


def _is_untouched(file: SourceFile, before: IndexedPost, settled_ns: int, today: date) -> bool:
    expired = before.expires is not None and before.expires < today.isoformat()
    same = (file.size, file.mtime_ns) == (before.size, before.mtime_ns)
    return same and file.mtime_ns < settled_ns and not expired
