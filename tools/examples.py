"""`python -m tools.examples`: run the worked examples of the pages and update their outputs.

An example is a `console` fence: commands after a prompt (`$ `), each followed by its output. The
commands of a fence run in turn, in a new home folder. A command that ends in `&` is a server, which
runs until the end of the fence. A test runs the examples too, and fails if a page differs from the
output. Differences in times and sizes are ignored, and so are small differences in scores and
counts.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, chdir, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

from tests.support.front import command as run_command
from tests.support.ports import free_port, wait_until_listening

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("docs/quick-start.md", "docs/examples.md", "docs/tools.md", "examples/agent/README.md")
PROMPT = "$ "
SHOWN_HOME, PROJECT = "/home/me", "blog-search-mcp"
PORT = "8765"
"""Default port of the server; examples run on a free port instead."""
PATIENCE = 60.0
"""Timeout in seconds for a program to listen, or to end."""
SCORE, COUNT = 0.02, 0.01
"""Maximum differences to ignore: of scores; of counts with `,`, as a share of the larger one."""

_FENCE = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_HERE = re.compile(
    rf"{PROJECT} (?=(?:ask|author|doctor|ingest|list|read|search) )(.+?)(?= *(?:\d?>|[|&]|$))"
)
"""Pattern of commands that run in this process, since starting one takes most of their time."""
_HTTP_ALONE = re.compile(r"--http(?= -|$)")
_PASSING = re.compile(
    r"(?:less than a minute|\b\d+ (?:second|minute)s?)(?= ago)|\b\d+\.\d(?= (?:s|MB)\b)"
    r"|\b\d{4}-\d\d-\d\d(?= to )|(?<= to )\d{4}-\d\d-\d\d(?=\.$)"
)
"""Pattern of texts that change with each run: ages, seconds, megabytes, days of a report."""
_NUMBER = re.compile(r"(-?\d+\.\d{2,}|\d{1,3}(?:,\d{3})+)")


@dataclass(frozen=True, slots=True)
class Example:
    """A fence of commands."""

    commands: tuple[str, ...]
    printed: str
    """The fence's text: each command after its prompt, then its output."""
    start: int
    """Offset of the text in the page, in characters."""


def find_examples(page: str) -> Iterator[Example]:
    """Yield a page's examples in order. A command continues after a backslash at a line's end."""
    for fence in _FENCE.finditer(page):
        lines = fence[1].replace("\\\n", "\\\0").splitlines()
        commands = (line.removeprefix(PROMPT) for line in lines if line.startswith(PROMPT))
        yield Example(
            tuple(command.replace("\\\0", "\\\n") for command in commands), fence[1], fence.start(1)
        )


def find_outdated(page: str, home: Home) -> list[tuple[Example, str]]:
    """Run a page's examples; return those whose output differs, each with the new text."""
    ran = [(example, home.type(example)) for example in find_examples(page)]
    return [(example, text) for example, text in ran if not are_alike(example.printed, text)]


def replace_outputs(page: str, outputs: list[tuple[Example, str]]) -> str:
    """Return the page with the new texts of these examples."""
    for example, printed in sorted(outputs, key=lambda pair: -pair[0].start):
        page = page[: example.start] + printed + page[example.start + len(example.printed) :]
    return page


def are_alike(one: str, other: str) -> bool:
    """Whether two texts are equal, apart from times and small differences of scores and counts."""
    ones, others = (_NUMBER.split(_PASSING.sub("", text)) for text in (one, other))
    return ones[::2] == others[::2] and all(map(_is_near, ones[1::2], others[1::2]))


def _is_near(one: str, other: str) -> bool:
    first, second = (float(number.replace(",", "")) for number in (one, other))
    return abs(first - second) <= (SCORE if "." in one + other else COUNT * max(first, second))


class Home:
    """A home folder with the project, whose posts are ingested with the packaged embedder."""

    def __init__(self, folder: Path) -> None:
        """Create the home folder in an empty `folder`."""
        self._home = folder.resolve() / "me"
        self._kept = folder.resolve() / "kept"
        self._project = self._home / PROJECT
        self._port = str(free_port())
        programs = self._project / ".venv" / "bin"
        programs.mkdir(parents=True)
        for name, module in ((PROJECT, "-m blog_search_mcp"), ("python", "")):
            (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {module} "$@"\n')
            (programs / name).chmod(0o755)
        for name in ("Makefile", "pyproject.toml", "constraints.txt"):
            shutil.copy2(ROOT / name, self._project)
        for stamp in ("product", "installed"):
            (self._project / ".venv" / stamp).touch()
        shutil.copytree(ROOT / "content", self._project / "content")
        self._run(f"{PROJECT} ingest content --embedder embedded")
        shutil.copytree(self._home, self._kept)

    def type(self, example: Example) -> str:
        """Run an example's commands in a fresh copy of the home; return the text of the fence."""
        shutil.rmtree(self._home)
        shutil.copytree(self._kept, self._home)
        self._port = str(free_port())
        printed = ""
        with ExitStack() as servers:
            for command in example.commands:
                printed += f"{PROMPT}{command}\n"
                if command.endswith("&"):
                    servers.enter_context(self._serving(command.removesuffix("&").rstrip()))
                else:
                    text = self._run(command)
                    printed += text if text.endswith("\n") or not text else f"{text}\n"
        return printed

    def _run(self, command: str) -> str:
        if here := _HERE.match(command):
            command = self._run_here(here[1]) + command[here.end() :]
        ended = subprocess.run(
            ["sh", "-c", self._at_free_port(command)],
            **self._place(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=PATIENCE,
        )
        programs = f"{SHOWN_HOME}/{PROJECT}/.venv/bin"
        shown: str = ended.stdout.decode().replace(str(self._home), SHOWN_HOME)
        shown = shown.replace(str(Path(sys.executable).parent), programs)
        return shown.replace(self._port, PORT)

    def _run_here(self, words: str) -> str:
        """Run a command in this process; return a shell command that repeats its output."""
        place = self._place()
        with chdir(place["cwd"]), mock.patch.dict(os.environ, place["env"], clear=True):
            ran = run_command(*shlex.split(words))
        for stream, said in (("out", ran.out), ("err", ran.err)):
            self._home.with_name(stream).write_text(said, encoding="utf-8")
        out, err = (shlex.quote(str(self._home.with_name(each))) for each in ("out", "err"))
        return f"(cat {err} >&2; cat {out}; exit {ran.status}) "

    @contextmanager
    def _serving(self, command: str) -> Iterator[None]:
        """Start a server over HTTP, wait until it listens, and end it after the block."""
        quiet = subprocess.DEVNULL
        server = subprocess.Popen(
            ["sh", "-c", f"exec {self._at_free_port(command)}"],
            **self._place(),
            stdin=quiet,
            stdout=quiet,
            stderr=quiet,
        )
        try:
            wait_until_listening(int(self._port), server, PATIENCE)
            yield
        finally:
            server.terminate()
            server.wait(PATIENCE)

    def _place(self) -> dict[str, Any]:
        path = f"{self._project / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"
        modules = f"{ROOT / 'src'}{os.pathsep}{ROOT}"
        home = {"PATH": path, "HOME": str(self._home), "PYTHONPATH": modules, "PYTHONUTF8": "1"}
        return {"cwd": self._project, "env": home}

    def _at_free_port(self, command: str) -> str:
        return _HTTP_ALONE.sub(f"--http {PORT}", command).replace(PORT, self._port)


def main() -> int:
    """Update the pages whose examples are outdated; return the exit status."""
    with TemporaryDirectory() as folder:
        home = Home(Path(folder))
        for name in sys.argv[1:] or PAGES:
            page = (ROOT / name).read_text(encoding="utf-8")
            if outdated := find_outdated(page, home):
                (ROOT / name).write_text(replace_outputs(page, outdated), encoding="utf-8")
            sys.stdout.write(f"{name}: {len(outdated)} written anew.\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
