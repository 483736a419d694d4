"""Add, check and remove entries for this program in the settings of MCP clients."""

import os
import re
import subprocess
from collections.abc import Iterable, Mapping
from contextlib import suppress
from itertools import chain, count, pairwise
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import urlsplit

from blog_search_mcp.index.errors import BlogSearchError, ClientSettingsError, UsageError
from blog_search_mcp.index.invocation import PACKAGE, start_words
from blog_search_mcp.index.stores import IndexAddress, Location, open_store
from blog_search_mcp.server.cli.client_settings import (
    Client,
    Entries,
    EntryFields,
    change_entries,
    format_entry,
    name_backup,
    read_entries,
)
from blog_search_mcp.server.cli.terminal import FAILED, print_error, print_message, print_text
from blog_search_mcp.server.settings import Settings, index_arguments, read_index

_URL_FIELDS = ("url", "serverUrl", "httpUrl")
_OUR_FIELDS = {"type", "command", "args", "env", *_URL_FIELDS, "headers", "http_headers"}
"""Fields that this program writes. An update replaces them but merges `env`; other fields stay."""
_OUR_HEADER = ("X-Installed-By", PACKAGE)
"""HTTP header (name, value) that marks an entry with a URL as written by this program."""
_START_PATTERN = re.compile(
    rf"({PACKAGE}|blog-server)(\0.*)?|py[^\0]*\0(-\w+\0)*-m\0blog_search_mcp(\0.*)?"
    rf"|(uvx?|pipx)\0((run|tool|--offline|--(from|spec)\0[^\0]*)\0)*{PACKAGE}([@=\0].*)?",
    re.DOTALL,
)
"""Pattern of a command and its arguments, joined by NUL, that start this program: as a script
(`blog-server` before 0.2), with Python, uvx or pipx."""


def is_ours(fields: object, url: str = "") -> bool:
    """Whether an entry starts this program, has our header, or has exactly this URL."""
    if not isinstance(fields, dict):
        return False
    if address := find_url(fields):
        headers = fields.get("headers") or fields.get("http_headers")
        return address == url or (isinstance(headers, dict) and _OUR_HEADER in headers.items())
    program = PurePath(str(fields.get("command"))).name.removesuffix(".exe")
    return _START_PATTERN.fullmatch("\0".join([program, *_arguments(fields)])) is not None


def find_url(fields: EntryFields) -> str:
    """Return the URL of the server that an entry reaches, `""` if it starts one."""
    return next((str(fields[name]) for name in _URL_FIELDS if name in fields), "")


def find_option(fields: EntryFields, option: str) -> str:
    """Return the argument after an option in an entry, else `""` (also for `--name=value`)."""
    return dict(pairwise(_arguments(fields))).get(option, "")


def find_index(fields: EntryFields) -> Location | None:
    """Return the index that an entry names by its absolute path or address, else `None`."""
    with suppress(ValueError):
        index = read_index(value := find_option(fields, "--index"))
        return index if value == str(index) and "\0" not in value else None
    return None


def _arguments(fields: EntryFields) -> list[str]:
    arguments = fields.get("args")
    return [*map(str, arguments)] if isinstance(arguments, list) else []


def choose_name(entries: Entries, index: Location, url: str) -> str:
    """Return the name of our entry for this index or URL, else a free name for a new one.

    Names are tried in turn: `blog`, `blog-PLACE`, `blog-PLACE-2` and so on; our entry without an
    index is reused. PLACE has the words of the URL's host or of the index's last two path parts.
    """
    places = {name: _target_of(fields) for name, fields in entries.items() if is_ours(fields, url)}
    wanted = url or os.path.realpath(str(index))
    folders = "/".join(re.split(r"[\\/]", str(index))[-2:])
    folder = urlsplit(url).hostname or folders.replace(".blog-index", "")
    long_name = "-".join(["blog", *re.findall(r"[A-Za-z0-9_]+", folder)])
    long_name = long_name if len(long_name) < 38 else long_name[:38].rpartition("-")[0]
    names = chain(("blog", long_name), (f"{long_name}-{number}" for number in count(2)))
    present = (name for name, place in places.items() if place == wanted)
    free = (name for name in names if name not in entries or places.get(name) == "")
    return next(chain(present, free))


def _target_of(fields: EntryFields) -> str:
    """Return the URL that an entry names, else its index without symbolic links, else `""`."""
    index = find_index(fields)
    return find_url(fields) or (os.path.realpath(str(index)) if index else "")


def add_entry(
    settings: Settings, client: Client, name: str, *, prints: bool, url: str = "", token: str = ""
) -> bool:
    """Write or print (`prints`) our entry, which starts a server or reaches the server at `url`.

    Without a `name`, `choose_name` chooses one. Returns whether the settings changed. Raises
    UsageError, or ClientSettingsError with the entry to add by hand.
    """
    # `mcp__NAME__suggest_links` may have 60 characters in Cursor, 64 in Claude.
    if len(name) > 40 or not name.isprintable():
        raise UsageError("--name may have 40 printable characters: names of tools are added to it.")
    fields = _http_fields(client, url, token) if url else _stdio_fields(settings)
    if client.is_typed:
        fields = {"type": "http" if url else "stdio", **fields}

    def choose(entries: Entries) -> str:
        return name or choose_name(entries, settings.index, url)

    def decide(entries: Entries) -> Entries:
        chosen = choose(entries)
        return {chosen: _merge(client, chosen, entries.get(chosen, {}), fields)}

    entries: Entries = {}
    with suppress(ClientSettingsError):  # change_entries reads again and raises it
        entries = read_entries(client)
    chosen = choose(entries)
    instruction = f"In {client.path}:\n\n{format_entry(client, chosen, fields)}"
    if prints:
        print_text(instruction)
        return False
    try:
        changed = change_entries(client, decide)
    except ClientSettingsError as error:
        raise ClientSettingsError(f"{error} Add the entry by hand. {instruction}") from error
    [chosen] = changed or [chosen]
    effect = "" if changed else " It was there already."
    secrets = "".join(f" It holds {key}, which is a secret." for key in fields.get("env", ()))
    print_text(f"The entry {chosen!r} is in {client.path}.{effect}{secrets}{name_backup(client)}")
    return bool(changed)


def _http_fields(client: Client, url: str, token: str) -> EntryFields:
    if not client.url_field:
        raise UsageError(
            f"The file of {client.title} takes no address. Add {url} as a connector in its "
            f"settings, or as an entry of the bridge: npx -y mcp-remote {url} --header HEADER"
        )
    headers = dict([_OUR_HEADER]) | ({"Authorization": f"Bearer {token}"} if token else {})
    return {client.url_field: url, "http_headers" if client.is_toml else "headers": headers}


def _stdio_fields(settings: Settings) -> EntryFields:
    """Return the fields of an entry that starts a server, with `--offline` if uvx starts so."""
    script, *first = start_words()
    watch = ("--watch", str(settings.watch)) if settings.watch else ()
    arguments = [*first, "serve", *index_arguments(settings), *watch]
    env = find_secrets(settings.index)
    fields = {"command": script, "args": arguments, **({"env": env} if env else {})}
    offline = fields | {"args": ["--offline", *arguments]}
    return offline if Path(script).stem == "uvx" and not explain_start(offline) else fields


def find_secrets(index: Location) -> dict[str, str]:
    """Return the secrets for a server of this index by environment variable, without unset ones."""
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
    try:
        options["env"] = get_default_environment() | dict(fields.get("env") or {})
        done = subprocess.run([program, *first, "--version"], check=False, **options)
    except (OSError, TypeError, ValueError, subprocess.TimeoutExpired) as error:
        return str(error)
    line = done.stderr.decode("utf-8", "replace").partition("\n")[0]
    return (line or f"status {done.returncode}") if done.returncode else ""


def remove_entries(clients: Iterable[Client], name: str) -> int:
    """Remove our entries, or only `name` if it is not `""`; report. Return the exit status."""

    def decide(entries: Entries) -> Entries:
        if name and name in entries:
            _require_ours(client, name, entries[name])
        return {
            each: {} for each, fields in entries.items() if is_ours(fields) and name in ("", each)
        }

    indexes, status = list[Location | None](), 0
    for client in clients:
        try:
            removed = change_entries(client, decide)
        except BlogSearchError as error:
            print_error(str(error))
            status = FAILED
            continue
        for each in removed:
            print_text(f"The entry {each!r} was taken out of {client.path}.{name_backup(client)}")
        indexes += map(find_index, removed.values())
    if not (indexes or status):
        print_text("There is no such entry.")
    for index in filter(None, dict.fromkeys(indexes)):
        print_text(f"The index stays; if nothing else asks it, delete {index}")
    return status


def list_ours(client: Client) -> list[tuple[str, EntryFields]]:
    """List our entries of a client as (name, fields). Raises ClientSettingsError."""
    return [(name, fields) for name, fields in read_entries(client).items() if is_ours(fields)]


def set_up_clients(
    settings: Settings, clients: Mapping[str, Client], slug: str | None, name: str
) -> tuple[int, str]:
    """Write our entry for the client `slug`, or for all used clients; if there are none, print it.

    Returns the exit status and the titles of clients that have the entry, "the client" if none is
    used. Clients whose settings cannot be changed are reported. Raises BlogSearchError.
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


def _merge(client: Client, name: str, entry: EntryFields, wanted: EntryFields) -> EntryFields:
    """Return an entry with `wanted` instead of our fields; `env` is merged. Raises UsageError."""
    url = find_url(wanted)
    if entry:
        _require_ours(client, name, entry, url)
    env = {} if url else (entry.get("env") or {}) | wanted.get("env", {})
    kept = {key: value for key, value in entry.items() if key not in _OUR_FIELDS}
    return {**kept, **wanted, **({"env": env} if env else {})}


def _require_ours(client: Client, name: str, entry: EntryFields, url: str = "") -> None:
    if not is_ours(entry, url):
        raise UsageError(
            f"The entry {name!r} in {client.path} is of another server. "
            "Give ours another name with --name."
        )
