"""`install` and `uninstall`: one client's settings changed, or shown, and said in a sentence."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from blog_search_mcp.index.errors import BlogSearchError
from blog_search_mcp.index.store.layout import Layout
from blog_search_mcp.server.cli.install.change import with_entry, without_entry
from blog_search_mcp.server.cli.install.clients import own_file
from blog_search_mcp.server.cli.install.entry import entry_fields, link
from blog_search_mcp.server.cli.install.scripts import command
from blog_search_mcp.server.cli.install.settings_file import Changed, change
from blog_search_mcp.server.cli.terminal import print_text

if TYPE_CHECKING:
    from blog_search_mcp.server.cli.install.clients import ClientFile, Places
    from blog_search_mcp.server.settings import ClientSetup, Settings


def set_up(settings: Settings, setup: ClientSetup, places: Places) -> int:
    """Do what `setup` asks for; returns the exit status, 1 if nothing could be done."""
    file = own_file(places, setup.client)
    try:
        said = _uninstall(file, setup.name) if setup.removes else _install(settings, setup, file)
    except BlogSearchError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    print_text(said)
    return 0


def _install(settings: Settings, setup: ClientSetup, file: ClientFile) -> str:
    name, fields = setup.name, entry_fields(settings, file)
    if setup.prints:
        return _shown(file, name, fields)
    done = change(file.path, lambda text: with_entry(text, file, name, fields))
    if not done.written:
        return f"The entry {name!r} in {file.path} is as it should be; nothing was written."
    said = f"Wrote the entry {name!r} to {file.path}.{_kept(done)} Restart {file.client} to use it."
    return said + _without_index(settings)


def _uninstall(file: ClientFile, name: str) -> str:
    done = change(file.path, lambda text: without_entry(text, file, name))
    if not done.written:
        return f"There is no entry {name!r} in {file.path}; nothing was written."
    return f"Took the entry {name!r} out of {file.path}.{_kept(done)}"


def _shown(file: ClientFile, name: str, fields: dict[str, Any]) -> str:
    entry = json.dumps({file.key: {name: fields}}, ensure_ascii=False, indent=2)
    address = link(file.client, name, fields)
    click = f"\n\nOr open this address:\n\n{address}" if address else ""
    return f"In {file.path}:\n\n{entry}{click}"


def _kept(done: Changed) -> str:
    return f" What it was before is in {done.backup.name} beside it." if done.backup else ""


def _without_index(settings: Settings) -> str:
    if Layout(settings.index).current.is_file():
        return ""
    make = command("blog-ingest", "CONTENT", "--index", settings.index)
    return f"\n{settings.index} holds no index yet. To make it: {make}"
