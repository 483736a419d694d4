"""Which posts belong in the index now: a folder and what was known of it in, digests out.

A file whose size and time are as the last ingest saw them is not opened. Every
other one is read and parsed; whether it really changed is for the digest to say.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from index.content_folder import Skipped, SourceFile, walk
from index.errors import PostChanging, UnreadablePost
from index.manifest import IndexedPost, Manifest
from index.reading import read
from index.seen import Asked, Seen, SeenFile, content_path
from ingest.post import ParsedPost, read_post
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
class Scan:
    """What the folder holds."""

    digests: Mapping[str, str]
    """By source, every post that belongs in the index."""
    parsed: Mapping[str, ParsedPost]
    """Those of them that were read."""
    files: Mapping[str, SourceFile]
    """By source, every file that was found."""
    due: Mapping[str, str]
    """By source, the first ISO day on which the same bytes would be treated otherwise."""
    skipped: tuple[Skipped, ...]
    problems: tuple[str, ...]
    """What was odd about files that were read, each with its source."""


def scan(content: Path, known: Known, today: date, include_drafts: bool) -> Scan:
    """Look at every file below `content`. Raises ContentError if it cannot be walked."""
    found = walk(content, SUFFIXES)
    digests: dict[str, str] = {}
    due: dict[str, str | None] = {}
    parsed: dict[str, ParsedPost] = {}
    skipped = list(found.skipped)
    problems: list[str] = []
    for file in found.files:
        before = known.posts.get(file.source)
        if before is not None and _untouched(file, before, known.settled_ns, today):
            digests[file.source] = before.digest
            due[file.source] = day_after(before.expires)
            continue
        try:
            post = read_post(file, read(file.path), today)
        except UnreadablePost as error:
            if before is not None and isinstance(error, PostChanging):
                digests[file.source] = before.digest
                due[file.source] = day_after(before.expires)
                problems.append(f"{file.source}: {error}; the index keeps what it had")
                continue
            skipped.append(Skipped(file.source, str(error)))
            continue
        due[file.source] = post.due
        problems += [f"{file.source}: {problem}" for problem in post.problems]
        if post.left_out and not include_drafts:
            skipped.append(Skipped(file.source, post.left_out))
            continue
        digests[file.source] = post.digest
        parsed[file.source] = post
    return Scan(
        digests=digests,
        parsed=parsed,
        files={file.source: file for file in found.files},
        due={} if include_drafts else {source: day for source, day in due.items() if day},
        skipped=tuple(sorted(skipped, key=lambda skip: skip.source)),
        problems=tuple(problems),
    )


def as_seen(scanned: Scan, content: Path, manifest: Manifest, asked: Asked) -> Seen:
    """What a server needs to tell later that `manifest`'s generation is behind, and to renew it."""
    files = {
        source: SeenFile(size=file.size, mtime_ns=file.mtime_ns, due=scanned.due.get(source))
        for source, file in scanned.files.items()
    }
    return Seen(
        generation=manifest.generation,
        created=manifest.created,
        content=content_path(content),
        suffixes=SUFFIXES,
        files=files,
        asked=asked,
    )


def _untouched(file: SourceFile, before: IndexedPost, settled_ns: int, today: date) -> bool:
    expired = before.expires is not None and before.expires < today.isoformat()
    same = (file.size, file.mtime_ns) == (before.size, before.mtime_ns)
    return same and file.mtime_ns < settled_ns and not expired
