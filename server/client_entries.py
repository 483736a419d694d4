"""A client's settings file as text comes in; its entries of MCP servers go out."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from server.clients import ClientFile

SCRIPT = "blog-server"
"""Our console script, which entries should name."""

_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_LAST_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])')


@dataclass(frozen=True, slots=True)
class Entry:
    """How a client starts one server, or where it finds one that runs."""

    name: str
    command: str = ""
    """Empty for a server that runs already."""
    arguments: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)
    url: str = ""

    @property
    def is_ours(self) -> bool:
        """Whether it starts this program, directly, by `python -m server` or through a runner."""
        named = [self.command, *self.arguments]
        by_module = any(pair == ("-m", "server") for pair in pairwise(named))
        return by_module or any(PurePath(word).stem == SCRIPT for word in named)

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
    root = json.loads(without_comments(text) if file.comments else text) if text.strip() else {}
    if not isinstance(root, dict):
        raise ValueError("it is not a JSON object")
    projects = root.get("projects")
    levels = [root, *(projects.values() if isinstance(projects, dict) else ())]
    return tuple(entry for level in levels for entry in _entries(level, file.key))


def without_comments(text: str) -> str:
    """Blank out comments and last commas; every other character keeps its line and column."""
    for unwanted in (_COMMENT, _LAST_COMMA):
        text = unwanted.sub(lambda match: match[1] or re.sub(r"[^\n]", " ", match[0]), text)
    return text


def _entries(level: Any, key: str) -> Iterator[Entry]:
    found = level.get(key) if isinstance(level, dict) else None
    for name, given in (found if isinstance(found, dict) else {}).items():
        if isinstance(given, dict):
            yield _entry(name, given)


def _entry(name: str, given: dict[str, Any]) -> Entry:
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
    )
