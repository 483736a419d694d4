"""Write the commands that a person is told to run, as they work where this program was installed.

What raises an error knows neither the folders nor who will read of it, so a sentence holds a
command in backticks without them: `blog-search-mcp ingest`. Where it is shown, `complete_commands`
makes it one that can be pasted, or for a client one without paths.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

PACKAGE = "blog-search-mcp"
"""The distribution and its script."""
TO_INGEST = f"{PACKAGE} ingest"
"""The command that brings an index up to date."""
TO_SETUP = f"{PACKAGE} setup"
"""The command that makes an index, or finds its posts in another folder, and tells clients."""

MAX_LISTED = 20
"""Lines of one kind; an imported blog may have a date that cannot be read in every post."""


def list_first(lines: Sequence[str]) -> Sequence[str]:
    """Leave out what is more than MAX_LISTED, and say how many and how to see them."""
    left = len(lines) - MAX_LISTED
    more = [f"… and {left:,} more like these; --rebuild --json lists all."] if left > 0 else []
    return [*lines[:MAX_LISTED], *more]


_QUOTED = re.compile("`([^`]*)`")
_COMMAND = re.compile(rf"(?:.*[\s/])?{PACKAGE} ([a-z].*)", re.DOTALL)
_UV_CACHE = re.compile(r"(archive|environments)-v\d+")
"""The folders of uv's cache that hold the environments of `uvx`."""


@dataclass(frozen=True, slots=True)
class Blog:
    """The folders that a command needs."""

    index: str
    content: str = "CONTENT"


def start_words() -> tuple[str, ...]:
    """Return the words that start this program, the first an absolute path where that is known.

    A runner is named where it made the environment, which it will delete; its folder tells that.
    """
    parts = Path(sys.prefix).parts
    if any(map(_UV_CACHE.fullmatch, parts)):
        return (shutil.which("uvx") or "uvx", "--from", _source(), PACKAGE)
    if "pipx" in parts and "venvs" not in parts:
        return (shutil.which("pipx") or "pipx", "run", "--spec", _source(), PACKAGE)
    script = shutil.which(PACKAGE, path=str(Path(sys.executable).parent))
    return (script,) if script else (sys.executable, "-m", "blog_search_mcp")


def command(*arguments: object) -> str:
    """Return the shell command that runs this program in any folder, quoted for this system.

    A program that the shell finds by its name goes by that.
    """
    program, *words = start_words()
    on_path = shutil.which(Path(program).name) if program != sys.executable else None
    is_found = on_path and os.path.realpath(on_path) == os.path.realpath(program)
    typed = [Path(program).name if is_found else program, *words, *map(str, arguments)]
    return subprocess.list2cmdline(typed) if sys.platform == "win32" else shlex.join(typed)


def complete_commands(sentence: str, blog: Blog | None = None) -> str:
    """Make each command one that works: for `blog`, on the person's terminal.

    Without one no path of this machine is named.
    """
    return _QUOTED.sub(lambda quoted: f"`{_complete(quoted[1], blog)}`", sentence)


def _complete(quoted: str, blog: Blog | None) -> str:
    template = _COMMAND.fullmatch(quoted)
    if template is None:
        return quoted
    if blog is None:
        program, *more = start_words()
        more = [PACKAGE if Path(word).is_absolute() else word for word in more]
        return " ".join((Path(program).name, *more, template[1]))
    name, *words = template[1].split()
    folders = (blog.content, "--index", blog.index) if name in ("ingest", "setup") else ()
    is_whole = "--index" in words  # since it was completed before
    return quoted if is_whole else command(name, *folders, *words)


def _source() -> str:
    """Return what pip installs this distribution from: its name, a path or an address."""
    from importlib import metadata
    from urllib.request import url2pathname

    origin = json.loads(metadata.distribution(PACKAGE).read_text("direct_url.json") or "{}")
    address: str = origin.get("url", PACKAGE)
    if address.startswith("file://"):
        return url2pathname(address.removeprefix("file://"))
    return f"{origin['vcs_info']['vcs']}+{address}" if "vcs_info" in origin else address
