"""The entries of MCP servers in a client's settings: read all, and name, write or remove ours."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, count, pairwise
from pathlib import Path, PurePath
from typing import Any
from unicodedata import normalize

from blog_search_mcp.index.commands import PACKAGE, start_words
from blog_search_mcp.index.errors import ClientSettingsError, UsageError
from blog_search_mcp.index.stores import Location
from blog_search_mcp.server.cli.install.clients import ClientFile
from blog_search_mcp.server.cli.install.settings_file import (
    format_settings,
    parse_settings,
    strip_comments,
)
from blog_search_mcp.server.settings import Settings, index_arguments

DEFAULT_NAME = "blog"
"""Of the first entry in a client's settings."""
_OURS = re.compile(rf"({PACKAGE}|blog-server)([@=].*)?")
"""Our program's name, also that of earlier entries, with a version for a runner."""
_MODULES = {"blog_search_mcp", "blog_search_mcp.server"}
_RUNNERS = {"uvx", "uv", "pipx"}
_WITH_VALUE = {"--from", "--spec", "--with", "--python", "-p", "--directory"}
"""A runner's options that take the next word; behind any other such option an entry is not ours."""


@dataclass(frozen=True, slots=True)
class Entry:
    """How a client starts one server."""

    name: str
    command: str = ""
    """Empty for a server that runs already."""
    arguments: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)
    project: str = ""
    """The folder it counts in, empty for every folder that the file counts in."""

    @property
    def is_ours(self) -> bool:
        """Whether it starts this program, directly, by `python -m` or through a runner."""
        if any(("-m", module) in pairwise(self.arguments) for module in _MODULES):
            return True
        program = re.sub(r"(?i)\.exe$", "", PurePath(self.command).name)
        if program in _RUNNERS:
            program = _find_package_word(self.arguments)
        return _OURS.fullmatch(program) is not None

    @property
    def index(self) -> str:
        """The index that it names, empty for none."""
        named = (
            following if word == "--index" else word.partition("=")[2]
            for word, following in pairwise((*self.arguments, ""))
            if word == "--index" or word.startswith("--index=")
        )
        return next(named, self.environment.get("BLOG_INDEX", ""))


def _find_package_word(arguments: Sequence[str]) -> str:
    """Return a runner's first word that is neither `tool`, `run` nor an option, empty if none."""
    words = iter(arguments)
    for word in words:
        if word in _WITH_VALUE:
            next(words, None)
        elif not word.startswith("-") and word not in ("tool", "run"):
            return word
    return ""


def expand_home(folder: str) -> Path:
    """Replace `~` by the home folder that it means, if that is known."""
    try:
        return Path(folder).expanduser()
    except RuntimeError:  # the user whose home it names is unknown
        return Path(folder)


def read_entries(file: ClientFile, text: str) -> tuple[Entry, ...]:
    """Return every entry in the file's `text`. Raises ValueError, which names the place.

    Claude Code keeps entries for one folder beside those for all.
    """
    root = parse_settings(strip_comments(text) if file.comments else text)
    projects = root.get("projects")
    levels = [("", root), *(projects.items() if isinstance(projects, dict) else ())]
    return tuple(entry for project, level in levels for entry in _entries(level, file.key, project))


def choose_name(entries: Iterable[Entry], index: Location) -> str:
    """Return the name of the entry over this index, or a free one for a new entry.

    The first is DEFAULT_NAME, others have the blog's folder in it, or a number.
    """
    everywhere = [entry for entry in entries if not entry.project]
    if own := names_over(everywhere, index):
        return own[0]
    taken = {entry.name for entry in everywhere if not entry.is_ours or entry.index}
    named = "-".join(filter(None, (DEFAULT_NAME, _name_folder(index))))
    names = chain((DEFAULT_NAME, named), (f"{named}-{number}" for number in count(2)))
    return next(name for name in names if name not in taken)


def find_name(entries: Iterable[Entry], index: Location | None = None) -> str | None:
    """Return the name of our entry over this index, or of the only one if none is given.

    Returns `None` if there is no such entry. Raises UsageError if there are several.
    """
    ours = [entry for entry in entries if entry.is_ours and not entry.project]
    names = names_over(ours, index) if index else [entry.name for entry in ours]
    if len(names) > 1:
        raise UsageError(
            f"Several entries are meant: {', '.join(map(repr, names))}. Say which with --name."
        )
    return names[0] if names else None


def names_over(entries: Iterable[Entry], index: Location) -> list[str]:
    """Return the names of our entries that have this index."""
    wanted = _identify(index)
    ours = (entry for entry in entries if entry.is_ours and entry.index)
    return [entry.name for entry in ours if _identify(entry.index) == wanted]


def _identify(index: str | Location) -> str:
    folder = str(index)
    return os.path.normcase(os.path.realpath(expand_home(folder)))


def _name_folder(index: Location) -> str:
    """Name the blog's folder in letters that every client takes, empty where it has none."""
    names = (part.removeprefix(".blog-index-") for part in reversed(index.parts[1:]))
    name = next((name for name in names if name != "index" and not name.startswith(".")), "")
    plain = normalize("NFKD", name).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9_-]+", "-", plain).strip("-_")[:50]


def with_entry(text: str, file: ClientFile, name: str, fields: dict[str, Any]) -> str:
    """Set the fields of our entry `name`, and keep its other fields.

    Raises ValueError if `text` cannot be parsed, UsageError if another server has the name, and
    ClientSettingsError, with the entry to paste, if `text` has comments.
    """
    root = _parse_for_edit(text, file, name)
    entry = _member(_member(root, file.key), name)
    if fields.items() <= entry.items():
        return text
    entry.update(fields)
    advice = f"Add the entry by hand. {describe_entry(file, name, fields)}"
    return _rewrite(root, text, file, advice)


def without_entry(text: str, file: ClientFile, name: str) -> str:
    """Remove our entry `name`; return `text` itself if there is none. Raises as `with_entry`."""
    root = _parse_for_edit(text, file, name)
    servers = root.get(file.key)
    if not isinstance(servers, dict) or not isinstance(servers.pop(name, None), dict):
        return text
    return _rewrite(root, text, file, f"Remove the entry {name!r} by hand.")


def entry_fields(settings: Settings, file: ClientFile) -> dict[str, Any]:
    """Build our entry, with absolute paths: a client has a folder and a PATH of its own."""
    script, *first = start_words()
    watch = ("--watch", str(settings.watch)) if settings.watch else ()
    kind = {"type": "stdio"} if file.typed else {}
    arguments = [*first, "serve", *index_arguments(settings), *watch]
    return {**kind, "command": script, "args": arguments}


def describe_entry(file: ClientFile, name: str, fields: dict[str, Any]) -> str:
    """Show the entry and the file it belongs in."""
    entry = json.dumps({file.key: {name: fields}}, ensure_ascii=False, indent=2)
    return f"In {file.path}:\n\n{entry}"


def _parse_for_edit(text: str, file: ClientFile, name: str) -> dict[str, Any]:
    """Parse the settings, and refuse an entry `name` of another server for every folder."""
    for entry in read_entries(file, text):
        if entry.name == name and not entry.project and not entry.is_ours:
            raise UsageError(
                f"The entry {name!r} in {file.path} starts another server. "
                "Give ours another name with --name."
            )
    return parse_settings(strip_comments(text) if file.comments else text)


def _rewrite(root: dict[str, Any], text: str, file: ClientFile, advice: str) -> str:
    """Write `root` in the place of `text`; with comments there, refuse with `advice`."""
    if file.comments and strip_comments(text) != text:
        raise ClientSettingsError(
            f"{file.path} has comments or trailing commas, which a rewrite would lose, so it was "
            f"left as it is. {advice}"
        )
    return format_settings(root, text)


def _member(parent: dict[str, Any], key: str) -> dict[str, Any]:
    value = parent.setdefault(key, {})
    if not isinstance(value, dict):
        raise ValueError(f"what stands under {key!r} is not an object")
    return value


def _entries(level: Any, key: str, project: str) -> Iterator[Entry]:
    servers = level.get(key) if isinstance(level, dict) else None
    for name, fields in (servers if isinstance(servers, dict) else {}).items():
        if isinstance(fields, dict):
            yield _read_entry(name, fields, project)


def _read_entry(name: str, fields: dict[str, Any], project: str) -> Entry:
    arguments, environment = fields.get("args"), fields.get("env")
    return Entry(
        name=name,
        command=str(fields.get("command") or ""),
        arguments=tuple(map(str, arguments)) if isinstance(arguments, list) else (),
        environment=environment if isinstance(environment, dict) else {},
        project=project,
    )
