"""Write the commands that a person is told to run, as they work where this program was installed.

What raises an error knows neither the folders nor who will read of it, so a sentence holds a
command as a template in backticks: `blog-search-mcp ingest CONTENT --index INDEX`. Where it is
shown, `complete_commands` makes it one that can be pasted, or for a client one without paths.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

PACKAGE = "blog-search-mcp"
"""The distribution and its script."""
TO_INGEST = f"{PACKAGE} ingest CONTENT --index INDEX"
"""The template of a command that brings an index up to date."""

MAX_LISTED = 20
"""Lines of one kind; an imported blog may have a date that cannot be read in every post."""


def list_first(lines: Sequence[str]) -> Sequence[str]:
    """Leave out what is more than MAX_LISTED, and say how many and how to see them."""
    left = len(lines) - MAX_LISTED
    if left <= 0:
        return lines
    return [*lines[:MAX_LISTED], f"… and {left:,} more like these; --rebuild --json lists all."]


_QUOTED = re.compile("`([^`]*)`")
_COMMAND = re.compile(rf"(?:.*[\s/])?{PACKAGE} ([a-z].*)", re.DOTALL)
_UV_CACHE = re.compile(r"(archive|environments)-v\d+")
"""The folders of uv's cache that hold the environments of `uvx`."""


@dataclass(frozen=True, slots=True)
class Blog:
    """What stands in a command for CONTENT and INDEX."""

    index: str
    content: str = "CONTENT"
    options: tuple[str, ...] = ()
    """Of the last ingest: one without them would undo its work."""


def start_words() -> tuple[str, ...]:
    """Return the words that start this program, the first of them an absolute path."""
    runner, script = _find_runner(), _find_script()
    if runner and (program := shutil.which(runner[0])):
        return (program, *runner[1:], PACKAGE)
    return (str(script),) if script else (sys.executable, "-m", "blog_search_mcp")


def _words_in_shell() -> tuple[str, ...]:
    """Return the shortest words that start it in the person's shell."""
    if runner := _find_runner():
        return (*runner, PACKAGE)
    script, on_path = _find_script(), shutil.which(PACKAGE)
    is_ours = script and on_path and os.path.realpath(on_path) == os.path.realpath(script)
    return (PACKAGE,) if is_ours else start_words()


def _words_without_paths() -> tuple[str, ...]:
    """Return words that start it and name no folder of this machine."""
    program, *words = _words_in_shell()
    named = (PACKAGE if Path(word).is_absolute() else word for word in words)
    return (Path(program).name, *named)


def _find_runner() -> tuple[str, ...]:
    """Return what starts the script by its name, where the environment will be deleted.

    That is told by the folder in which a runner made it.
    """
    parts = Path(sys.prefix).parts
    if any(map(_UV_CACHE.fullmatch, parts)):
        uv = os.environ.get("UV")
        is_found = shutil.which("uvx") or not uv
        return ("uvx" if is_found else str(Path(str(uv)).with_stem("uvx")), "--from", _source())
    if "pipx" in parts and "venvs" not in parts:
        return ("pipx", "run", "--spec", _source())
    return ()


def _find_script() -> Path | None:
    beside = (Path(sys.executable).with_name(PACKAGE + ending) for ending in ("", ".exe"))
    return next((path for path in beside if path.exists()), None)


def _quote(words: Iterable[str]) -> str:
    """Quote as the system's shell reads it."""
    return subprocess.list2cmdline([*words]) if sys.platform == "win32" else shlex.join(words)


def command(*arguments: object) -> str:
    """Return the shell command that runs this program in any folder."""
    return _quote((*_words_in_shell(), *map(str, arguments)))


def complete_commands(sentence: str, blog: Blog | None = None) -> str:
    """Make each template a command that works: for `blog`, on the person's terminal.

    Without one CONTENT and INDEX stay, and no path of this machine is named.
    """
    return _QUOTED.sub(lambda quoted: f"`{_complete(quoted[1], blog)}`", sentence)


def _complete(words: str, blog: Blog | None) -> str:
    template = _COMMAND.fullmatch(words)
    if template is None:
        return words
    if blog is None:
        return f"{_quote(_words_without_paths())} {template[1]}"
    values = {"CONTENT": blog.content, "INDEX": blog.index}
    completed = [values.get(word, word) for word in template[1].split()]
    options = blog.options if completed[0] == "ingest" else ()
    return command(*completed, *options)


def _source() -> str:
    """Return what pip installs this distribution from: its name, a path or an address."""
    import json
    from importlib import metadata
    from urllib.request import url2pathname

    origin = metadata.distribution(PACKAGE).read_text("direct_url.json")
    if origin is None:
        return PACKAGE
    found = json.loads(origin)
    scheme, _, place = found["url"].partition("://")
    if scheme == "file":
        return url2pathname(place)
    return f"{found['vcs_info']['vcs']}+{found['url']}" if "vcs_info" in found else found["url"]
