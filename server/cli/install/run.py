"""`install` and `uninstall`: change one client's settings, or print the entry."""

from __future__ import annotations

import sys

from blog_search_mcp.index.errors import BlogSearchError, IndexPlaceUnusable, IndexProblem
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
from blog_search_mcp.server.cli.install.settings_file import (
    BACKUP,
    read_settings_text,
    update_file,
)
from blog_search_mcp.server.cli.terminal import escape_controls, print_text, tell
from blog_search_mcp.server.settings import Settings


def add_entry(settings: Settings, machine: Machine, client: str, name: str, *, prints: bool) -> int:
    """Write or print the entry of a client; return the exit status. Raises BlogSearchError."""
    file = own_file(machine, client)
    problem = _look_at_index(settings.index)
    if prints:
        print_text(show_entry(settings, name, file))
    elif install(settings, name, file) and problem:
        tell(problem, settings)
    return 0


def remove_entry(machine: Machine, client: str, name: str, index: Location | None) -> int:
    """Take our entry out of a client's settings; return the exit status."""
    try:
        uninstall(own_file(machine, client), name, index)
    except BlogSearchError as error:
        sys.stderr.write(f"{escape_controls(str(error))}\n")
        return 1
    return 0


def _look_at_index(index: Location) -> str:
    """Return what is wrong with an index, empty if nothing is.

    Raises IndexPlaceUnusable if none can be there.
    """
    try:
        open_store(index).current_number()
    except IndexPlaceUnusable:
        raise
    except IndexProblem as error:
        return str(error)
    return ""


def show_entry(settings: Settings, name: str, file: ClientFile) -> str:
    """Write our entry as it is to be pasted, and its place; without a `name` one is chosen."""
    name = name or choose_name(_entries(file), settings.index)
    return describe_entry(file, name, entry_fields(settings, file))


def install(settings: Settings, name: str, file: ClientFile) -> str | None:
    """Write our entry and print that; return its name, `None` if it was there as it should be.

    Raises UsageError or ClientSettingsError, with the file as it was.
    """
    name = name or choose_name(_entries(file), settings.index)
    fields = entry_fields(settings, file)
    if not update_file(file.path, lambda text: with_entry(text, file, name, fields)):
        print_text(f"The entry {name!r} in {file.path} is as it should be; nothing was written.")
        return None
    written = f"Wrote the entry {name!r} to {file.path}.{_name_backup(file)}"
    print_text(f"{written} Restart {file.client} to use it.")
    return name


def uninstall(file: ClientFile, name: str, index: Location | None = None) -> None:
    """Remove our entry and print what was done. Raises UsageError or ClientSettingsError."""
    name = name or find_name(_entries(file), index) or ("" if index else DEFAULT_NAME)
    if update_file(file.path, lambda text: without_entry(text, file, name)):
        print_text(f"Took the entry {name!r} out of {file.path}.{_name_backup(file)}")
    else:
        which = repr(name) if name else f"over {index}"
        print_text(f"There is no entry {which} in {file.path}; nothing was written.")


def _entries(file: ClientFile) -> tuple[Entry, ...]:
    """Read the entries; of a file that cannot be used, which its change will tell, none."""
    try:
        return read_entries(file, read_settings_text(file.path))
    except (OSError, ValueError, RecursionError):
        return ()


def _name_backup(file: ClientFile) -> str:
    backup = file.path.with_name(file.path.name + BACKUP)
    return f" What it was before is in {backup.name} beside it." if backup.exists() else ""
