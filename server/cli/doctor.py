"""`blog-search-mcp doctor`: check everything that serving a blog needs; print a line for each."""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, TypeAlias

from blog_search_mcp.index.embedders.registry import open_embedder
from blog_search_mcp.index.errors import BlogSearchError, ClientSettingsError, IndexProblem
from blog_search_mcp.index.invocation import TO_SETUP, Message, command, join_sentences
from blog_search_mcp.index.reader import IndexReader
from blog_search_mcp.index.store.manifest import Guard
from blog_search_mcp.index.store.statistics import describe_backlog
from blog_search_mcp.index.stores import open_store
from blog_search_mcp.index.text.display import one_line
from blog_search_mcp.ingest.last_ingest import format_age, name_skipped, read_last_ingest
from blog_search_mcp.server.cli import client_entries
from blog_search_mcp.server.cli.client_entries import find_url
from blog_search_mcp.server.cli.client_settings import CLIENTS, Client, EntryFields
from blog_search_mcp.server.cli.probe import ask_server
from blog_search_mcp.server.cli.terminal import fill_in_folders, print_text
from blog_search_mcp.server.settings import Settings
from blog_search_mcp.server.watch.staleness import StalenessCheck

State: TypeAlias = Literal["ok", "warning", "problem"]
"""Result of a check. `warning`: it works but could work better. `problem`: it does not work."""
Check: TypeAlias = tuple[str, State, str]
"""Subject of a check in a word or two, its state, and a sentence or more with the result."""


def print_checks(settings: Settings, clients: Mapping[str, Client]) -> int:
    """Print a line for each check. Return the exit status: 1 if there is a problem, else 0."""
    is_elsewhere = open_store(settings.index).stamp() is None and _has_url_entry(clients)
    none: Check = ("index", "ok", f"There is none in {settings.index}; clients ask a server.")
    of_index = [none] if is_elsewhere else check_index(settings)
    results = [*of_index, *check_clients(settings, clients)]
    width = max(len(subject) for subject, _, _ in results)
    for subject, state, text in results:
        print_text(f"{state:<9}{subject:<{width + 2}}{one_line(fill_in_folders(text, settings))}")
    states = Counter(state for _, state, _ in results)
    faults = [f"{state}s: {states[state]}" for state in ("problem", "warning") if states[state]]
    print_text(f"{', '.join(faults).capitalize()}." if faults else "All is well.")
    return int(states["problem"] > 0)


def check_index(settings: Settings) -> Iterator[Check]:
    """Hash the index's files, embed a query and look for changed posts; yield each check."""
    store = open_store(settings.index)
    try:
        manifest = store.read_manifest(store.current_number())
        IndexReader(store, manifest.generation, lambda it: open_embedder(it, ""))
        Guard(store.layout.generation(manifest.generation), manifest, trusts_stamps=False)
    except IndexProblem as error:
        yield ("index", "problem", error.message)
        return
    size = sum(file.size for file in manifest.files.values()) / 1e6
    age = format_age(manifest.created, datetime.now(UTC))
    contents = f"posts: {len(manifest.posts):,}, chunks: {manifest.chunks:,}, {size:.1f} MB"
    backlog = describe_backlog(len(manifest.posts), manifest.waiting) or ""
    yield "index", "ok", f"{settings.index} is whole ({contents}, made {age}). {backlog}"
    try:
        open_embedder(manifest.embedder, settings.embedder_url).embed_query("test")
    except BlogSearchError as error:
        yield ("embedder", "problem", Message("Search is by words alone: ", error.message))
    else:
        yield ("embedder", "ok", f"A query can be embedded with {manifest.embedder.title}.")
    posts = StalenessCheck(settings.index, run=lambda work: work())
    posts.check()
    notice = posts.notice() or "Nothing is known to have changed since the last ingest."
    last = read_last_ingest(store, manifest.generation)
    skipped = name_skipped(last.skipped) if last else ""
    yield ("posts", "warning" if posts.notice() else "ok", join_sentences(notice, skipped))


def _has_url_entry(clients: Mapping[str, Client]) -> bool:
    """Whether an entry of ours reaches a server by its URL."""
    for client in clients.values():
        with suppress(ClientSettingsError):
            if any(find_url(fields) for _, fields in client_entries.list_ours(client)):
                return True
    return False


def check_clients(settings: Settings, clients: Mapping[str, Client]) -> Iterator[Check]:
    """Yield a check of each of our entries, and warn of unreadable settings or of no entry."""
    has_entry = False
    for client in clients.values():
        try:
            for name, fields in client_entries.list_ours(client):
                state, text = _check_entry(client, name, fields, settings)
                yield client.title, state, f"The entry {name!r} in {client.path} {text}"
                has_entry = True
        except ClientSettingsError as error:
            yield client.title, "warning", str(error)
            has_entry = True
    if not has_entry:
        add = command("install", "CLIENT", "--index", settings.index)
        text = f"None has an entry for this server. Add one: `{add}` ({', '.join(CLIENTS)})."
        yield "clients", "warning", text


def _check_entry(
    client: Client, name: str, fields: EntryFields, settings: Settings
) -> tuple[State, str]:
    """Return the state of an entry, and a predicate that names its first fault or its server."""
    if url := find_url(fields):
        headers = fields.get("headers") or fields.get("http_headers") or {}
        is_answer, predicate = ask_server(url, headers)
        return "ok" if is_answer else "problem", f"reaches the server at {url}, which {predicate}"
    program, index = str(fields.get("command") or ""), client_entries.find_index(fields)
    write = command("install", client.slug, "--index", index or settings.index, "--name", name)
    anew = f"Write it anew: `{write}`"
    if reason := client_entries.explain_start(fields):
        return "problem", f"does not start ({reason}). {anew}"
    if index is None or not Path(program).is_absolute():
        return "warning", f"does not name program and index by their whole paths. {anew}"
    settings, store = replace(settings, index=index), open_store(index)
    try:
        store.read_manifest(store.current_number())
    except IndexProblem as error:
        return "problem", f"names {index}. {fill_in_folders(error.message, settings)}"
    watched = client_entries.find_option(fields, "--watch")
    if watched and not Path(watched).is_dir():
        gone = Message(f"follows {watched}, which is gone: ", TO_SETUP)
        return "warning", fill_in_folders(gone, settings)
    if lacking := client_entries.find_secrets(index).keys() - (fields.get("env") or {}).keys():
        return "warning", f"has no {' or '.join(lacking)}, which is set here. {anew}"
    return "ok", f"starts this server over {index}."
