"""Which files an ingest must open: a folder and what was known of it in, a list out.

A file whose size and time are as the last ingest saw them is not opened. Whether another one
really changed is for its digest to say (`ingest.prepare`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from blog_search_mcp.index.content.walk import Skipped, SourceFile, walk
from blog_search_mcp.index.store.manifest import IndexedPost
from blog_search_mcp.ingest.documents.visibility import day_after
from blog_search_mcp.ingest.job import Recipe, recipe
from blog_search_mcp.ingest.sites.discovery import find_site

if TYPE_CHECKING:
    from blog_search_mcp.index.embedders.registry import Choice
    from blog_search_mcp.index.store.manifest import Manifest
    from blog_search_mcp.ingest.job import Job
    from blog_search_mcp.ingest.sites.base import Site

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


GRAIN_NS = 2_000_000_000
"""Coarsest time stamp of a common file system: FAT keeps two seconds."""


@dataclass(frozen=True, slots=True)
class Look:
    """What there is."""

    live: int
    """The live generation's number, 0 if there is none."""
    base: Manifest | None
    """The generation to start from; `None` if all must be made anew."""
    recipe: Recipe
    site: Site | None
    """What links are made with; `None` if they cannot be."""
    scan: Scan
    choice: Choice
    began: str
    """When the folder was looked at, UTC, ISO 8601 to the second."""

    @property
    def files(self) -> Mapping[str, SourceFile]:
        """By source, every file that was found."""
        return self.scan.files

    @property
    def gone(self) -> tuple[str, ...]:
        """Sources in the index whose files are not there."""
        return tuple(sorted(self.base.posts.keys() - self.files.keys())) if self.base else ()

    @property
    def warnings(self) -> tuple[str, ...]:
        """What keeps posts from having links, a sentence each."""
        unknown = dict.fromkeys(self.site.generator.unknown_tokens()) if self.site else {}
        return tuple(
            f"The permalink pattern holds {token}, which cannot be filled in here: "
            "posts it applies to have no link."
            for token in unknown
        )


def look_at(job: Job, live: Manifest | None, choice: Choice) -> Look:
    """Look at the folder of `job`, whose index has `live`. Raises ContentError or UsageError."""
    began = datetime.now(UTC).isoformat(timespec="seconds")
    site = find_site(job.content, job.base_url, job.permalink)
    wanted = recipe(job.include_drafts, job.index_descriptions, site.digest if site else "")
    base = live if live and live.recipe == wanted else None
    found = scan(job.content, _known(base, choice), job.today)
    return Look(live.generation if live else 0, base, wanted, site, found, choice, began)


def _known(base: Manifest | None, choice: Choice) -> Known:
    if base is None:
        return NOTHING_KNOWN
    created = datetime.fromisoformat(base.created).timestamp()
    return Known(_seen(base, choice), int(created) * 1_000_000_000 - GRAIN_NS)


def _seen(base: Manifest, choice: Choice) -> dict[str, IndexedPost]:
    """The posts of the base; one that lacks a vector counts as changed once Ollama is another.

    The same version would only fail on it again.
    """
    lacking = {source: post for source, post in base.posts.items() if post.unembedded}
    before = base.embedder.fingerprint
    if not lacking or before is None or choice.version_now() in ("", before.version):
        return base.posts
    changed = {"digest": "", "size": -1}
    return base.posts | {s: post.model_copy(update=changed) for s, post in lacking.items()}
