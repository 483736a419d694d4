"""Check the entries in clients' settings that start this server."""

from __future__ import annotations

import shutil
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from blog_search_mcp.index.commands import command
from blog_search_mcp.index.errors import IndexProblem
from blog_search_mcp.index.posts.next_ingest import ingest_command
from blog_search_mcp.index.stores import IndexAddress, Location, open_store, parse_index_address
from blog_search_mcp.server.cli.doctor.results import CheckResult, State
from blog_search_mcp.server.cli.install.clients import ClientFile, Machine, client_files
from blog_search_mcp.server.cli.install.entries import Entry, expand_home, read_entries
from blog_search_mcp.server.cli.install.settings_file import read_settings_text
from blog_search_mcp.server.cli.terminal import with_folders
from blog_search_mcp.server.settings import CLIENTS, Settings

VARIABLE = "${"
"""Begins what the client itself fills in; such a folder cannot be checked here."""


def check_clients(machine: Machine, settings: Settings) -> list[CheckResult]:
    """Check every entry of ours, and tell how to make one if there is none."""
    results: list[CheckResult] = []
    ours: list[tuple[ClientFile, Entry]] = []
    for file in client_files(machine):
        try:
            entries = read_entries(file, read_settings_text(file.path))
        except (FileNotFoundError, NotADirectoryError):
            continue
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            text = f"{file.path} cannot be used: {reason}. Correct it."
            results.append(CheckResult(file.client, "warning", text))
        else:
            ours += [(file, entry) for entry in entries if entry.is_ours]
    results += [_check_entry(file, entry, machine, settings) for file, entry in ours]
    if not ours:
        add = command("install", "CLIENT", "--index", settings.index)
        text = f"None has an entry for this server. Add one: `{add}` ({', '.join(CLIENTS)})."
        results.append(CheckResult("clients", "warning", text))
    return results


def _check_entry(
    file: ClientFile, entry: Entry, machine: Machine, settings: Settings
) -> CheckResult:
    """Return the first thing that is wrong with an entry, or that it works."""
    index = _locate(entry.index)
    is_whole = isinstance(index, IndexAddress) or index.is_absolute()
    fault = _find_fault(entry, machine, is_whole=is_whole)
    if fault is not None:
        state, text = fault
        text = f"{text} {_advise(file, entry, index if is_whole else settings.index)}"
    elif VARIABLE in entry.index:
        state, text = "ok", f"starts this server over {entry.index}."
    else:
        state, text = _check_index_of_entry(index, settings)
    return CheckResult(file.client, state, f"The entry {entry.name!r} in {file.path} {text}")


def _find_fault(entry: Entry, machine: Machine, *, is_whole: bool) -> tuple[State, str] | None:
    """Say what is wrong with an entry itself; `is_whole` says whether its index is a whole path."""
    program = entry.command
    if shutil.which(program, path=machine.environment.get("PATH")) is None:
        return "problem", f"starts {program}, which is not there."
    if not Path(program).is_absolute():
        return "warning", f"starts {program}, but the client may have another PATH."
    if not is_whole and VARIABLE not in entry.index:
        return "warning", "names no index by its whole path, so the client's folder decides."
    return None


def _advise(file: ClientFile, entry: Entry, index: Location) -> str:
    """Give the command that writes the entry anew, or shows it where it is one project's."""
    client = next(word for word, name in CLIENTS.items() if name == file.client)
    write = command("install", client, "--index", index, "--name", entry.name)
    if entry.project or not file.everywhere:
        return f"Write there what this shows: `{write} --print`"
    return f"Write it anew: `{write}`"


def _check_index_of_entry(index: Location, settings: Settings) -> tuple[State, str]:
    try:
        if open_store(index).exists():
            return "ok", f"starts this server over {index}."
    except IndexProblem as error:
        advice = with_folders(str(error), replace(settings, index=index))
        return "problem", f"names {index}. {advice}"
    return "problem", f"names {index}, which holds no index: `{ingest_command(index)}`"


def _locate(named: str) -> Location:
    """Return where an entry's index is; what is no address is a path."""
    with suppress(ValueError):
        if address := parse_index_address(named):
            return address
    return expand_home(named)
