"""`setup`, `install` and `uninstall`: our entry in the settings of MCP clients."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, count, pairwise
from pathlib import Path, PurePath
from typing import Any, TypeAlias

from blog_search_mcp.index.command_line import FAILED, read_index
from blog_search_mcp.index.commands import PACKAGE, start_words
from blog_search_mcp.index.errors import ClientSettingsError, UsageError
from blog_search_mcp.index.stores import Location
from blog_search_mcp.index.types import Filters
from blog_search_mcp.server.cli.terminal import print_text, tell
from blog_search_mcp.server.engine import engine_for_one
from blog_search_mcp.server.format.results import one_line
from blog_search_mcp.server.settings import CLIENTS, Settings, index_arguments


@dataclass(frozen=True, slots=True)
class Client:
    """An MCP client, and the file of its settings that counts in every folder."""

    word: str
    """As a command line has it."""
    path: Path
    key: str = "mcpServers"
    """The object of entries by name."""
    is_typed: bool = False
    """Whether an entry needs `"type": "stdio"`."""

    @property
    def is_used(self) -> bool:
        """Whether the client has been used here, by its file or folder."""
        is_code = self.path.name == ".claude.json"
        folder = self.path.with_name(".claude") if is_code else self.path.parent
        return self.path.exists() or folder.is_dir()


def find_clients(home: Path, system: str, environment: Mapping[str, str]) -> dict[str, Client]:
    """Return each client by its word; `system` is `sys.platform`.

    Claude Code's file lies in the home folder itself, and Zed uses ~/.config on macOS too.
    """
    config = Path(environment.get("XDG_CONFIG_HOME") or home / ".config")
    zed = config / "zed"
    if system == "darwin":
        config, zed = home / "Library/Application Support", home / ".config/zed"
    elif system == "win32":
        config = Path(environment.get("APPDATA") or home / "AppData/Roaming")
        zed = config / "Zed"
    claude = Path(environment.get("CLAUDE_CONFIG_DIR") or home)
    clients = (
        Client("claude-desktop", config / "Claude/claude_desktop_config.json"),
        Client("claude-code", claude / ".claude.json", is_typed=True),
        Client("cursor", home / ".cursor/mcp.json"),
        Client("vscode", config / "Code/User/mcp.json", "servers", is_typed=True),
        Client("windsurf", home / ".codeium/windsurf/mcp_config.json"),
        Client("zed", zed / "settings.json", "context_servers"),
    )
    return {client.word: client for client in clients}


Fields: TypeAlias = dict[str, Any]
"""An entry as it stands in a file: how a client starts one server."""

BACKUP = ".before-blog-search-mcp"
"""Ends the name of the copy beside the file: what was there before the last change."""
_PACKAGE = re.compile(rf"{PACKAGE}(?:[@=].*)?")
"""Our program as a runner has it, perhaps with a version."""


def is_ours(fields: Fields) -> bool:
    """Whether an entry starts this program: directly, by `python -m` or through a runner."""
    program = PurePath(str(fields.get("command"))).name
    return program.removesuffix(".exe") == PACKAGE or any(
        (word, after) == ("-m", "blog_search_mcp")
        or (after == "serve" and _PACKAGE.fullmatch(word))
        for word, after in pairwise(_arguments(fields))
    )


def find_index(fields: Fields) -> Location | None:
    """Return the index that an entry names by its whole path, `None` for no such."""
    words = pairwise(_arguments(fields))
    named = next((value for word, value in words if word == "--index"), "")
    try:
        index = read_index(named)
    except ValueError:
        return None
    return index if named == str(index) else None


def _arguments(fields: Fields) -> list[str]:
    arguments = fields.get("args")
    return [*map(str, arguments)] if isinstance(arguments, list) else []


def choose_name(entries: Mapping[str, Fields], index: Location) -> str:
    """Return the name of the entry over this index, or a free one for a new entry.

    The first is `blog`, others have the blog's folder in it, in plain letters, or a number.
    """
    indexes = {name: find_index(fields) for name, fields in entries.items() if is_ours(fields)}
    for name, over in indexes.items():
        if over and os.path.realpath(str(over)) == os.path.realpath(str(index)):
            return name
    taken = {name for name in entries if name not in indexes or indexes[name]}
    folder = "/".join(index.parts[-2:]).replace(".blog-index", "")
    named = "-".join(["blog", *re.findall(r"[A-Za-z0-9_]+", folder)])[:60]
    names = chain(("blog", named), (f"{named}-{number}" for number in count(2)))
    return next(name for name in names if name not in taken)


def add_entry(settings: Settings, client: Client, name: str, *, prints: bool = False) -> None:
    """Write or print our entry of a client, whose folder and PATH are others: paths are absolute.

    Raises UsageError, and ClientSettingsError with the entry to add by hand.
    """
    entries: dict[str, Fields] = {}
    with suppress(ClientSettingsError):  # which is raised where it is written
        entries = read_entries(client)
    name = name or choose_name(entries, settings.index)
    script, *first = start_words()
    watch = ("--watch", str(settings.watch)) if settings.watch else ()
    arguments = [*first, "serve", *index_arguments(settings), *watch]
    kind = {"type": "stdio"} if client.is_typed else {}
    fields = {**kind, "command": script, "args": arguments}
    entry = json.dumps({client.key: {name: fields}}, ensure_ascii=False, indent=2)
    shown = f"In {client.path}:\n\n{entry}"
    if prints:
        print_text(shown)
        return
    try:
        is_changed = change_entry(client, name, fields)
    except ClientSettingsError as error:
        raise ClientSettingsError(f"{error} Add the entry by hand. {shown}") from error
    done = f"Restart {CLIENTS[client.word]} to use it." if is_changed else "It was there already."
    print_text(f"The entry {name!r} is in {client.path}. {done}{_name_backup(client)}")


def remove_entry(client: Client, name: str) -> None:
    """Remove our entry, the only one unless it is named, and print what was done.

    Raises UsageError or ClientSettingsError.
    """
    names = [name for name, fields in read_entries(client).items() if is_ours(fields)]
    if not name and len(names) > 1:
        several = ", ".join(map(repr, names))
        raise UsageError(f"Several entries are meant: {several}. Say which with --name.")
    name = name or "".join(names) or "blog"
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


def read_entries(client: Client) -> dict[str, Fields]:
    """Return every entry by its name. Raises ClientSettingsError."""
    entries: dict[str, Fields] = _read(client)[1].get(client.key, {})
    return entries


def change_entry(client: Client, name: str, fields: Fields | None) -> bool:
    """Set the fields of our entry `name`, keeping its others, or for `None` take it out.

    Tell whether anything had to change. Raises UsageError if another server has the name, and
    ClientSettingsError, with the file as it was, if that cannot be read or written, or is no plain
    JSON: a rewrite would lose comments.
    """
    text, root = _read(client)
    entries = root.setdefault(client.key, {})
    entry = entries.get(name, {})
    if entry and not is_ours(entry):
        raise UsageError(
            f"The entry {name!r} in {client.path} starts another server. "
            "Give ours another name with --name."
        )
    changed = entry | fields if fields is not None else {}
    if changed == entry:
        return False
    entries[name] = changed
    if not changed:
        del entries[name]
    shown = re.search(r'^([ \t]+)"', text, re.MULTILINE)
    end = text[len(text.rstrip()) :] if text.strip() else "\n"
    indent = shown[1] if shown else "  "
    try:
        _replace(client.path, json.dumps(root, indent=indent, ensure_ascii=False) + end)
    except OSError as error:
        raise ClientSettingsError(f"{client.path} cannot be written: {error.strerror}.") from error
    return True


def _read(client: Client) -> tuple[str, dict[str, Any]]:
    """Return the file's text and the object in it, empty ones if there is no file."""
    try:
        text = client.path.read_bytes().decode("utf-8-sig") if client.path.exists() else ""
        root = json.loads(text.strip() or "{}")
        if not all(isinstance(entry, dict) for entry in root.get(client.key, {}).values()):
            raise ValueError(f"what stands under {client.key!r} is no object of objects")
    except (OSError, ValueError, AttributeError, RecursionError) as error:
        raise ClientSettingsError(
            f"{client.path} cannot be used and was left as it is: it is not plain JSON ({error})."
        ) from error
    return text, root


def _replace(path: Path, text: str) -> None:
    """Replace the file in one step, so that nobody reads half of it; of a link the target.

    The file keeps its permissions, and has a copy beside it. Raises OSError.
    """
    target = path.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    written = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        written.touch(mode=0o600)
        written.write_text(text, encoding="utf-8", newline="")
        if target.exists():
            shutil.copymode(target, written)
            shutil.copy2(target, path.with_name(path.name + BACKUP))
        written.replace(target)
    finally:
        written.unlink(missing_ok=True)
