"""The index and its posts: the index folder in, findings on whether it serves and is up to date.

Everything a server checks when it opens an index is checked here, by the same functions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from blog_search_mcp.index.content.changes import Changes, find_changes, format_age, list_changes
from blog_search_mcp.index.content.last_ingest import read_last_ingest
from blog_search_mcp.index.embedders.registry import open_embedder, runs_on_server
from blog_search_mcp.index.errors import (
    BlogSearchError,
    ContentError,
    EmbedderError,
    IndexMissing,
    IndexProblem,
)
from blog_search_mcp.index.reader import IndexReader
from blog_search_mcp.index.store.generations import current_number, lock_generation, read_manifest
from blog_search_mcp.index.store.layout import Layout
from blog_search_mcp.server.cli.doctor.finding import Finding
from blog_search_mcp.server.cli.install.scripts import command

if TYPE_CHECKING:
    from datetime import datetime

    from blog_search_mcp.index.content.last_ingest import LastIngest
    from blog_search_mcp.index.store.manifest import Manifest

CONTENT = "CONTENT"
"""Stands for the posts' folder where it is not known."""


@dataclass(frozen=True, slots=True)
class IndexFacts:
    """One index folder as it is now."""

    folder: Path
    size: int
    """Bytes on disk, the generation before and the embedding cache included."""
    content: Path | None
    """The posts' folder, as asked for or as the last ingest found it; `None` if not known."""
    manifest: Manifest | None = None
    failure: IndexProblem | None = None
    """Why a server cannot open it."""
    silent: EmbedderError | None = None
    """Why the model in the package does not embed, if the index is of it."""
    changes: Changes | None = None
    """Since the last ingest; `None` if they cannot be told."""
    unreadable: ContentError | None = None
    """Why the posts' folder cannot be walked."""


def gather(folder: Path, content: Path | None, today: str) -> IndexFacts:
    """Verify and open the index, and walk its content folder; `today` is an ISO day."""
    layout = Layout(folder)
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    facts = IndexFacts(folder, size, content)
    try:
        manifest = read_manifest(layout, current_number(layout))
        silent = _opened(layout, manifest)
    except IndexProblem as error:
        return replace(facts, failure=error)
    facts = replace(facts, manifest=manifest, silent=silent)
    seen = read_last_ingest(layout, manifest.generation)
    return facts if seen is None else _compared(facts, seen, today)


def _compared(facts: IndexFacts, seen: LastIngest, today: str) -> IndexFacts:
    content = facts.content or Path(seen.content)
    try:
        return replace(facts, content=content, changes=find_changes(seen, content, today))
    except ContentError as error:
        return replace(facts, content=content, unreadable=error)


def _opened(layout: Layout, manifest: Manifest) -> EmbedderError | None:
    """Open the index as a server does; return why the model in the package, if used, is silent."""
    embedder = open_embedder(manifest.embedder, "")
    lock = lock_generation(layout, manifest.generation)
    IndexReader(layout.generation(manifest.generation), manifest, embedder, lock).close()
    try:
        if not runs_on_server(manifest.embedder):
            embedder.embed_query("is anyone there?")
    except EmbedderError as error:
        return error
    return None


def findings(facts: IndexFacts, now: datetime) -> list[Finding]:
    """Judge the index and how far it is behind its posts."""
    if facts.manifest is None:
        return [_unusable(facts)]
    manifest = facts.manifest
    return [_usable(facts, manifest, now), *_embedder(facts), _posts(facts, manifest, now)]


def _unusable(facts: IndexFacts) -> Finding:
    failure = facts.failure
    again = () if isinstance(failure, IndexMissing) else ("--rebuild",)
    return Finding("index", "problem", first_sentence(failure), ingest_command(facts, *again))


def _usable(facts: IndexFacts, manifest: Manifest, now: datetime) -> Finding:
    return Finding(
        "index",
        "ok",
        f"Generation {manifest.generation} in {facts.folder}, whole: "
        f"{len(manifest.posts):,} posts, {manifest.chunks:,} chunks, {facts.size / 1e6:.1f} MB, "
        f"made {format_age(manifest.created, now)} with {manifest.embedder.name}.",
    )


def _embedder(facts: IndexFacts) -> list[Finding]:
    if facts.silent is None:
        return []
    return [Finding("embedder", "problem", first_sentence(facts.silent), "make clean setup")]


def _posts(facts: IndexFacts, manifest: Manifest, now: datetime) -> Finding:
    if facts.unreadable is not None:
        elsewhere = command("blog-server", "doctor", "--index", facts.folder, "--content", CONTENT)
        return Finding("posts", "warning", first_sentence(facts.unreadable), elsewhere)
    if facts.changes is None:
        said = "What the last ingest saw is not known, so no answer can say that posts changed."
        return Finding("posts", "warning", said, ingest_command(facts))
    count = len(facts.changes.sources)
    if not count:
        return Finding("posts", "ok", f"{facts.content} is as the last ingest saw it.")
    posts = "1 post has" if count == 1 else f"{count:,} posts have"
    return Finding(
        "posts",
        "warning",
        f"{posts} changed since the index was made {format_age(manifest.created, now)}: "
        f"{list_changes(facts.changes)}.",
        ingest_command(facts),
    )


def ingest_command(facts: IndexFacts, *more: str) -> str:
    """Write the command that brings the index up to date, with `more` options."""
    return command("blog-ingest", facts.content or CONTENT, "--index", facts.folder, *more)


def first_sentence(error: BlogSearchError | None) -> str:
    """Take what happened from a message; what to do next is the finding's own to say."""
    return str(error).partition(". ")[0].rstrip(".") + "."
