"""Entries for this program in the settings of MCP clients: added, checked and removed."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain, count, pairwise
from pathlib import Path, PurePath
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from blog_search_mcp.index.errors import BlogSearchError, ClientSettingsError, UsageError
from blog_search_mcp.index.invocation import PACKAGE, command, start_words
from blog_search_mcp.index.stores import IndexAddress, Location, open_store
from blog_search_mcp.index.text.display import one_line
from blog_search_mcp.index.text.languages import primary_subtag
from blog_search_mcp.index.types import Filters
from blog_search_mcp.ingest.foreign_files import decode_settings
from blog_search_mcp.server.cli.terminal import FAILED, print_error, print_message, print_text
from blog_search_mcp.server.engine import engine_for_one
from blog_search_mcp.server.settings import Settings, index_arguments, read_index


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
    packages = local.glob("Packages/Claude_*/LocalCache/Roaming")  # of the Store
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
"""Entries by name. Among changes, an entry without fields stands for its removal."""

_URL_FIELDS = ("url", "serverUrl", "httpUrl")
_OUR_FIELDS = {"type", "command", "args", "env", *_URL_FIELDS, "headers", "http_headers"}
"""Fields that this program writes. An update drops their old values and keeps all other fields."""

BACKUP = ".before-blog-search-mcp"
"""Suffix of the copy beside the settings, which holds them as they were before the last change."""

_OUR_HEADER = ("X-Installed-By", PACKAGE)
"""HTTP header that marks an entry with a URL as written by this program."""

_START_PATTERN = re.compile(
    rf"{PACKAGE}(\0.*)?|py[^\0]*\0(-\w+\0)*-m\0blog_search_mcp(\0.*)?"
    rf"|(uvx?|pipx)\0((run|tool|--offline|--(from|spec)\0[^\0]*)\0)*{PACKAGE}([@=\0].*)?",
    re.DOTALL,
)
"""Command and arguments, joined by NUL, that start this program as a script, by Python or uvx."""


def is_ours(fields: EntryFields, url: str = "") -> bool:
    """Whether an entry starts this program, has our header, or has exactly this URL."""
    if address := find_url(fields):
        headers = fields.get("headers") or fields.get("http_headers")
        return address == url or (isinstance(headers, dict) and _OUR_HEADER in headers.items())
    program = PurePath(str(fields.get("command"))).name.removesuffix(".exe")
    return _START_PATTERN.fullmatch("\0".join([program, *_arguments(fields)])) is not None


def find_url(fields: EntryFields) -> str:
    """Return the URL of the server that an entry reaches, `""` if it starts one."""
    return next((str(fields[name]) for name in _URL_FIELDS if name in fields), "")


def find_option(fields: EntryFields, option: str) -> str:
    """Return the value of an option in the arguments of an entry, `""` if it is not there."""
    return dict(pairwise(_arguments(fields))).get(option, "")


def find_index(fields: EntryFields) -> Location | None:
    """Return the index that an entry names by its absolute path or address, else `None`."""
    with suppress(ValueError):
        index = read_index(value := find_option(fields, "--index"))
        return index if value == str(index) else None
    return None


def _arguments(fields: EntryFields) -> list[str]:
    arguments = fields.get("args")
    return [*map(str, arguments)] if isinstance(arguments, list) else []


def choose_name(entries: Entries, index: Location, url: str) -> str:
    """Return the name of our entry for this index or URL, else a free name for a new one.

    Names are tried in turn: `blog`, `blog-FOLDER` in plain letters, `blog-FOLDER-2` and so on. An
    entry of ours without an index counts as free.
    """
    places = {name: _place_of(fields) for name, fields in entries.items() if is_ours(fields, url)}
    wanted = url or os.path.realpath(str(index))
    folders = "/".join(re.split(r"[\\/]", str(index))[-2:])
    folder = urlsplit(url).hostname or folders.replace(".blog-index", "")
    long_name = "-".join(["blog", *re.findall(r"[A-Za-z0-9_]+", folder)])
    long_name = long_name if len(long_name) < 38 else long_name[:38].rpartition("-")[0]
    names = chain(("blog", long_name), (f"{long_name}-{number}" for number in count(2)))
    present = (name for name, place in places.items() if place == wanted)
    free = (name for name in names if name not in entries or places.get(name) == "")
    return next(chain(present, free))


def _place_of(fields: EntryFields) -> str:
    """Return the URL or the real path of the index that an entry is for, `""` for none."""
    index = find_index(fields)
    return find_url(fields) or (os.path.realpath(str(index)) if index else "")


def add_entry(
    settings: Settings, client: Client, name: str, *, prints: bool, url: str = "", token: str = ""
) -> None:
    """Write our entry, or print it if `prints`. It starts a server, or reaches the one at `url`.

    Raises UsageError, and ClientSettingsError with the entry to add by hand.
    """
    if len(name) > 40:  # of `mcp__NAME__suggest_links` Claude takes 64 characters, and Cursor 60
        raise UsageError("--name may have 40 characters: clients add the names of tools to it.")
    fields = _http_fields(client, url, token) if url else _stdio_fields(settings)
    if client.is_typed:
        fields = {"type": "http" if url else "stdio", **fields}

    def decide(entries: Entries) -> Entries:
        return {name or choose_name(entries, settings.index, url): fields}

    entries: Entries = {}
    with suppress(ClientSettingsError):  # change_entries reads again and raises it
        entries = _read_settings(client)[1][client.entries_field]
    [chosen] = decide(entries)
    entry = json.dumps({client.entries_field: {chosen: fields}}, ensure_ascii=False, indent=2)
    entry = _format_table(client.entries_field, chosen, fields) if client.is_toml else entry
    instruction = f"In {client.path}:\n\n{entry}"
    if prints:
        print_text(instruction)
        return
    try:
        changed = change_entries(client, decide)
    except ClientSettingsError as error:
        raise ClientSettingsError(f"{error} Add the entry by hand. {instruction}") from error
    [chosen] = changed or [chosen]
    effect = f"Restart {client.title} to use it." if changed else "It was there already."
    secrets = "".join(f" It holds {name}, which is a secret." for name in fields.get("env", ()))
    print_text(f"The entry {chosen!r} is in {client.path}. {effect}{secrets}{_name_backup(client)}")


def _http_fields(client: Client, url: str, token: str) -> EntryFields:
    """Return the fields of an entry that reaches a server. Raises UsageError."""
    if not client.url_field:
        raise UsageError(
            f"The file of {client.title} takes no address. Add {url} as a connector in its "
            f"settings, or as an entry of the bridge: npx -y mcp-remote {url} --header HEADER"
        )
    headers = dict([_OUR_HEADER]) | ({"Authorization": f"Bearer {token}"} if token else {})
    return {client.url_field: url, "http_headers" if client.is_toml else "headers": headers}


def _stdio_fields(settings: Settings) -> EntryFields:
    """Return the fields of an entry that starts a server; uvx gets `--offline` if that works."""
    script, *first = start_words()
    watch = ("--watch", str(settings.watch)) if settings.watch else ()
    arguments = [*first, "serve", *index_arguments(settings), *watch]
    env = find_secrets(settings.index)
    fields = {"command": script, "args": arguments, **({"env": env} if env else {})}
    offline = fields | {"args": ["--offline", *arguments]}
    return offline if Path(script).stem == "uvx" and not explain_start(offline) else fields


def find_secrets(index: Location) -> dict[str, str]:
    """Return the environment variables with secrets that a server of this index needs."""
    from blog_search_mcp.index.embedders.connection import KEY_VARIABLE

    overview = open_store(index).peek_overview()
    names = [KEY_VARIABLE] if overview and overview.embedder.startswith("openai ") else []
    names += ["MILVUS_TOKEN"] if isinstance(index, IndexAddress) else []
    return {name: os.environ[name] for name in names if name in os.environ}


def explain_start(fields: EntryFields) -> str:
    """Run an entry's program with `--version` for up to 60 s; return why it fails, else `""`."""
    from mcp.client.stdio import get_default_environment

    program, arguments = str(fields.get("command")), _arguments(fields)
    first = arguments[: arguments.index("serve")] if "serve" in arguments else []
    options: dict[str, Any] = {"stdin": subprocess.DEVNULL, "capture_output": True, "timeout": 60}
    options["env"] = get_default_environment() | dict(fields.get("env") or {})
    try:
        done = subprocess.run([program, *first, "--version"], check=False, **options)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    line = done.stderr.decode("utf-8", "replace").partition("\n")[0]
    return (line or f"status {done.returncode}") if done.returncode else ""


def remove_entries(clients: Iterable[Client], name: str) -> int:
    """Remove our entries, or only the one called `name`, and print what was done and what stays.

    Returns the exit status.
    """

    def decide(entries: Entries) -> Entries:
        ours = (each for each, fields in entries.items() if is_ours(fields))
        return {each: {} for each in (entries.keys() & {name} if name else ours)}

    indexes, status = list[Location | None](), 0
    for client in clients:
        try:
            removed = change_entries(client, decide)
        except BlogSearchError as error:
            print_error(str(error))
            status = FAILED
            continue
        for each in removed:
            print_text(f"The entry {each!r} was taken out of {client.path}.{_name_backup(client)}")
        indexes += map(find_index, removed.values())
    if not (indexes or status):
        print_text("There is no such entry.")
    for index in filter(None, dict.fromkeys(indexes)):
        print_text(f"The index stays; if nothing else asks it, delete {index}")
    return status


def list_ours(client: Client) -> list[tuple[str, EntryFields]]:
    """List our entries of a client by name. Raises ClientSettingsError."""
    entries: Entries = _read_settings(client)[1][client.entries_field]
    return [(name, fields) for name, fields in entries.items() if is_ours(fields)]


def _name_backup(client: Client) -> str:
    backup = client.path.with_name(client.path.name + BACKUP)
    return f" What the file was before is in {backup.name} beside it." if backup.exists() else ""


def set_up_clients(
    settings: Settings, clients: Mapping[str, Client], slug: str | None, name: str
) -> tuple[int, str]:
    """Write our entry for the client `slug`, or for all that are used here.

    Returns the exit status, and the titles of the clients that have it. A client whose settings
    cannot be changed is reported and does not stop the others. Raises BlogSearchError.
    """
    chosen = [each for each in clients.values() if (each.slug == slug if slug else each.is_used)]
    titles, status = list[str](), 0
    for client in chosen:
        try:
            add_entry(settings, client, name, prints=False)
            titles.append(client.title)
        except ClientSettingsError as error:
            print_message(error.message, settings)
            status = FAILED
    if not chosen:
        print_text("No client was found here; most take this entry, each in a file of its own.")
        add_entry(settings, clients["claude-desktop"], name, prints=True)
    return status, ", ".join(titles) or ("" if chosen else "the client")


_QUESTIONS = {
    "de": "Was schreibe ich über „{}“?",
    "es": "¿Qué escribí sobre «{}»?",
    "fr": "Qu’ai-je écrit sur « {} » ?",
    "ja": "「{}」について何を書いた？",
    "zh": "我寫過哪些關於「{}」的內容？",
}


def suggest_steps(settings: Settings, titles: str) -> None:
    """Print what to do next: restart, ask a question that this blog answers, or search.

    The question is on the newest post with text whose title is no date or number, in its language.
    """
    snapshot = engine_for_one(settings, embeds=False).reader().snapshot
    newest = snapshot.catalog.list_posts(Filters(), "newest", 50, 0).page
    titled = [post for post in newest if re.search(r"[^\W\d_]{3}|[^\W\d_a-zA-Z]{2}", post.title)]
    post = next(iter(titled or newest))
    asked = _QUESTIONS.get(primary_subtag(post.language), "What did I write about “{}”?")
    title = one_line(post.title)
    place = ("--index", settings.index)
    print_text(f"Restart {titles}." if titles else "")
    print_text(f"Ask {titles or 'it'}: {asked.format(title)}")
    print_text(f"Or search here: {command('search', title, *place)}")


def change_entries(client: Client, decide: Callable[[Entries], Entries]) -> Entries:
    """Change entries as `decide` returns them for all present ones; return the old changed ones.

    An entry keeps its other fields. A lock lets only one command at a time change settings. Raises
    UsageError if the name belongs to another server, and ClientSettingsError if the file cannot be
    read or written, or is no plain JSON (a rewrite would lose comments). Then it stays as it was.
    """
    from filelock import FileLock

    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    lock, before = Path(caches, PACKAGE, "clients.lock"), Entries()
    try:
        lock.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(lock, timeout=10):
            text, root = _read_settings(client)
            new_text, entries = text, root[client.entries_field]
            for name, wanted in decide(entries).items():
                entry = entries.get(name, {})
                fields = _merge(client, name, entry, wanted)
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
                _replace_file(client.path, text, new_text)
    except OSError as error:
        reason = error.strerror or "another command is changing it"
        raise ClientSettingsError(f"{client.path} cannot be written: {reason}.") from error
    except (TypeError, ValueError) as error:  # TypeError: a TOML date cannot be written
        raise ClientSettingsError(f"{client.path} was left as it was: {error}.") from error
    return before


def _merge(client: Client, name: str, entry: EntryFields, wanted: EntryFields) -> EntryFields:
    """Return an entry with its fields replaced by `wanted`; none removes it. Raises UsageError."""
    url = find_url(wanted)
    if entry and not is_ours(entry, url):
        raise UsageError(
            f"The entry {name!r} in {client.path} is of another server. "
            "Give ours another name with --name."
        )
    if not wanted:
        return {}
    env = {} if url else (entry.get("env") or {}) | wanted.get("env", {})
    kept = {key: value for key, value in entry.items() if key not in _OUR_FIELDS}
    return {**kept, **wanted, **({"env": env} if env else {})}


_FLOAT = "\ue000"
"""Prefix of strings that stand for decimal numbers of JSON, so that these keep their digits."""


def _dump_json(root: dict[str, Any], like: str) -> str:
    """Return an object as JSON with the indent and the final line end of the text `like`."""
    indent = re.search(r'^([ \t]+)"', like, re.MULTILINE)
    end = like[len(like.rstrip()) :] if like.strip() else "\n"
    text = json.dumps(root, indent=indent[1] if indent else "  ", ensure_ascii=False) + end
    return re.sub(f'"{_FLOAT}([^"]*)"', r"\1", text)


def _parse_json(text: str) -> Any:
    """Parse JSON. Raises ValueError if `_dump_json` would not give the same text but for blanks."""
    text = text.strip() or "{}"
    root = json.loads(text, parse_float=_FLOAT.__add__)
    strip = partial(re.compile(r'"(?:[^"\\]|\\.)*+"|\s++').sub, "")
    if strip(_dump_json(root, text)) != strip(text):
        raise ValueError("a name stands in it twice, which a rewrite would lose")
    return root


def _replace_table(text: str, key: str, name: str, fields: EntryFields) -> str:
    """Return TOML text with the table `[key.name]` replaced, or removed if there are no fields.

    An entry that is written as an inline or dotted table is not found and stays.
    """
    kept, is_inside = list[str](), False
    for line in text.splitlines(keepends=True):
        if line.lstrip().startswith("["):
            with suppress(ValueError):  # a line of an array is no TOML document
                is_inside = name in tomllib.loads(line).get(key, ())
        kept += [] if is_inside else [line]
    if not fields:
        return "".join(kept)
    before = "".join(kept).rstrip()
    table = _format_table(key, name, fields)
    return f"{before}\n\n{table}" if before else table


def _format_table(key: str, name: str, fields: EntryFields) -> str:
    lines = (f"{word} = {_format_value(value)}\n" for word, value in fields.items())
    return f"[{key}.{json.dumps(name)}]\n{''.join(lines)}"


def _format_value(value: object) -> str:
    """Return a TOML value on one line; all but tables look as in JSON. Raises TypeError."""
    if not isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    inner = (f"{json.dumps(word)} = {_format_value(value[word])}" for word in value)
    return f"{{ {', '.join(inner)} }}"


def _read_settings(client: Client) -> tuple[str, dict[str, Any]]:
    """Return the text of a client's settings and the object in it, which always has entries."""
    try:
        text = _read_text(client.path)
        root = tomllib.loads(text) if client.is_toml else _parse_json(text)
        entries = root.setdefault(client.entries_field, {})
        if not all(isinstance(entry, dict) for entry in entries.values()):
            raise ValueError(f"what stands under {client.entries_field!r} is no object of objects")
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
    """Replace a file, or the target of a link, in one step, so that nobody reads half of it.

    The file keeps its permissions, and a copy of the old one is kept beside it. Raises OSError, and
    ValueError if the file no longer holds the text `before`: clients write to it too.
    """
    target = path.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        partial.touch(mode=0o600)
        partial.write_text(text, encoding="utf-8", newline="")
        if target.exists():
            shutil.copymode(target, partial)
            shutil.copy2(target, path.with_name(path.name + BACKUP))
        if _read_text(target) != before:
            raise ValueError("another program has changed it meanwhile; run this again")
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
