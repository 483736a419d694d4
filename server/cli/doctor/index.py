"""Check that the index can be served, that its embedder embeds, and that its posts are in it.

The index is opened by the functions that a server opens it with.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from pathlib import Path

from blog_search_mcp.index.commands import TO_INGEST
from blog_search_mcp.index.embedders.registry import open_embedder
from blog_search_mcp.index.embedders.remote import RemoteEmbedder
from blog_search_mcp.index.errors import BlogSearchError, ContentError, IndexProblem
from blog_search_mcp.index.folder import FolderStore
from blog_search_mcp.index.posts.changes import (
    describe_changes,
    find_changes,
    format_age,
    list_changes,
)
from blog_search_mcp.index.posts.last_ingest import read_last_ingest
from blog_search_mcp.index.store.manifest import Manifest
from blog_search_mcp.index.store.statistics import describe_backlog
from blog_search_mcp.index.stores import open_store
from blog_search_mcp.index.types import EmbedderIdentity
from blog_search_mcp.server.cli.doctor.results import CheckResult
from blog_search_mcp.server.cli.terminal import with_folders
from blog_search_mcp.server.settings import Settings


def check_index(settings: Settings, now: datetime) -> list[CheckResult]:
    """Open the index, hash all of it, embed a query, and compare the posts with the last ingest."""
    store = open_store(settings.index)
    try:
        manifest = store.read_manifest(store.current_number())
        store.open(manifest.generation, lambda identity: open_embedder(identity, "")).close()
        store.verify(manifest)
    except IndexProblem as error:
        results = [CheckResult("index", "problem", str(error))]
    else:
        results = [
            _describe_index(store, manifest, now),
            _check_embedder(manifest.embedder, settings.embedder_url),
            _check_posts(store, manifest, now),
        ]
    return [replace(result, text=with_folders(result.text, settings)) for result in results]


def _describe_index(store: FolderStore, manifest: Manifest, now: datetime) -> CheckResult:
    size = store.measure()
    facts = [
        f"posts: {len(manifest.posts):,}",
        f"chunks: {manifest.chunks:,}",
        "" if size is None else f"{size / 1e6:.1f} MB",
        f"made {format_age(manifest.created, now)}",
    ]
    text = f"{store.location} is whole ({', '.join(filter(None, facts))})."
    backlog = describe_backlog(len(manifest.posts), manifest.waiting)
    return CheckResult("index", "ok", " ".join(filter(None, (text, backlog))))


def _check_embedder(identity: EmbedderIdentity, url: str) -> CheckResult:
    """Embed a query, if need be by the server at `url`."""
    try:
        embedder = open_embedder(identity, url)
        embedder.embed_query("test")
        warnings = embedder.warnings() if isinstance(embedder, RemoteEmbedder) else ()
    except BlogSearchError as error:
        return CheckResult("embedder", "problem", f"Search is by words alone: {error}")
    if warnings:
        return CheckResult("embedder", "warning", " ".join(warnings))
    return CheckResult("embedder", "ok", f"A query can be embedded with {identity.title}.")


def _check_posts(store: FolderStore, manifest: Manifest, now: datetime) -> CheckResult:
    """Compare the posts with what the last ingest saw."""
    last = read_last_ingest(store, manifest.generation)
    if last is None:
        text = f"Whether posts changed cannot be told before the next ingest: `{TO_INGEST}`."
        return CheckResult("posts", "warning", text)
    try:
        changes = find_changes(last, Path(last.content), now.isoformat(timespec="seconds"))
    except ContentError as error:
        text = f"{error} If the posts were moved, ingest them where they are: `{TO_INGEST}`."
        return CheckResult("posts", "warning", text)
    if described := describe_changes(changes, last.created, now):
        return CheckResult("posts", "warning", f"{list_changes(changes)}: {described}")
    return CheckResult(
        "posts", "ok", f"Nothing in {last.content} has changed since the last ingest."
    )
