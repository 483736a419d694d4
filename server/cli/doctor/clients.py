"""Check the entries in clients' settings that start this server."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path

from blog_search_mcp.index.commands import command, start_words
from blog_search_mcp.index.errors import IndexProblem
from blog_search_mcp.index.posts.next_ingest import ingest_command
from blog_search_mcp.index.stores import IndexAddress, Location, open_store, parse_index_address
from blog_search_mcp.server.cli.doctor.results import CheckResult, split_message
from blog_search_mcp.server.cli.install.clients import ClientFile, Machine, client_files
from blog_search_mcp.server.cli.install.entries import Entry, expand_home, read_entries
from blog_search_mcp.server.cli.install.settings_file import read_settings_text
from blog_search_mcp.server.settings import CLIENTS

VARIABLE = "${"
"""Begins what the client itself fills in; such a folder cannot be checked here."""


def check_clients(machine: Machine, index: Location) -> list[CheckResult]:
    """Check every entry of ours; `index` is the folder that a new entry should name."""
    results: list[CheckResult] = []
    has_entry = False
    for file in client_files(machine):
        try:
            entries = read_entries(file, read_settings_text(file.path))
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            results.append(_unreadable(file, f"it cannot be read: {error.strerror}"))
        except ValueError as error:
            results.append(_unreadable(file, str(error)))
        else:
            ours = [entry for entry in entries if entry.is_ours]
            results += [_check_entry(file, entry, machine, index) for entry in ours]
            has_entry = has_entry or bool(ours)
    if has_entry:
        return results
    text = f"No client has an entry for this server; install knows {', '.join(CLIENTS)}."
    remedy = command("install", "claude-code", "--index", index)
    return [*results, CheckResult("clients", "warning", text, remedy)]


def _unreadable(file: ClientFile, reason: str) -> CheckResult:
    text = f"{file.path} cannot be used: {reason}."
    return CheckResult(file.client, "warning", text, f"Correct {file.path}.")


def _check_entry(file: ClientFile, entry: Entry, machine: Machine, index: Location) -> CheckResult:
    """Return the first thing that is wrong with the entry, or that it works."""
    where = f"The entry {entry.name!r} in {file.path}"
    faults = _command_faults(file, entry, machine, index)
    for fault in chain(faults, _index_faults(file, entry, index)):
        return CheckResult(file.client, fault.state, f"{where} {fault.text}", fault.remedy)
    return CheckResult(file.client, "ok", f"{where} starts this server over {entry.index}.")


def _command_faults(
    file: ClientFile, entry: Entry, machine: Machine, index: Location
) -> Iterator[CheckResult]:
    program = entry.command
    named = _locate(entry.index)
    is_sure = isinstance(named, IndexAddress) or named.is_absolute()
    remedy = (
        _install(file, entry, named if is_sure else index)
        or f'Set "command" to "{start_words()[0]}" there.'
    )
    if shutil.which(program, path=machine.environment.get("PATH")) is None:
        yield CheckResult(file.client, "problem", f"starts {program}, which is not there.", remedy)
    elif not Path(program).is_absolute():
        text = f"starts {program}, which the client may not find: it has a PATH of its own."
        yield CheckResult(file.client, "warning", text, remedy)


def _index_faults(file: ClientFile, entry: Entry, index: Location) -> Iterator[CheckResult]:
    remedy = _install(file, entry, index) or f'Set "args" to ["--index", "{index}"] there.'
    if not entry.index:
        text = "names no index, so it is looked for in the client's own folder."
        yield CheckResult(file.client, "warning", text, remedy)
    else:
        yield from _folder_faults(file, entry.index, remedy)


def _folder_faults(file: ClientFile, named: str, remedy: str) -> Iterator[CheckResult]:
    if VARIABLE in named:
        return
    index = _locate(named)
    if isinstance(index, Path) and not index.is_absolute():
        text = f"names the index {named}, which depends on the client's own folder."
        yield CheckResult(file.client, "warning", text, remedy)
        return
    try:
        if not open_store(index).exists():
            text = f"names {named}, which holds no index."
            yield CheckResult(file.client, "problem", text, ingest_command(index))
    except IndexProblem as error:
        text, remedy = split_message(error)
        yield CheckResult(file.client, "problem", f"names {named}. {text}", remedy)


def _locate(named: str) -> Location:
    """Return where an entry's index is; what is no address is a path."""
    with suppress(ValueError):
        if address := parse_index_address(named):
            return address
    return expand_home(named)


def _install(file: ClientFile, entry: Entry, index: Location) -> str | None:
    """Return the command that corrects the entry, `None` for one of a project alone."""
    if entry.project or not file.everywhere:
        return None
    client = next(word for word, name in CLIENTS.items() if name == file.client)
    return command("install", client, "--index", index, "--name", entry.name)
