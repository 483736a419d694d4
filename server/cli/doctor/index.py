"""Check that the index can be served and is up to date with its posts.

The index is opened by the functions that a server opens it with.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from blog_search_mcp.index.content.changes import Changes, find_changes, format_age, list_changes
from blog_search_mcp.index.content.last_ingest import LastIngest, read_last_ingest
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
from blog_search_mcp.index.store.manifest import Manifest
from blog_search_mcp.server.cli.doctor.findings import Finding
from blog_search_mcp.server.cli.install.scripts import command

CONTENT = "CONTENT"
"""Placeholder for the posts' folder where it is not known."""


@dataclass(frozen=True, slots=True)
class IndexFacts:
    """One index folder as it is now."""

    folder: Path
    size: int
    """Bytes on disk, the generation before and the embedding cache included."""
    content: Path | None
    """The posts' folder, as given or as the last ingest found it; `None` if not known."""
    manifest: Manifest | None = None
    failure: IndexProblem | None = None
    """Why a server cannot open it."""
    embedder_error: EmbedderError | None = None
    """Why the packaged model does not embed, if the index uses it."""
    changes: Changes | None = None
    """Since the last ingest; `None` if they are not known."""
    unreadable: ContentError | None = None
    """Why the posts' folder cannot be walked."""


def inspect_index(folder: Path, content: Path | None, today: str) -> IndexFacts:
    """Verify and open the index, and walk its content folder; `today` is an ISO day."""
    layout = Layout(folder)
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    facts = IndexFacts(folder, size, content)
    try:
        manifest = read_manifest(layout, current_number(layout))
        embedder_error = _open(layout, manifest)
    except IndexProblem as error:
        return replace(facts, failure=error)
    facts = replace(facts, manifest=manifest, embedder_error=embedder_error)
    last = read_last_ingest(layout, manifest.generation)
    return facts if last is None else _with_changes(facts, last, today)


def _with_changes(facts: IndexFacts, last: LastIngest, today: str) -> IndexFacts:
    content = facts.content or Path(last.content)
    try:
        return replace(facts, content=content, changes=find_changes(last, content, today))
    except ContentError as error:
        return replace(facts, content=content, unreadable=error)


def _open(layout: Layout, manifest: Manifest) -> EmbedderError | None:
    """Open the index as a server does; return why the model in the package, if used, fails."""
    embedder = open_embedder(manifest.embedder, "")
    lock = lock_generation(layout, manifest.generation)
    IndexReader(layout.generation(manifest.generation), manifest, embedder, lock).close()
    try:
        if not runs_on_server(manifest.embedder):
            embedder.embed_query("test")
    except EmbedderError as error:
        return error
    return None


def check_index(facts: IndexFacts, now: datetime) -> list[Finding]:
    """Report the state of the index and how far it is behind its posts."""
    if facts.manifest is None:
        return [_report_failure(facts)]
    manifest = facts.manifest
    return [
        _report_index(facts, manifest, now),
        *_report_embedder(facts),
        _report_posts(facts, manifest, now),
    ]


def _report_failure(facts: IndexFacts) -> Finding:
    failure = facts.failure
    again = () if isinstance(failure, IndexMissing) else ("--rebuild",)
    return Finding("index", "problem", first_sentence(failure), ingest_command(facts, *again))


def _report_index(facts: IndexFacts, manifest: Manifest, now: datetime) -> Finding:
    return Finding(
        "index",
        "ok",
        f"Generation {manifest.generation} in {facts.folder}, whole: "
        f"{len(manifest.posts):,} posts, {manifest.chunks:,} chunks, {facts.size / 1e6:.1f} MB, "
        f"made {format_age(manifest.created, now)} with {manifest.embedder.name}.",
    )


def _report_embedder(facts: IndexFacts) -> list[Finding]:
    if facts.embedder_error is None:
        return []
    return [
        Finding("embedder", "problem", first_sentence(facts.embedder_error), "make clean setup")
    ]


def _report_posts(facts: IndexFacts, manifest: Manifest, now: datetime) -> Finding:
    if facts.unreadable is not None:
        elsewhere = command("blog-server", "doctor", "--index", facts.folder, "--content", CONTENT)
        return Finding("posts", "warning", first_sentence(facts.unreadable), elsewhere)
    if facts.changes is None:
        text = "What the last ingest saw is not known, so no answer can say that posts changed."
        return Finding("posts", "warning", text, ingest_command(facts))
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
    """Return the command that brings the index up to date, with `more` options."""
    return command("blog-ingest", facts.content or CONTENT, "--index", facts.folder, *more)


def first_sentence(error: BlogSearchError | None) -> str:
    """Return the part of a message before the remedy: a finding has a remedy of its own."""
    return str(error).partition(". ")[0].rstrip(".") + "."
