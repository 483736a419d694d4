"""`setup`, `install` and `uninstall`: our entry in the settings of clients."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from blog_search_mcp.index.command_line import FAILED
from blog_search_mcp.index.errors import ClientSettingsError
from blog_search_mcp.index.types import Filters
from blog_search_mcp.server.cli.client_settings import (
    BACKUP,
    Client,
    Fields,
    change_entry,
    choose_name,
    describe_entry,
    make_entry,
    name_of_ours,
    read_entries,
)
from blog_search_mcp.server.cli.terminal import print_text, tell
from blog_search_mcp.server.engine import engine_for_one
from blog_search_mcp.server.format.results import one_line
from blog_search_mcp.server.settings import CLIENTS, Settings


def add_entry(settings: Settings, client: Client, name: str, *, prints: bool = False) -> None:
    """Write or print our entry of a client.

    Raises UsageError, and ClientSettingsError with the entry to add by hand.
    """
    entries: dict[str, Fields] = {}
    with suppress(ClientSettingsError):  # which is raised where it is written
        entries = read_entries(client)
    name, fields = name or choose_name(entries, settings.index), make_entry(settings, client)
    if prints:
        print_text(describe_entry(client, name, fields))
        return
    try:
        is_changed = change_entry(client, name, fields)
    except ClientSettingsError as error:
        entry = describe_entry(client, name, fields)
        raise ClientSettingsError(f"{error} Add the entry by hand. {entry}") from error
    done = f"Restart {CLIENTS[client.word]} to use it." if is_changed else "It was there already."
    print_text(f"The entry {name!r} is in {client.path}. {done}{_name_backup(client)}")


def remove_entry(client: Client, name: str) -> None:
    """Remove our entry and print what was done. Raises UsageError or ClientSettingsError."""
    name = name or name_of_ours(read_entries(client))
    done = "was taken" if change_entry(client, name, None) else "is already"
    print_text(f"The entry {name!r} {done} out of {client.path}.{_name_backup(client)}")


def _name_backup(client: Client) -> str:
    backup = client.path.with_name(client.path.name + BACKUP)
    return f" What the file was before is in {backup.name} beside it." if backup.exists() else ""


def tell_clients(
    settings: Settings, clients: Mapping[str, Client], word: str | None, name: str
) -> int:
    """Write the entry of the client `word`, or of all that are used here, and name a question.

    Returns the exit status; what one client's file refuses is told. Raises BlogSearchError.
    """
    used = [client for client in clients.values() if client.is_used]
    chosen, status = [clients[word]] if word else used, 0
    for client in chosen:
        try:
            add_entry(settings, client, name)
        except ClientSettingsError as error:
            tell(str(error), settings)
            status = FAILED
    if not chosen:
        print_text("No client was found here; most take this entry, each in a file of its own.")
        add_entry(settings, clients["claude-desktop"], name, prints=True)
    names = ", ".join(CLIENTS[client.word] for client in chosen) or "the client"
    [newest] = engine_for_one(settings).listing().list_posts(Filters(), "newest", 1, 0).page
    question = f"What does my blog say about “{one_line(newest.title)}”?"
    print_text(f"Ask {names}, for instance: {question}")
    return status
