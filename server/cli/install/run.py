"""`install` and `uninstall`: change one client's settings, or print the entry."""

from __future__ import annotations

import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from blog_search_mcp.index.content.next_ingest import ingest_command
from blog_search_mcp.index.errors import BlogSearchError, IndexBroken, IndexMissing, IndexProblem
from blog_search_mcp.index.stores import Location, open_store
from blog_search_mcp.server.cli.install.clients import ClientFile, Machine, own_file
from blog_search_mcp.server.cli.install.entries import (
    DEFAULT_NAME,
    Entry,
    choose_name,
    describe_entry,
    entry_fields,
    find_name,
    read_entries,
    with_entry,
    without_entry,
)
from blog_search_mcp.server.cli.install.settings_file import read_settings_text, update_file
from blog_search_mcp.server.cli.terminal import escape_controls, print_text, tell
from blog_search_mcp.server.settings import Settings


def add_entry(settings: Settings, machine: Machine, client: str, name: str, *, prints: bool) -> int:
    """Write or print the entry of a client; return the exit status. Raises BlogSearchError."""
    file = own_file(machine, client)
    _check_place(settings.index)
    if prints:
        print_text(describe_entry(file, *plan_entry(settings, name, file)))
        return 0
    installed = install(settings, name, file)
    print_text(installed.report)
    if installed.written:
        _tell_of_index(settings)
    return 0


def remove_entry(machine: Machine, client: str, name: str, index: Location | None) -> int:
    """Take our entry out of a client's settings; return the exit status."""
    try:
        print_text(uninstall(own_file(machine, client), name, index))
    except BlogSearchError as error:
        sys.stderr.write(f"{escape_controls(str(error))}\n")
        return 1
    return 0


def _tell_of_index(settings: Settings) -> None:
    """Say what is wrong with the index that the entry names, if anything is."""
    try:
        open_store(settings.index).current_number()
    except IndexMissing:
        if settings.watch is None:
            make = ingest_command(settings.index, settings.content)
            print_text(f"{settings.index} holds no index yet. To make it: {make}")
    except IndexProblem as error:
        tell(str(error), settings)


def _check_place(index: Location) -> None:
    """Raise IndexPlaceUnusable if no index can be in the folder that the entry names."""
    if isinstance(index, Path):
        with suppress(IndexMissing, IndexBroken):  # told beside the entry
            open_store(index).current_number()


@dataclass(frozen=True, slots=True)
class Installed:
    """What became of an entry."""

    name: str
    written: bool
    report: str
    """A sentence or two."""


def plan_entry(settings: Settings, name: str, file: ClientFile) -> tuple[str, dict[str, Any]]:
    """Return the entry's name and fields; a `name` that is empty is chosen. Raises UsageError."""
    return name or choose_name(_entries(file), settings.index), entry_fields(settings, file)


def install(settings: Settings, name: str, file: ClientFile) -> Installed:
    """Write our entry. Raises UsageError or ClientSettingsError, with the file as it was."""
    name, fields = plan_entry(settings, name, file)
    update = update_file(file.path, lambda text: with_entry(text, file, name, fields))
    if not update.written:
        report = f"The entry {name!r} in {file.path} is as it should be; nothing was written."
        return Installed(name, False, report)
    written = f"Wrote the entry {name!r} to {file.path}.{_name_backup(update.backup)}"
    return Installed(name, True, f"{written} Restart {file.client} to use it.")


def uninstall(file: ClientFile, name: str, index: Location | None = None) -> str:
    """Remove our entry; return what was done. Raises UsageError or ClientSettingsError."""
    name = name or find_name(_entries(file), index) or ("" if index else DEFAULT_NAME)
    update = update_file(file.path, lambda text: without_entry(text, file, name))
    if not update.written:
        which = repr(name) if name else f"over {index}"
        return f"There is no entry {which} in {file.path}; nothing was written."
    return f"Took the entry {name!r} out of {file.path}.{_name_backup(update.backup)}"


def _entries(file: ClientFile) -> tuple[Entry, ...]:
    """Read the entries; of a file that cannot be used, which its change will tell, none."""
    try:
        return read_entries(file, read_settings_text(file.path))
    except (OSError, ValueError):
        return ()


def _name_backup(backup: Path | None) -> str:
    return f" What it was before is in {backup.name} beside it." if backup else ""
