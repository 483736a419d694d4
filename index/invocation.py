"""Commands that a person should run, in a form that works for this installation.

The code that raises an error knows neither the blog's folders nor who will read the error. So a
Message keeps its commands as objects: its text suits clients, and a terminal adds the folders.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Self, TypeAlias

PACKAGE = "blog-search-mcp"
"""Name of the distribution and of its script."""
MAX_LISTED = 20
"""Maximum lines of one kind in a report: an imported blog may have a bad date in every post."""


def list_first(lines: Sequence[str]) -> Sequence[str]:
    """Return the first MAX_LISTED lines and, if there are more, a line with their number."""
    left = len(lines) - MAX_LISTED
    more = [f"… and {left:,} more like these; --rebuild --json lists all."] if left > 0 else []
    return [*lines[:MAX_LISTED], *more]


@dataclass(frozen=True, slots=True)
class Blog:
    """The folders that a command needs."""

    index: str
    content: str = "CONTENT"


def start_words() -> tuple[str, ...]:
    """Return the words that start this program; the first is an absolute path if it is known.

    Runners (uvx, pipx run) delete the environments they make, so the runner's command is returned.
    """
    parts = Path(sys.prefix).parts
    if any(re.fullmatch(r"(archive|environments)-v\d+", part) for part in parts):  # uv's cache
        return (shutil.which("uvx") or "uvx", "--from", _source(), PACKAGE)
    if "pipx" in parts and "venvs" not in parts:
        return (shutil.which("pipx") or "pipx", "run", "--spec", _source(), PACKAGE)
    script = shutil.which(PACKAGE, path=str(Path(sys.executable).parent))
    return (script,) if script else (sys.executable, "-m", "blog_search_mcp")


def command(*arguments: object) -> str:
    """Return the shell command that runs this program in any folder, quoted for this system.

    The program is written without its folder if the shell finds it by its name.
    """
    program, *words = start_words()
    on_path = shutil.which(Path(program).name) if program != sys.executable else None
    is_found = on_path and os.path.realpath(on_path) == os.path.realpath(program)
    typed = [Path(program).name if is_found else program, *words, *map(str, arguments)]
    return subprocess.list2cmdline(typed) if sys.platform == "win32" else shlex.join(typed)


@dataclass(frozen=True, slots=True)
class Invocation:
    """A command of this program, without the folders of the blog that it is for."""

    words: tuple[str, ...]

    def __str__(self) -> str:
        """Return the command for a client, without paths of this machine."""
        program, *more = start_words()
        more = [PACKAGE if Path(word).is_absolute() else word for word in more]
        return " ".join((Path(program).name, *more, *self.words))

    def for_blog(self, blog: Blog) -> str:
        """Return the command for a terminal, which can be pasted in any folder."""
        name, *options = self.words
        folders = (blog.content, "--index", blog.index) if name in ("ingest", "setup") else ()
        return command(name, *folders, *options)


TO_INGEST = Invocation(("ingest",))
"""Command that brings an index up to date."""
TO_REBUILD = Invocation(("ingest", "--rebuild"))
TO_SETUP = Invocation(("setup",))
"""Command that creates an index, or finds its posts in another folder, and sets up clients."""
Parts: TypeAlias = tuple[str | Invocation, ...]
"""Pieces of a text, in order; a command gets backticks when the text is written."""


class Message(str):
    """Text for clients, which keeps its commands for a terminal's text."""

    __slots__ = ("parts",)
    parts: Parts

    def __new__(cls, *parts: str | Invocation) -> Self:
        """Join the parts without a separator; a message contributes its parts."""
        pieces = [part.parts if isinstance(part, Message) else (part,) for part in parts]
        flat = tuple(chain.from_iterable(pieces))
        text = "".join(part if isinstance(part, str) else f"`{part}`" for part in flat)
        message = super().__new__(cls, text)
        message.parts = flat
        return message

    def for_blog(self, blog: Blog) -> str:
        """Write the text for a terminal, each command with the blog's folders."""
        return "".join(
            part if isinstance(part, str) else f"`{part.for_blog(blog)}`" for part in self.parts
        )


def join_sentences(*sentences: str | None) -> Message:
    """Join the sentences that are not empty with spaces, keeping their commands."""
    spaced = [part for sentence in sentences if sentence for part in (" ", sentence)]
    return Message(*spaced[1:])


def _source() -> str:
    """Return the name, path or URL that pip installed this distribution from."""
    from importlib import metadata
    from urllib.request import url2pathname

    origin = json.loads(metadata.distribution(PACKAGE).read_text("direct_url.json") or "{}")
    address: str = origin.get("url", PACKAGE)
    if address.startswith("file://"):
        return url2pathname(address.removeprefix("file://"))
    return f"{origin['vcs_info']['vcs']}+{address}" if "vcs_info" in origin else address
