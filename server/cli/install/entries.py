"""A client's settings file as text comes in; its entries of MCP servers go out."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from blog_search_mcp.server.cli.install.json_edit import strict
from blog_search_mcp.server.cli.install.scripts import PACKAGE, SERVER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from blog_search_mcp.server.cli.install.clients import ClientFile

_OURS = re.compile(rf"({SERVER}|{PACKAGE})(\.exe|[@=].*)?")
"""Our program's name, with Windows' ending or with a version for a runner."""


@dataclass(frozen=True, slots=True)
class Entry:
    """How a client starts one server, or where it finds one that runs."""

    name: str
    command: str = ""
    """Empty for a server that runs already."""
    arguments: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)
    url: str = ""
    project: str = ""
    """The folder it counts in, empty for every folder that the file counts in."""

    @property
    def is_ours(self) -> bool:
        """Whether it starts this program, directly, by `python -m server` or through a runner."""
        named = [self.command, *self.arguments]
        by_module = any(pair == ("-m", "blog_search_mcp.server") for pair in pairwise(named))
        return by_module or any(_OURS.fullmatch(PurePath(word).name) for word in named)

    @property
    def index(self) -> str:
        """The index folder it gives, empty for none."""
        given = self.environment.get("BLOG_INDEX", "")
        for word, following in pairwise((*self.arguments, "")):
            if word == "--index":
                given = following
            elif word.startswith("--index="):
                given = word.partition("=")[2]
        return given


def read_entries(file: ClientFile, text: str) -> tuple[Entry, ...]:
    """Read every entry in the file's `text`. Raises ValueError, which names the place, if none can.

    Claude Code keeps entries for one folder beside those for all.
    """
    plain = strict(text) if file.comments else text
    root = json.loads(plain) if plain.strip() else {}
    if not isinstance(root, dict):
        raise ValueError("it is not a JSON object")
    projects = root.get("projects")
    levels = [("", root), *(projects.items() if isinstance(projects, dict) else ())]
    return tuple(entry for project, level in levels for entry in _entries(level, file.key, project))


def _entries(level: Any, key: str, project: str) -> Iterator[Entry]:
    found = level.get(key) if isinstance(level, dict) else None
    for name, given in (found if isinstance(found, dict) else {}).items():
        if isinstance(given, dict):
            yield _entry(name, given, project)


def _entry(name: str, given: dict[str, Any], project: str) -> Entry:
    started = given.get("command")
    if isinstance(started, dict):  # an older shape of Zed
        given = {**started, "command": started.get("path")}
    arguments, environment = given.get("args"), given.get("env")
    return Entry(
        name=name,
        command=str(given.get("command") or ""),
        arguments=tuple(map(str, arguments)) if isinstance(arguments, list) else (),
        environment=environment if isinstance(environment, dict) else {},
        url=str(given.get("url") or given.get("serverUrl") or ""),
        project=project,
    )
