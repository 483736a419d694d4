"""`blog-search-mcp doctor`: check everything that serving a blog needs, a line for each thing.

The index is opened by the functions that a server opens it with.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, TypeAlias

from blog_search_mcp.index.commands import TO_INGEST, command
from blog_search_mcp.index.embedders.registry import open_embedder
from blog_search_mcp.index.embedders.remote import RemoteEmbedder
from blog_search_mcp.index.errors import (
    BlogSearchError,
    ClientSettingsError,
    ContentError,
    IndexProblem,
)
from blog_search_mcp.index.folder import FolderStore
from blog_search_mcp.index.posts.last_ingest import (
    describe_changes,
    find_changes,
    format_age,
    list_changes,
    read_last_ingest,
)
from blog_search_mcp.index.store.manifest import Manifest
from blog_search_mcp.index.store.statistics import describe_backlog
from blog_search_mcp.index.stores import Location, open_store
from blog_search_mcp.index.types import EmbedderIdentity
from blog_search_mcp.server.cli.client_settings import (
    ClientFile,
    Fields,
    find_index,
    is_ours,
    read_entries,
)
from blog_search_mcp.server.cli.terminal import print_lines, with_folders
from blog_search_mcp.server.format.results import count_columns, to_json
from blog_search_mcp.server.settings import CLIENTS, Settings
from blog_search_mcp.server.tools.base import Tool
from blog_search_mcp.server.tools.registry import TOOLSETS

PER_TOKEN = 4
"""Characters: for English prose and JSON within a few per cent of the tokenizers in use."""

State: TypeAlias = Literal["ok", "warning", "problem"]
"""What has a warning works, though not as well as it could; what has a problem does not work."""


Result: TypeAlias = tuple[str, State, str]
"""What was checked in a word or two, its state, and a sentence or two: how it is and, unless that
is well, what to do."""


def doctor(settings: Settings, clients: Mapping[str, ClientFile], path: str | None) -> int:
    """Print what each check tells; returns the exit status, 1 if there is a problem.

    `path` is where clients' programs are looked for by name, as in `PATH`.
    """
    results = [
        *check_index(settings, datetime.now(UTC)),
        ("tools", "ok", describe_tools()),
        *check_clients(clients, settings, path),
    ]
    print_lines(_write_results(results))
    return int(any(state == "problem" for _, state, _ in results))


def _write_results(results: Sequence[Result]) -> Iterator[str]:
    """Write a line for each result, and one of totals."""
    width = max(len(subject) for subject, _, _ in results)
    for subject, state, text in results:
        yield f"{state:<9}{subject:<{width + 2}}{text}"
    states = Counter(state for _, state, _ in results)
    bad = [f"{state}s: {states[state]}" for state in ("problem", "warning") if states[state]]
    yield f"{', '.join(bad).capitalize()}." if bad else "All is well."


def check_index(settings: Settings, now: datetime) -> list[Result]:
    """Open the index, hash all of it, embed a query, and compare the posts with the last ingest."""
    store = open_store(settings.index)
    try:
        manifest = store.read_manifest(store.current_number())
        store.open(manifest.generation, lambda identity: open_embedder(identity, "")).close()
        store.verify(manifest)
    except IndexProblem as error:
        results: list[Result] = [("index", "problem", str(error))]
    else:
        results = [
            _describe_index(store, manifest, now),
            _check_embedder(manifest.embedder, settings.embedder_url),
            _check_posts(store, manifest, now),
        ]
    return [(subject, state, with_folders(text, settings)) for subject, state, text in results]


def _describe_index(store: FolderStore, manifest: Manifest, now: datetime) -> Result:
    size = store.measure()
    facts = [
        f"posts: {len(manifest.posts):,}",
        f"chunks: {manifest.chunks:,}",
        "" if size is None else f"{size / 1e6:.1f} MB",
        f"made {format_age(manifest.created, now)}",
    ]
    text = f"{store.location} is whole ({', '.join(filter(None, facts))})."
    backlog = describe_backlog(len(manifest.posts), manifest.waiting)
    return ("index", "ok", " ".join(filter(None, (text, backlog))))


def _check_embedder(identity: EmbedderIdentity, url: str) -> Result:
    """Embed a query, if need be by the server at `url`."""
    try:
        embedder = open_embedder(identity, url)
        embedder.embed_query("test")
        warnings = embedder.warnings() if isinstance(embedder, RemoteEmbedder) else ()
    except BlogSearchError as error:
        return ("embedder", "problem", f"Search is by words alone: {error}")
    if warnings:
        return ("embedder", "warning", " ".join(warnings))
    return ("embedder", "ok", f"A query can be embedded with {identity.title}.")


def _check_posts(store: FolderStore, manifest: Manifest, now: datetime) -> Result:
    """Compare the posts with what the last ingest saw."""
    last = read_last_ingest(store, manifest.generation)
    if last is None:
        text = f"Whether posts changed cannot be told before the next ingest: `{TO_INGEST}`."
        return ("posts", "warning", text)
    try:
        changes = find_changes(last, now.isoformat(timespec="seconds"))
    except ContentError as error:
        text = f"{error} If the posts were moved, ingest them where they are: `{TO_INGEST}`."
        return ("posts", "warning", text)
    if described := describe_changes(changes, last.created, now):
        return ("posts", "warning", f"{list_changes(changes)}: {described}")
    return ("posts", "ok", f"Nothing in {last.content} has changed since the last ingest.")


def describe_tools() -> str:
    """Say what the definitions of each set of tools cost a model in each session."""
    tokens = {
        name: sum(estimate_tokens(definition_of(tool)) for tool in tools)
        for name, tools in TOOLSETS.items()
    }
    costs = ", ".join(f"{name} {count:,}" for name, count in tokens.items())
    return f"The tools cost a model some tokens in each session: {costs}."


def estimate_tokens(text: str) -> int:
    """Estimate: a token for PER_TOKEN characters begun, and one for each wide one (Chinese)."""
    wide = count_columns(text) - len(text)
    return wide + -(-(len(text) - wide) // PER_TOKEN)


def definition_of(tool: Tool[Any]) -> str:
    """Write a tool as it stands in a model's context."""
    return to_json(
        {"name": tool.name, "description": tool.description, "input_schema": tool.input_schema}
    )


def check_clients(
    clients: Mapping[str, ClientFile], settings: Settings, path: str | None
) -> list[Result]:
    """Check every entry of ours, and tell how to make one if there is none."""
    results: list[Result] = []
    for file in clients.values():
        try:
            entries = read_entries(file)
        except ClientSettingsError as error:
            results.append((file.client, "warning", str(error)))
        else:
            results += [
                _check_entry(file, name, fields, settings, path)
                for name, fields in entries.items()
                if is_ours(fields)
            ]
    if not results:
        add = command("install", "CLIENT", "--index", settings.index)
        text = f"None has an entry for this server. Add one: `{add}` ({', '.join(CLIENTS)})."
        results.append(("clients", "warning", text))
    return results


def _check_entry(
    file: ClientFile, name: str, fields: Fields, settings: Settings, path: str | None
) -> Result:
    """Return the first thing that is wrong with an entry, or that it works."""
    program, index = str(fields.get("command") or ""), find_index(fields)
    write = command("install", file.word, "--index", index or settings.index, "--name", name)
    state: State = "warning"
    if shutil.which(program, path=path) is None:
        state, text = "problem", f"starts {program}, which is not there. Write it anew: `{write}`"
    elif not Path(program).is_absolute():
        text = f"starts {program}, but the client may have another PATH. Write it anew: `{write}`"
    elif index is None:
        text = f"names no index by its whole path; the client's folder decides. Write it: `{write}`"
    elif problem := _find_problem(index, settings):
        state, text = "problem", f"names {index}. {problem}"
    else:
        state, text = "ok", f"starts this server over {index}."
    return (file.client, state, f"The entry {name!r} in {file.path} {text}")


def _find_problem(index: Location, settings: Settings) -> str:
    """Say why no server can open an index, empty if one can."""
    try:
        open_store(index).current_number()
    except IndexProblem as error:
        return with_folders(str(error), replace(settings, index=index))
    return ""
