"""`install` and `uninstall`: change one client's settings, or print the entry."""

from __future__ import annotations

from pathlib import Path

from blog_search_mcp.index.content.next_ingest import ingest_command
from blog_search_mcp.index.errors import BlogSearchError
from blog_search_mcp.index.store.layout import Layout
from blog_search_mcp.server.cli.install.clients import ClientFile, Places, own_file
from blog_search_mcp.server.cli.install.entries import (
    describe_entry,
    entry_fields,
    with_entry,
    without_entry,
)
from blog_search_mcp.server.cli.install.settings_file import update_file
from blog_search_mcp.server.cli.terminal import print_text, tell
from blog_search_mcp.server.settings import ClientSetup, Settings


def configure_client(settings: Settings, setup: ClientSetup, places: Places) -> int:
    """Carry out `setup`; return the exit status, 1 if nothing could be done."""
    file = own_file(places, setup.client)
    try:
        report = _uninstall(file, setup.name) if setup.removes else _install(settings, setup, file)
    except BlogSearchError as error:
        tell(str(error), settings)
        return 1
    print_text(report)
    return 0


def _install(settings: Settings, setup: ClientSetup, file: ClientFile) -> str:
    name, fields = setup.name, entry_fields(settings, file)
    if setup.prints:
        return describe_entry(file, name, fields)
    update = update_file(file.path, lambda text: with_entry(text, file, name, fields))
    if not update.written:
        return f"The entry {name!r} in {file.path} is as it should be; nothing was written."
    written = f"Wrote the entry {name!r} to {file.path}.{_name_backup(update.backup)}"
    report = f"{written} Restart {file.client} to use it."
    if Layout(settings.index).current.is_file():
        return report
    ingest = ingest_command(settings.index, settings.content)
    return f"{report}\n{settings.index} holds no index yet. To make it: {ingest}"


def _uninstall(file: ClientFile, name: str) -> str:
    update = update_file(file.path, lambda text: without_entry(text, file, name))
    if not update.written:
        return f"There is no entry {name!r} in {file.path}; nothing was written."
    return f"Took the entry {name!r} out of {file.path}.{_name_backup(update.backup)}"


def _name_backup(backup: Path | None) -> str:
    return f" What it was before is in {backup.name} beside it." if backup else ""
