"""Check that the index can be served and is up to date with its posts.

The index is opened by the functions that a server opens it with.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from blog_search_mcp.index.commands import PACKAGE, command
from blog_search_mcp.index.embedders.registry import open_embedder, runs_on_server
from blog_search_mcp.index.errors import (
    ContentError,
    EmbedderError,
    IndexMissing,
    IndexPlaceUnusable,
    IndexProblem,
    IndexUnreachable,
)
from blog_search_mcp.index.posts.changes import (
    count_changed,
    find_changes,
    format_age,
    list_changes,
)
from blog_search_mcp.index.posts.last_ingest import LastIngest, read_last_ingest
from blog_search_mcp.index.posts.next_ingest import ingest_command
from blog_search_mcp.index.store.manifest import Manifest
from blog_search_mcp.index.store.statistics import describe_backlog
from blog_search_mcp.index.stores import IndexStore, Location, open_store
from blog_search_mcp.index.types import EmbedderIdentity
from blog_search_mcp.server.cli.doctor.results import CheckResult, count, split_message

CONTENT = "CONTENT"
"""Placeholder for the posts' folder where it is not known."""


@dataclass(frozen=True, slots=True)
class IndexCheck:
    """What was found of one index, and what other checks need of it."""

    results: list[CheckResult]
    ingest: str
    """The command that brings it up to date, without further options."""
    embedder: EmbedderIdentity | None = None
    """`None` if it cannot be opened."""


def check_index(index: Location, content: Path | None, now: datetime) -> IndexCheck:
    """Verify and open the index, and compare it with its posts.

    `content` is the posts' folder if it is not where the last ingest found it.
    """
    store = open_store(index)
    try:
        manifest = store.read_manifest(store.current_number())
        embedder_error = _open(store, manifest)
    except IndexProblem as error:
        ingest = ingest_command(index, content)
        text, remedy = split_message(error)
        if isinstance(error, IndexPlaceUnusable):
            remedy = command("ingest", content or CONTENT, "--index", "DIR")
        elif not isinstance(error, IndexUnreachable):
            remedy = ingest if isinstance(error, IndexMissing) else f"{ingest} --rebuild"
        return IndexCheck([CheckResult("index", "problem", text, remedy)], ingest)
    results = [_describe_index(store, manifest, now)]
    if embedder_error is not None:
        text, _ = split_message(embedder_error)
        remedy = f"Install {PACKAGE} anew, the way it was installed."
        results.append(CheckResult("embedder", "problem", text, remedy))
    last_ingest = read_last_ingest(store, manifest.generation)
    if last_ingest is not None:
        content = content or Path(last_ingest.content)
    ingest = ingest_command(index, content)
    if last_ingest is None or content is None:
        text = "What the last ingest saw is not known, so no answer can say that posts changed."
        results.append(CheckResult("posts", "warning", text, ingest))
    else:
        results.append(_check_posts(index, last_ingest, content, now))
    return IndexCheck(results, ingest, manifest.embedder)


def _open(store: IndexStore, manifest: Manifest) -> EmbedderError | None:
    """Open the index as a server does and hash all of it.

    Returns why a model of the package fails to embed. Raises IndexProblem.
    """
    embedder = open_embedder(manifest.embedder, "")
    store.open(manifest.generation, lambda _identity: embedder).close()
    store.verify(manifest)
    try:
        if not runs_on_server(manifest.embedder):
            embedder.embed_query("test")
    except EmbedderError as error:
        return error
    return None


def _describe_index(store: IndexStore, manifest: Manifest, now: datetime) -> CheckResult:
    measured = store.measure()
    size = "" if measured is None else f"{measured / 1e6:.1f} MB, "
    backlog = describe_backlog(len(manifest.posts), manifest.waiting)
    return CheckResult(
        "index",
        "ok",
        f"{store.location} is whole: {count(len(manifest.posts), 'post')}, "
        f"{count(manifest.chunks, 'chunk')}, {size}made "
        f"{format_age(manifest.created, now)} with {manifest.embedder.title}."
        + (f" {backlog}" if backlog else ""),
    )


def _check_posts(
    index: Location, last_ingest: LastIngest, content: Path, now: datetime
) -> CheckResult:
    try:
        changes = find_changes(last_ingest, content, now.astimezone().date().isoformat())
    except ContentError as error:
        elsewhere = command("ingest", CONTENT, "--index", index)
        return CheckResult("posts", "warning", split_message(error)[0], elsewhere)
    if not changes.sources:
        return CheckResult(
            "posts", "ok", f"Nothing in {content} has changed since the last ingest."
        )
    text = (
        f"{count_changed(len(changes.sources))} since the index was made "
        f"{format_age(last_ingest.created, now)}: {list_changes(changes)}."
    )
    return CheckResult("posts", "warning", text, ingest_command(index, content))
