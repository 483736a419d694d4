"""What an ingest finds before it opens a post: the index there is and the folder in, a look out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from index.content_folder import SourceFile
from ingest.recipe import Recipe, recipe
from ingest.scan import NOTHING_KNOWN, Known, Scan, scan
from ingest.site_files import find_site

if TYPE_CHECKING:
    from index.embedder.choose import Choice
    from index.manifest import IndexedPost, Manifest
    from ingest.job import Job
    from ingest.site import Site

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
        unknown = dict.fromkeys(self.site.rules.unknown_tokens()) if self.site else {}
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
