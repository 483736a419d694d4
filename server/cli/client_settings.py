"""Settings files of MCP clients: their paths, and changes of entries that lose nothing else."""

import json
import os
import shutil
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from blog_search_mcp.index.errors import ClientSettingsError
from blog_search_mcp.index.invocation import PACKAGE
from blog_search_mcp.ingest.foreign_files import decode_settings, find_encoding
from blog_search_mcp.server.cli.settings_text import format_table, replace_in_json, replace_in_toml


@dataclass(frozen=True, slots=True)
class Client:
    """An MCP client and its user-wide settings file."""

    slug: str
    title: str
    path: Path
    entries_field: str = "mcpServers"
    """Field of the settings that holds the entries by name."""
    is_typed: bool = False
    """Whether an entry needs a field `type`, which is `stdio` or `http`."""
    url_field: str = "url"
    """Field of an entry that holds a server's URL; `""` if the client takes none."""

    @property
    def is_toml(self) -> bool:
        """Whether the settings are TOML; others are JSON."""
        return self.path.suffix == ".toml"

    @property
    def is_used(self) -> bool:
        """Whether the client has been used here: its settings or its folder exist."""
        folder = self.path.parent if self.slug != "claude-code" else self.path.with_name(".claude")
        return self.path.exists() or folder.is_dir()


def find_clients(home: Path, system: str, environment: Mapping[str, str]) -> dict[str, Client]:
    """Return all known clients by slug; `system` is a value of `sys.platform`.

    Claude Code's file lies in the home folder itself, and Zed uses ~/.config on macOS too.
    """
    config = Path(environment.get("XDG_CONFIG_HOME") or home / ".config")
    zed = config / "zed"
    if system == "darwin":
        config, zed = home / "Library/Application Support", home / ".config/zed"
    elif system == "win32":
        config = Path(environment.get("APPDATA") or home / "AppData/Roaming")
        zed = config / "Zed"
    local = Path(environment.get("LOCALAPPDATA") or home / "AppData/Local")
    packages = local.glob("Packages/Claude_*/LocalCache/Roaming")  # from the Microsoft Store
    claude = Path(environment.get("CLAUDE_CONFIG_DIR") or home)
    codex = Path(environment.get("CODEX_HOME") or home / ".codex")
    desktop = next(packages, config) / "Claude/claude_desktop_config.json"
    windsurf = home / ".codeium/windsurf/mcp_config.json"
    clients = (
        Client("claude-desktop", "Claude Desktop", desktop, url_field=""),
        Client("claude-code", "Claude Code", claude / ".claude.json", is_typed=True),
        Client("cursor", "Cursor", home / ".cursor/mcp.json"),
        Client("vscode", "VS Code", config / "Code/User/mcp.json", "servers", is_typed=True),
        Client("windsurf", "Windsurf", windsurf, url_field="serverUrl"),
        Client("zed", "Zed", zed / "settings.json", "context_servers"),
        Client("codex", "Codex", codex / "config.toml", "mcp_servers"),
        Client("gemini", "Gemini CLI", home / ".gemini/settings.json", url_field="httpUrl"),
    )
    return {client.slug: client for client in clients}


CLIENTS = {slug: client.title for slug, client in find_clients(Path(), "", {}).items()}
EntryFields: TypeAlias = dict[str, Any]
Entries: TypeAlias = dict[str, EntryFields]
"""Entries by name. In a set of changes, an entry without fields is to be removed."""
BACKUP_SUFFIX = ".before-blog-search-mcp"
"""Suffix of the backup beside a settings file. It has the state before the last change."""


def change_entries(client: Client, decide: Callable[[Entries], Entries]) -> Entries:
    """Apply the changes that `decide` returns for the entries; return old fields of changed ones.

    Only one command at a time changes settings. Raises ClientSettingsError, and leaves the file as
    it was, if it is in use, cannot be read or written, or another part of it would change.
    """
    from filelock import FileLock

    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    lock, before = Path(caches, PACKAGE, "clients.lock"), Entries()
    try:
        lock.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(lock, timeout=10):
            data, root = _read_settings(client)
            mark, encoding = find_encoding(data)
            text, entries = data[len(mark) :].decode(encoding), root[client.entries_field]
            replace = replace_in_toml if client.is_toml else replace_in_json
            for name, fields in decide(entries).items():
                entry = entries.get(name, {})
                if fields != entry:
                    before[name], entries[name] = entry, fields
                    if not fields:
                        del entries[name]
                    text = replace(text, client.entries_field, name, fields)
            if before:
                both = root, _parse(client, text)
                if len({json.dumps(it, sort_keys=True, default=str) for it in both}) > 1:
                    raise ValueError("the entry stands in an unusual place")
                _replace_file(client.path, data, mark + text.encode(encoding))
    except OSError as error:
        reason = error.strerror or "another command is changing it"
        raise ClientSettingsError(f"{client.path} cannot be written: {reason}.") from error
    except (TypeError, ValueError) as error:  # TypeError: a TOML date cannot be written
        raise ClientSettingsError(f"{client.path} was left as it was: {error}.") from error
    return before


def format_entry(client: Client, name: str, fields: EntryFields) -> str:
    """Return the text of an entry, for somebody who adds it by hand."""
    if client.is_toml:
        return format_table(client.entries_field, name, fields)
    return json.dumps({client.entries_field: {name: fields}}, ensure_ascii=False, indent=2)


def read_entries(client: Client) -> Entries:
    """Return all entries of a client by name. Raises ClientSettingsError."""
    entries: Entries = _read_settings(client)[1][client.entries_field]
    return entries


def name_backup(client: Client) -> str:
    """Return a blank and a sentence that names the settings' backup, `""` if there is none."""
    backup = client.path.with_name(client.path.name + BACKUP_SUFFIX)
    return f" What the file was before is in {backup.name} beside it." if backup.exists() else ""


def _read_settings(client: Client) -> tuple[bytes, dict[str, Any]]:
    """Return a client's settings as bytes and as an object that has the field of entries."""
    try:
        data = _read_bytes(client.path)
        return data, _parse(client, decode_settings(data))
    except (OSError, ValueError, RecursionError) as error:
        raise ClientSettingsError(
            f"{client.path} cannot be used and was left as it is: it is not plain "
            f"{'TOML' if client.is_toml else 'JSON'} ({error})."
        ) from error


def _parse(client: Client, text: str) -> dict[str, Any]:
    root = tomllib.loads(text) if client.is_toml else json.loads(text.strip(" \t\r\n") or "{}")
    if not isinstance(root, dict):
        raise ValueError("it is no object")
    entries = root[client.entries_field] = root.get(client.entries_field) or {}
    if not isinstance(entries, dict):
        raise ValueError(f"what stands under {client.entries_field!r} is no object")
    return root


def _read_bytes(path: Path) -> bytes:
    if path.exists() and not path.is_file():
        raise ValueError("it is no file")
    return path.read_bytes() if path.exists() else b""


def _replace_file(path: Path, before: bytes, data: bytes) -> None:
    """Replace a file, or the target of a link, atomically.

    The file keeps its permissions, and a copy of the old one is kept beside it. Raises OSError, and
    ValueError if the file no longer holds `before`: clients write to it too.
    """
    target = path.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        unfinished.touch(mode=0o600)
        unfinished.write_bytes(data)
        if target.exists():
            shutil.copymode(target, unfinished)
            shutil.copy2(target, path.with_name(path.name + BACKUP_SUFFIX))
        if _read_bytes(target) != before:
            raise ValueError("another program has changed it meanwhile; run this again")
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)
