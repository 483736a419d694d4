"""The entries of MCP servers in clients' settings: find, name, write and remove ours."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, count, pairwise
from pathlib import Path, PurePath
from typing import Any, TypeAlias

from blog_search_mcp.index.command_line import read_index
from blog_search_mcp.index.commands import PACKAGE, start_words
from blog_search_mcp.index.errors import ClientSettingsError, UsageError
from blog_search_mcp.index.store.disk import read_regular
from blog_search_mcp.index.stores import Location
from blog_search_mcp.server.settings import CLIENTS, Settings, index_arguments


@dataclass(frozen=True, slots=True)
class ClientFile:
    """The file of a client whose entries count in every folder."""

    word: str
    """The client, as a command line has it."""
    path: Path
    key: str
    """The object of entries by name."""
    is_typed: bool
    """Whether an entry needs `"type": "stdio"`."""
    is_used: bool
    """Whether the client has been used here, by its files or folders."""

    @property
    def client(self) -> str:
        """The client's name."""
        return CLIENTS[self.word]


def client_files(home: Path, system: str, environment: Mapping[str, str]) -> dict[str, ClientFile]:
    """Return the file of each client by its word; `system` is `sys.platform`.

    Claude Code's lies in the home folder itself, and Zed uses ~/.config on macOS too.
    """
    if system == "darwin":
        desktop, zed = home / "Library/Application Support", home / ".config/zed"
    elif system == "win32":
        desktop = Path(environment.get("APPDATA") or home / "AppData/Roaming")
        zed = desktop / "Zed"
    else:
        desktop = Path(environment.get("XDG_CONFIG_HOME") or home / ".config")
        zed = desktop / "zed"
    claude = Path(environment.get("CLAUDE_CONFIG_DIR") or home)
    places = {
        "claude-desktop": (desktop / "Claude/claude_desktop_config.json", "mcpServers"),
        "claude-code": (claude / ".claude.json", "mcpServers"),
        "cursor": (home / ".cursor/mcp.json", "mcpServers"),
        "vscode": (desktop / "Code/User/mcp.json", "servers"),
        "windsurf": (home / ".codeium/windsurf/mcp_config.json", "mcpServers"),
        "zed": (zed / "settings.json", "context_servers"),
    }
    files = {}
    for word, (path, key) in places.items():
        folder = home / ".claude" if path.parent == home else path.parent
        is_used = path.exists() or folder.is_dir()
        files[word] = ClientFile(word, path, key, word in {"claude-code", "vscode"}, is_used)
    return files


Fields: TypeAlias = dict[str, Any]
"""An entry as it stands in a file: how a client starts one server."""

BACKUP = ".before-blog-search-mcp"
"""Ends the name of the copy beside the file: what was there before the last change."""
_LARGEST = 256 * 1024**2
"""Bytes of a file that is read: Claude Code keeps a history in its own."""
_COMMENT = re.compile(r'("(?:[^"\\]|\\.?)*+(?:"|\Z))|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_TRAILING_COMMA = re.compile(r'("(?:[^"\\]|\\.?)*+(?:"|\Z))|,(?=\s*[}\]])')
_OURS = re.compile(rf"({PACKAGE}|blog-server)([@=].*)?")
"""Our program's name, also that of earlier entries, with a version for a runner."""
_MODULES = ("blog_search_mcp", "blog_search_mcp.server")
_RUNNERS = {"uvx", "uv", "pipx"}
_WITH_VALUE = {"--from", "--spec", "--with", "--python", "-p", "--directory"}
"""A runner's options that take the next word; behind any other such option an entry is not ours."""


def is_ours(fields: Fields) -> bool:
    """Whether an entry starts this program, directly, by `python -m` or through a runner."""
    arguments = _arguments(fields)
    if any(("-m", module) in pairwise(arguments) for module in _MODULES):
        return True
    program = re.sub(r"(?i)\.exe$", "", PurePath(str(fields.get("command"))).name)
    return bool(_OURS.fullmatch(_package_word(arguments) if program in _RUNNERS else program))


def _arguments(fields: Fields) -> list[str]:
    arguments = fields.get("args")
    return [*map(str, arguments)] if isinstance(arguments, list) else []


def _package_word(arguments: Sequence[str]) -> str:
    """Return a runner's first word that is neither `tool`, `run` nor an option, empty if none."""
    words = iter(arguments)
    for word in words:
        if word in _WITH_VALUE:
            next(words, None)
        elif not word.startswith("-") and word not in ("tool", "run"):
            return word
    return ""


def find_index(fields: Fields) -> Location | None:
    """Return the index that an entry names by its whole path, `None` for no such."""
    words = chain(*(word.split("=", 1) for word in _arguments(fields)))
    environment = fields.get("env")
    default = environment.get("BLOG_INDEX") if isinstance(environment, dict) else None
    named = next((value for word, value in pairwise(words) if word == "--index"), default)
    try:
        index = read_index(str(named or ""))
    except ValueError:
        return None
    return index if str(named) == str(index) or str(named).startswith("~") else None


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
    named = "-".join(filter(None, ["blog", *re.findall(r"[A-Za-z0-9_]+", folder)]))[:60]
    names = chain(("blog", named), (f"{named}-{number}" for number in count(2)))
    return next(name for name in names if name not in taken)


def name_of_ours(entries: Mapping[str, Fields]) -> str:
    """Return the name of our only entry, `blog` for none. Raises UsageError for several."""
    names = [name for name, fields in entries.items() if is_ours(fields)]
    if len(names) > 1:
        raise UsageError(
            f"Several entries are meant: {', '.join(map(repr, names))}. Say which with --name."
        )
    return names[0] if names else "blog"


def make_entry(settings: Settings, file: ClientFile) -> Fields:
    """Build our entry, with absolute paths: a client has a folder and a PATH of its own."""
    script, *first = start_words()
    watch = ("--watch", str(settings.watch)) if settings.watch else ()
    kind = {"type": "stdio"} if file.is_typed else {}
    arguments = [*first, "serve", *index_arguments(settings), *watch]
    return {**kind, "command": script, "args": arguments}


def describe_entry(file: ClientFile, name: str, fields: Fields) -> str:
    """Show the entry and the file it belongs in."""
    entry = json.dumps({file.key: {name: fields}}, ensure_ascii=False, indent=2)
    return f"In {file.path}:\n\n{entry}"


def read_entries(file: ClientFile) -> dict[str, Fields]:
    """Return every entry by its name. Raises ClientSettingsError."""
    with _translated(file.path):
        servers = parse_settings(_read(file.path)).get(file.key)
    entries = servers.items() if isinstance(servers, dict) else ()
    return {name: fields for name, fields in entries if isinstance(fields, dict)}


def change_entry(file: ClientFile, name: str, fields: Fields | None) -> bool:
    """Set the fields of our entry `name`, keeping its others, or for `None` take it out.

    Tell whether anything had to change. A file that changes meanwhile is read and edited anew.
    Raises UsageError if another server has the name, and ClientSettingsError, with the file as it
    was, if that cannot be read, parsed or written, or has comments, which a rewrite would lose.
    """
    with _translated(file.path):
        while (after := edit_text(before := _read(file.path), file, name, fields)) != before:
            if _replace(file.path, before, after):
                return True
    return False


def edit_text(text: str, file: ClientFile, name: str, fields: Fields | None) -> str:
    """Return the file's `text` with our entry as `change_entry` wants it. Raises as that."""
    root = parse_settings(text)
    entries = root.setdefault(file.key, {})
    entry = entries.setdefault(name, {}) if isinstance(entries, dict) else None
    if not isinstance(entry, dict):
        raise ValueError(f"what stands under {file.key!r} or its {name!r} is not an object")
    if entry and not is_ours(entry):
        raise UsageError(
            f"The entry {name!r} in {file.path} starts another server. "
            "Give ours another name with --name."
        )
    if (fields is None and not entry) or (fields is not None and fields.items() <= entry.items()):
        return text
    if fields is None:
        del entries[name]
        advice = f"Remove the entry {name!r} by hand."
    else:
        entry.update(fields)
        advice = f"Add the entry by hand. {describe_entry(file, name, fields)}"
    if _strip_comments(text) != text:
        raise ClientSettingsError(
            f"{file.path} has comments or trailing commas, which a rewrite would lose, so it was "
            f"left as it is. {advice}"
        )
    return _lay_out(root, text)


def parse_settings(text: str) -> dict[str, Any]:
    """Return the object that `text` holds, an empty one for nothing. Raises ValueError."""
    root = json.loads(_strip_comments(text)) if text.strip() else {}
    if not isinstance(root, dict):
        raise ValueError("it is not a JSON object")
    return root


def _strip_comments(text: str) -> str:
    """Blank out comments and trailing commas; every other character keeps its line and column."""
    for unwanted in (_COMMENT, _TRAILING_COMMA):
        text = unwanted.sub(lambda match: match[1] or re.sub(r"[^\n]", " ", match[0]), text)
    return text


def _lay_out(root: dict[str, Any], before: str) -> str:
    """Write `root` with the indent and the end of the text `before`, else as clients write.

    Raises ValueError.
    """
    shown = re.search(r'^([ \t]+)"', before, re.MULTILINE)
    indent = shown[1] if shown else "  "
    text = json.dumps(root, indent=indent, ensure_ascii=False, allow_nan=False)
    return text + (before[len(before.rstrip()) :] if before.strip() else "\n")


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    """Raise ClientSettingsError for a file that cannot be read, parsed or written."""
    try:
        yield
    except OSError as error:
        raise ClientSettingsError(
            f"{path} cannot be changed: {error.strerror}. Correct that and run this again."
        ) from error
    except (ValueError, RecursionError) as error:
        raise ClientSettingsError(
            f"{path} cannot be used and was left as it is: {error}. Correct it and run this again."
        ) from error


def _read(path: Path) -> str:
    """Read the file's text, empty if there is none.

    Raises OSError, also for what is no regular file, or UnicodeError.
    """
    try:
        return read_regular(path, _LARGEST).decode("utf-8-sig")
    except FileNotFoundError:
        return ""


def _replace(path: Path, before: str, after: str) -> bool:
    """Replace the file in one step, so that nobody reads half of it; tell whether that was done.

    It is not if the file is no longer `before`. The file keeps its owner and permissions, and has
    a copy beside it; of a link the target changes. Raises OSError or UnicodeError.
    """
    target = path.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    written = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
            file.write(after)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            status = target.stat()
            if sys.platform != "win32":
                os.chown(written, status.st_uid, status.st_gid)
            written.chmod(stat.S_IMODE(status.st_mode))
            shutil.copy2(target, path.with_name(path.name + BACKUP))
        if _read(path) != before:
            return False
        written.replace(target)
    finally:
        written.unlink(missing_ok=True)
    return True
