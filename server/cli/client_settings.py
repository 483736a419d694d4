"""Settings files of MCP clients: their paths, and changes of entries that lose nothing else."""

import json
import os
import re
import shutil
import tomllib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
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
            replace = _replace_in_toml if client.is_toml else _replace_in_json
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


_MEMBER = re.compile(r'[\s,]*("(?:[^"\\]|\\.)*+")\s*:\s*')
_decode = json.JSONDecoder().raw_decode


def _list_members(text: str, begin: int) -> list[tuple[str, int, int]]:
    """List name, begin of the value and end of each member of the object at `begin`."""
    members, end = list[tuple[str, int, int]](), begin + 1
    while member := _MEMBER.match(text, end):
        _, end = _decode(text, member.end())
        members.append((json.loads(member[1]), member.end(), end))
    return members


def _replace_in_json(text: str, field: str, name: str, fields: EntryFields) -> str:
    """Return JSON with `fields` as the member `name` of its object `field`, or without that member.

    All other text stays. Raises ValueError if one of the names is there twice.
    """
    text = text if text.strip() else "{}\n"
    unit = re.search(r'^([ \t]+)"', text, re.MULTILINE)
    step, line_end = unit[1] if unit else "  ", "\r\n" if "\r\n" in text else "\n"
    begin, indent, value = text.index("{"), step, {name: fields}
    inner = [at for word, at, _ in _list_members(text, begin) if word == field]
    if len(inner) == 1 and text[inner[0]] == "{":
        begin, field, indent, value = inner[0], name, 2 * step, fields
    members = _list_members(text, begin)
    edges = [begin + 1, *(end for *_, end in members)]
    own = [place for place, (word, *_) in enumerate(members) if word == field]
    if len(own) > 1:
        raise ValueError(f"{field!r} stands in it twice")
    before, after = text[: edges[own[0] if own else -1]], text[edges[own[0] + 1 if own else -1] :]
    if not value:
        if own == [0]:
            after = after.replace(",", "", 1) if members[1:] else after.lstrip()
        return before + after
    dumped = json.dumps(value, indent=step, ensure_ascii=False, allow_nan=False)
    dumped = dumped.replace("\n", line_end + indent)
    if own:
        return text[: members[own[0]][1]] + dumped + after
    line = f"{line_end}{indent}{json.dumps(field, ensure_ascii=False)}: {dumped}"
    end = after if members else line_end + indent[len(step) :] + after.lstrip()
    return f"{before}{',' if members else ''}{line}{end}"


def _replace_in_toml(text: str, field: str, name: str, fields: EntryFields) -> str:
    """Return TOML without the table `field.name`, with a new one, if any, at the end.

    Comments stay, and so does an entry that is written as an inline or dotted table.
    """
    kept, loose, is_inside = list[str](), list[str](), False
    for line in text.split("\n"):
        if line.strip()[:1] in ("", "#"):
            loose.append(line)
            continue
        if line.lstrip().startswith("["):
            with suppress(ValueError):  # a line of an array is no TOML document
                is_inside = name in tomllib.loads(line.strip()).get(field, ())
        kept += filter(str.strip, loose) if is_inside else loose
        kept += [] if is_inside else [line]
        loose = []
    text = "\n".join(kept + loose)
    if not fields:
        return text
    gap = "\n" * (2 - text.endswith("\n")) if text.strip() else ""
    table = gap + _format_table(field, name, fields)
    return text + (table.replace("\n", "\r\n") if "\r\n" in text else table)


def _format_table(field: str, name: str, fields: EntryFields) -> str:
    """Return the table of an entry in TOML. Raises TypeError for a date."""
    lines = (f"{word} = {_format_value(value)}\n" for word, value in fields.items())
    return f"[{field}.{json.dumps(name)}]\n{''.join(lines)}"


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
