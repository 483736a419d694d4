"""Settings files of MCP clients: their paths, and changes of entries that lose nothing else."""

import json
import os
import re
import shutil
import tomllib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from blog_search_mcp.index.errors import ClientSettingsError
from blog_search_mcp.index.invocation import PACKAGE
from blog_search_mcp.ingest.foreign_files import decode_settings, find_encoding


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
    """Return all known clients by slug; `system` is a value of `sys.platform`."""
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
    it was, if it is in use, cannot be read or written, or would lose a part (JSON comments).
    """
    from filelock import FileLock

    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    lock, before = Path(caches, PACKAGE, "clients.lock"), Entries()
    try:
        lock.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(lock, timeout=10):
            text, root = _read_settings(client)
            line_end = "\r\n" if "\r\n" in text else "\n"
            new_text, entries = text.replace("\r\n", "\n"), root[client.entries_field]
            for name, fields in decide(entries).items():
                entry = entries.get(name, {})
                if fields != entry:
                    before[name], entries[name] = entry, fields
                    if not fields:
                        del entries[name]
                    if client.is_toml:
                        new_text = _replace_table(new_text, client.entries_field, name, fields)
            if client.is_toml and tomllib.loads(new_text).get(client.entries_field, {}) != entries:
                raise ValueError("the entry stands in an unusual place")
            if before:
                new_text = new_text if client.is_toml else _dump_json(root, like=text)
                _replace_file(client.path, text, new_text.replace("\n", line_end))
    except OSError as error:
        reason = error.strerror or "another command is changing it"
        raise ClientSettingsError(f"{client.path} cannot be written: {reason}.") from error
    except (TypeError, ValueError) as error:  # TypeError: a TOML date cannot be written
        raise ClientSettingsError(f"{client.path} was left as it was: {error}.") from error
    return before


_FLOAT = "\ue000"
"""Prefix of a string that stands for a decimal number of JSON, to keep all digits."""


def _dump_json(root: dict[str, Any], like: str) -> str:
    """Return an object as JSON with the indent and the final line end of the text `like`."""
    indent = re.search(r'^([ \t]+)"', like, re.MULTILINE)
    end = like[len(like.rstrip()) :].replace("\r\n", "\n") if like.strip() else "\n"
    text = json.dumps(root, indent=indent[1] if indent else "  ", ensure_ascii=False) + end
    return re.sub(f'"{_FLOAT}([^"]*)"', r"\1", text)


def _parse_json(text: str) -> Any:
    """Parse JSON. Raises ValueError if a rewrite would lose a part, for example a repeated name."""
    text = text.strip(" \t\r\n") or "{}"
    root = json.loads(text, parse_float=_FLOAT.__add__)
    strip = partial(re.compile(r'"(?:[^"\\]|\\.)*+"|\s++').sub, lambda part: part[0][:1].strip())
    if strip(_dump_json(root, text)) != strip(text):
        raise ValueError("a rewrite would lose a part, such as a name that stands in it twice")
    return root


def _replace_table(text: str, key: str, name: str, fields: EntryFields) -> str:
    """Return TOML text without the table `[key.name]`, with a new one, if any, at the end.

    Lines of comments stay, and so does an entry that is written as an inline or dotted table.
    """
    kept, loose, is_inside = list[str](), list[str](), False
    for line in text.split("\n"):
        if line.strip()[:1] in ("", "#"):
            loose.append(line)
            continue
        if line.lstrip().startswith("["):
            with suppress(ValueError):  # a line of an array is no TOML document
                is_inside = name in tomllib.loads(line).get(key, ())
        kept += filter(str.strip, loose) if is_inside else loose
        kept += [] if is_inside else [line]
        loose = []
    text = "\n".join(kept + loose)
    gap = ("\n" if text.endswith("\n") else "\n\n") if text.strip() else ""
    return text + gap + _format_table(key, name, fields) if fields else text


def _format_table(key: str, name: str, fields: EntryFields) -> str:
    lines = (f"{word} = {_format_value(value)}\n" for word, value in fields.items())
    return f"[{key}.{json.dumps(name)}]\n{''.join(lines)}"


def _format_value(value: object) -> str:
    """Return a TOML value on one line. Values except tables look as in JSON. Raises TypeError."""
    if not isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    inner = (f"{json.dumps(word)} = {_format_value(value[word])}" for word in value)
    return f"{{ {', '.join(inner)} }}"


def format_entry(client: Client, name: str, fields: EntryFields) -> str:
    """Return the text of an entry, for somebody who adds it by hand."""
    if client.is_toml:
        return _format_table(client.entries_field, name, fields)
    return json.dumps({client.entries_field: {name: fields}}, ensure_ascii=False, indent=2)


def read_entries(client: Client) -> Entries:
    """Return all entries of a client by name. Raises ClientSettingsError."""
    entries: Entries = _read_settings(client)[1][client.entries_field]
    return entries


def name_backup(client: Client) -> str:
    """Return a blank and a sentence that names the settings' backup, `""` if there is none."""
    backup = client.path.with_name(client.path.name + BACKUP_SUFFIX)
    return f" What the file was before is in {backup.name} beside it." if backup.exists() else ""


def _read_settings(client: Client) -> tuple[str, dict[str, Any]]:
    """Return a client's settings as text and as an object that always has the field of entries."""
    try:
        text = _read_text(client.path)
        root = tomllib.loads(text) if client.is_toml else _parse_json(text)
        entries = root[client.entries_field] = root.get(client.entries_field) or {}
        if not isinstance(entries, dict):
            raise ValueError(f"what stands under {client.entries_field!r} is no object")
    except (OSError, ValueError, AttributeError, RecursionError) as error:
        raise ClientSettingsError(
            f"{client.path} cannot be used and was left as it is: it is not plain "
            f"{'TOML' if client.is_toml else 'JSON'} ({error})."
        ) from error
    return text, root


def _read_text(path: Path) -> str:
    if path.exists() and not path.is_file():
        raise ValueError("it is no file")
    return decode_settings(path.read_bytes()) if path.exists() else ""


def _replace_file(path: Path, before: str, text: str) -> None:
    """Replace a file, or the target of a link, atomically.

    The file keeps its permissions and encoding, and a copy of the old one is kept beside it. Raises
    OSError, and ValueError if the file no longer has the text `before`: clients write to it too.
    """
    target = path.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        unfinished.touch(mode=0o600)
        mark, encoding = find_encoding(target.read_bytes() if target.exists() else b"")
        unfinished.write_bytes(mark + text.encode(encoding))
        if target.exists():
            shutil.copymode(target, unfinished)
            shutil.copy2(target, path.with_name(path.name + BACKUP_SUFFIX))
        if _read_text(target) != before:
            raise ValueError("another program has changed it meanwhile; run this again")
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)
