"""Write the commands that a person is told to run, as they work where this program was installed.

What raises an error knows neither the folders nor who will read of it, so a sentence holds a
command as a template in backticks: `blog-ingest CONTENT --index INDEX --rebuild`. Where it is
shown, `complete_commands` replaces it: on the terminal by what can be pasted, for a client by
what has no path of this machine.
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

INGEST = "blog-ingest"
SERVER = "blog-server"
PACKAGE = "blog-search-mcp"
"""The distribution, and the server by its name, as `uvx blog-search-mcp@0.1.0` wants it."""
TO_INGEST = f"{INGEST} CONTENT --index INDEX"
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
_COMMAND = re.compile(rf"(?:\S.*?)?\b({INGEST}|{SERVER}) (.*)", re.DOTALL)
"""A template, also one that was completed already."""
_UV_CACHE = re.compile(r"(archive|environments)-v\d+")
"""The folders of uv's cache that hold the environments of `uvx`."""


@dataclass(frozen=True, slots=True)
class Installation:
    """How this program runs here, and so how its scripts are started in any folder."""

    python: Path
    """The interpreter, beside which an environment has its scripts."""
    runner: tuple[str, ...] = ()
    """Starts a script by its name, where the environment is a runner's and will be deleted."""
    search_path: str = ""
    """The PATH of the person's shell."""
    system: str = "linux"
    """`sys.platform`."""

    def script(self, name: str) -> Path | None:
        """Return the path of a console script, `None` if it is not installed."""
        beside = (self.python.with_name(name + ending) for ending in ("", ".exe"))
        return next((path for path in beside if path.exists()), None)

    def start(self, name: str) -> tuple[str, ...]:
        """Return the words that start a script, the first of them an absolute path."""
        if self.runner and (found := shutil.which(self.runner[0], path=self.search_path)):
            return (found, *self.runner[1:], name)
        script = self.script(name)
        return (str(script),) if script else (str(self.python), *_by_module(name))

    def start_in_shell(self, name: str) -> tuple[str, ...]:
        """Return the shortest words that start a script in the person's shell."""
        if self.runner:
            return (*self.runner, name)
        script, on_path = self.script(name), shutil.which(name, path=self.search_path)
        is_ours = script and on_path and os.path.realpath(on_path) == os.path.realpath(script)
        return (name,) if is_ours else self.start(name)

    def start_without_paths(self, name: str) -> tuple[str, ...]:
        """Return words that start a script and name no folder of this machine."""
        if self.runner:
            program, *words = self.runner
            named = (PACKAGE if Path(word).is_absolute() else word for word in words)
            return (Path(program).stem, *named, name)
        return (name,) if self.script(name) else (self.python.stem, *_by_module(name))

    def write(self, words: tuple[str, ...]) -> str:
        """Quote `words` as the system's shell reads them."""
        return subprocess.list2cmdline(words) if self.system == "win32" else shlex.join(words)


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
        runner = ("uvx",) if is_found else (str(uv), "tool", "run")
        runner = (*runner, "--from", source())
    elif "pipx" in prefix.parts and "venvs" not in prefix.parts:
        runner = ("pipx", "run", "--spec", source())
    return Installation(python, runner, search_path, sys.platform)


def this_installation() -> Installation:
    """Look at the running process."""
    python, prefix = Path(sys.executable), Path(sys.prefix)
    return find_installation(python, prefix, os.environ, _source)


def start_words(script: str) -> tuple[str, ...]:
    """Return the words that start one of our scripts, the first of them an absolute path."""
    return this_installation().start(script)


def command(script: str, *arguments: object) -> str:
    """Return the shell command that runs one of our scripts in any folder."""
    here = this_installation()
    return here.write((*here.start_in_shell(script), *map(str, arguments)))


def complete_commands(sentence: str, blog: Blog | None = None) -> str:
    """Replace each template by a command that works: for `blog`, on the person's terminal.

    Without one CONTENT and INDEX stay, and no path of this machine is named.
    """
    return _QUOTED.sub(lambda quoted: f"`{_complete(quoted[1], blog)}`", sentence)


def _complete(words: str, blog: Blog | None) -> str:
    template = _COMMAND.fullmatch(words)
    if template is None:
        return words
    script, arguments = template.groups()
    here = this_installation()
    if blog is None:
        return here.write((*here.start_without_paths(script), *_without_paths(arguments)))
    values = {"CONTENT": blog.content, "INDEX": blog.index}
    completed = [values.get(word, word) for word in arguments.split()]
    options = blog.options if script == INGEST else ()
    return here.write((*here.start_in_shell(script), *completed, *options))


def _without_paths(arguments: str) -> list[str]:
    """Put CONTENT and INDEX back: a process that was started may have named the folders."""
    try:
        split = shlex.split(arguments, posix=os.name != "nt")
    except ValueError:  # no command of ours: a file's name may be anything
        split = arguments.split()
    words = [word.strip("\"'") for word in split]
    places = ("INDEX" if before == "--index" else "CONTENT" for before in ("", *words))
    return [
        place if Path(word).is_absolute() or (place == "INDEX" and "://" in word) else word
        for word, place in zip(words, places, strict=False)
    ]


def _by_module(script: str) -> tuple[str, str]:
    return "-m", f"blog_search_mcp.{script.removeprefix('blog-')}"


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
