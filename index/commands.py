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
from collections.abc import Callable, Mapping, Sequence
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
class Installation:
    """How this program runs here, and so how it is started in any folder."""

    python: Path
    """The interpreter, beside which an environment has its scripts."""
    runner: tuple[str, ...] = ()
    """Starts the script by its name, where the environment is a runner's and will be deleted."""
    search_path: str = ""
    """The PATH of the person's shell."""
    system: str = "linux"
    """`sys.platform`."""

    def start(self) -> tuple[str, ...]:
        """Return the words that start this program, the first of them an absolute path."""
        if self.runner and (found := shutil.which(self.runner[0], path=self.search_path)):
            return (found, *self.runner[1:], PACKAGE)
        script = self._find_script()
        return (str(script),) if script else (str(self.python), "-m", "blog_search_mcp")

    def start_in_shell(self) -> tuple[str, ...]:
        """Return the shortest words that start it in the person's shell."""
        if self.runner:
            return (*self.runner, PACKAGE)
        script, on_path = self._find_script(), shutil.which(PACKAGE, path=self.search_path)
        is_ours = script and on_path and os.path.realpath(on_path) == os.path.realpath(script)
        return (PACKAGE,) if is_ours else self.start()

    def start_without_paths(self) -> tuple[str, ...]:
        """Return words that start it and name no folder of this machine."""
        program, *words = self.start_in_shell()
        named = (PACKAGE if Path(word).is_absolute() else word for word in words)
        return (Path(program).name, *named)

    def write(self, words: Sequence[str]) -> str:
        """Quote `words` as the system's shell reads them."""
        return subprocess.list2cmdline(words) if self.system == "win32" else shlex.join(words)

    def _find_script(self) -> Path | None:
        beside = (self.python.with_name(PACKAGE + ending) for ending in ("", ".exe"))
        return next((path for path in beside if path.exists()), None)


@dataclass(frozen=True, slots=True)
class Blog:
    """What stands in a command for CONTENT and INDEX."""

    index: str
    content: str = "CONTENT"
    options: tuple[str, ...] = ()
    """Of the last ingest: one without them would undo its work."""


def find_installation(
    python: Path, prefix: Path, environment: Mapping[str, str], source: Callable[[], str]
) -> Installation:
    """Tell by the folder of the environment, `prefix`, who made it.

    `source` returns what a runner installs the distribution from.
    """
    search_path = environment.get("PATH", os.defpath)
    runner: tuple[str, ...] = ()
    if any(map(_UV_CACHE.fullmatch, prefix.parts)):
        uv = environment.get("UV")
        is_found = shutil.which("uvx", path=search_path) or not uv
        runner = ("uvx" if is_found else str(Path(str(uv)).with_stem("uvx")), "--from", source())
    elif "pipx" in prefix.parts and "venvs" not in prefix.parts:
        runner = ("pipx", "run", "--spec", source())
    return Installation(python, runner, search_path, sys.platform)


def this_installation() -> Installation:
    """Look at the running process."""
    return find_installation(Path(sys.executable), Path(sys.prefix), os.environ, _source)


def start_words() -> tuple[str, ...]:
    """Return the words that start this program, the first of them an absolute path."""
    return this_installation().start()


def command(*arguments: object) -> str:
    """Return the shell command that runs this program in any folder."""
    here = this_installation()
    return here.write((*here.start_in_shell(), *map(str, arguments)))


def complete_commands(sentence: str, blog: Blog | None = None) -> str:
    """Make each template a command that works: for `blog`, on the person's terminal.

    Without one CONTENT and INDEX stay, and no path of this machine is named.
    """
    return _QUOTED.sub(lambda quoted: f"`{_complete(quoted[1], blog)}`", sentence)


def _complete(words: str, blog: Blog | None) -> str:
    template = _COMMAND.fullmatch(words)
    if template is None:
        return words
    here, arguments = this_installation(), template[1]
    if blog is None:
        return f"{here.write(here.start_without_paths())} {arguments}"
    values = {"CONTENT": blog.content, "INDEX": blog.index}
    completed = [values.get(word, word) for word in arguments.split()]
    options = blog.options if completed[0] == "ingest" else ()
    return here.write((*here.start_in_shell(), *completed, *options))


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
