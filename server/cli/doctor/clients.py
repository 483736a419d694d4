"""Clients: their settings files in, findings on the entries that start this server out."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from blog_search_mcp.index.store.layout import Layout
from blog_search_mcp.server.cli.doctor.finding import Finding, State
from blog_search_mcp.server.cli.install.clients import ClientFile, Places, client_files
from blog_search_mcp.server.cli.install.entries import Entry, read_entries
from blog_search_mcp.server.cli.install.scripts import SERVER, command, script_path
from blog_search_mcp.server.settings import CLIENTS

if TYPE_CHECKING:
    from collections.abc import Sequence

VARIABLE = "${"
"""Begins what the client itself fills in; such a folder cannot be judged here."""


@dataclass(frozen=True, slots=True)
class EntryFacts:
    """One entry of ours and what it names."""

    file: ClientFile
    entry: Entry
    found: str | None
    """Where its command is, as a shell would find it; `None` if nowhere."""
    has_index: bool
    """Whether its index folder holds an index."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A settings file that no entry can be read from."""

    file: ClientFile
    reason: str


@dataclass(frozen=True, slots=True)
class _Fault:
    """What is wrong with one entry, as the end of a sentence about it."""

    state: State
    said: str
    mend: str


def gather(places: Places) -> list[EntryFacts | Unreadable]:
    """Read every settings file there is."""
    facts: list[EntryFacts | Unreadable] = []
    for file in client_files(places):
        try:
            entries = read_entries(file, file.path.read_text(encoding="utf-8-sig"))
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            facts.append(Unreadable(file, f"it cannot be read: {error.strerror}"))
        except ValueError as error:
            facts.append(Unreadable(file, str(error)))
        else:
            facts += [_looked_at(file, entry, places) for entry in entries if entry.is_ours]
    return facts


def findings(facts: Sequence[EntryFacts | Unreadable], index: Path) -> list[Finding]:
    """Judge every entry; `index` is the folder that a new entry should name."""
    judged = [_judged(fact, index) for fact in facts]
    if any(isinstance(fact, EntryFacts) for fact in facts):
        return judged
    said = f"No client has an entry for this server; install knows {', '.join(CLIENTS)}."
    add = command(SERVER, "install", "claude-code", "--index", index)
    return [*judged, Finding("clients", "warning", said, add)]


def _looked_at(file: ClientFile, entry: Entry, places: Places) -> EntryFacts:
    found = shutil.which(entry.command, path=places.environment.get("PATH"))
    return EntryFacts(file, entry, found, Layout(_folder(entry.index)).current.is_file())


def _folder(named: str) -> Path:
    """Take the folder as the server will, with `~` for the home."""
    try:
        return Path(named).expanduser()
    except RuntimeError:  # a home of nobody
        return Path(named)


def _judged(fact: EntryFacts | Unreadable, index: Path) -> Finding:
    client, path = fact.file.client, fact.file.path
    if isinstance(fact, Unreadable):
        said = f"{path} cannot be used: {fact.reason}."
        return Finding(client, "warning", said, f"Correct {path}.")
    fault = _command_fault(fact, index) or _index_fault(fact, index)
    where = f"The entry {fact.entry.name!r} in {path}"
    if fault is None:
        return Finding(client, "ok", f"{where} starts this server over {fact.entry.index}.")
    return Finding(client, fault.state, f"{where} {fault.said}", fault.mend)


def _command_fault(fact: EntryFacts, index: Path) -> _Fault | None:
    started = fact.entry.command
    named = Path(fact.entry.index) if Path(fact.entry.index).is_absolute() else index
    mend = _install(fact, named) or f'Set "command" to "{script_path(SERVER)}" there.'
    if fact.found is None:
        return _Fault("problem", f"starts {started}, which is not there.", mend)
    if Path(started).is_absolute():
        return None
    said = f"starts {started}, which the client may not find: it has a PATH of its own."
    return _Fault("warning", said, mend)


def _index_fault(fact: EntryFacts, index: Path) -> _Fault | None:
    named = fact.entry.index
    mend = _install(fact, index) or f'Set "args" to ["--index", "{index}"] there.'
    if not named:
        said = "names no index, so it is looked for in the client's own folder."
        return _Fault("warning", said, mend)
    if VARIABLE in named:
        return None
    if not _folder(named).is_absolute():
        said = f"names the index {named}, which depends on the client's own folder."
        return _Fault("warning", said, mend)
    if fact.has_index:
        return None
    make = command("blog-ingest", "CONTENT", "--index", named)
    return _Fault("problem", f"names {named}, which holds no index.", make)


def _install(fact: EntryFacts, index: Path) -> str | None:
    """Write the command that corrects the entry; `None` for one of a project alone."""
    if fact.entry.project or not fact.file.everywhere:
        return None
    word = next(word for word, client in CLIENTS.items() if client == fact.file.client)
    return command(SERVER, "install", word, "--index", index, "--name", fact.entry.name)
