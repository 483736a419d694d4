"""A home folder in which the project's commands run as a reader runs them.

In it is a copy of this project's `content/`, ingested by the embedder in the package. What a
command prints is given as a reader sees it: folders below `/home/me`, the server at its
default port.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypedDict

ROOT = Path(__file__).resolve().parents[1]
SHOWN_HOME = "/home/me"
PROJECT = "blog-search-mcp"
PROGRAMS = {
    "blog-search-mcp": "-m blog_search_mcp",
    "python": "",
}
PORT = "8765"
"""The server's default, in place of which a free one is used."""
PATIENCE = 60.0
"""Seconds for a program to begin to listen, or to end."""

_HTTP_ALONE = re.compile(r"--http(?= -|$)")
_NOTHING: Mapping[str, str] = {}


class Place(TypedDict):
    """Where a program runs."""

    cwd: Path
    env: dict[str, str]


class Sandbox:
    """The home folder; not for several threads."""

    def __init__(self, folder: Path) -> None:
        """Make it below `folder`, which is empty, and ingest the posts."""
        self._home = folder.resolve() / "me"
        self._kept = folder.resolve() / "kept"
        self._project = self._home / PROJECT
        self._port = _free_port()
        self._fill()
        self.run("blog-search-mcp ingest content --embedder embedded")
        shutil.copytree(self._home, self._kept)

    def renew(self) -> None:
        """Put everything back to how it was at first."""
        shutil.rmtree(self._home)
        shutil.copytree(self._kept, self._home)
        self._port = _free_port()

    def run(self, command: str, given: bytes = b"", variables: Mapping[str, str] = _NOTHING) -> str:
        """Run a shell command with `given` on stdin; returns what it prints, errors too."""
        done = subprocess.run(
            ["sh", "-c", self._at_our_port(command)],
            **self._place(variables),
            input=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=PATIENCE,
        )
        return self._as_shown(done.stdout.decode())

    @contextmanager
    def serving(self, command: str) -> Iterator[None]:
        """Start a server over HTTP, wait until it listens, and end it."""
        quiet = subprocess.DEVNULL
        server = subprocess.Popen(
            ["sh", "-c", f"exec {self._at_our_port(command)}"],
            **self._place(_NOTHING),
            stdin=quiet,
            stdout=quiet,
            stderr=quiet,
        )
        try:
            self._wait_for(server)
            yield
        finally:
            server.terminate()
            server.wait(PATIENCE)

    def _wait_for(self, server: subprocess.Popen[bytes]) -> None:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and server.poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", int(self._port))) == 0:
                    return
            time.sleep(0.05)
        raise RuntimeError(f"the server did not begin to listen: {server.args!r}")

    def _fill(self) -> None:
        bin_ = self._project / ".venv" / "bin"
        bin_.mkdir(parents=True)
        for name, module in PROGRAMS.items():
            program = bin_ / name
            program.write_text(f'#!/bin/sh\nexec "{sys.executable}" {module} "$@"\n')
            program.chmod(0o755)
        for name in ("Makefile", "pyproject.toml", "constraints.txt"):
            shutil.copy2(ROOT / name, self._project)
        for stamp in ("product", "installed"):
            (self._project / ".venv" / stamp).touch()
        shutil.copytree(ROOT / "content", self._project / "content")

    def _place(self, variables: Mapping[str, str]) -> Place:
        path = f"{self._project / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"
        modules = f"{ROOT / 'src'}{os.pathsep}{ROOT}"
        own = {"PATH": path, "HOME": str(self._home), "PYTHONPATH": modules}
        return {"cwd": self._project, "env": {**own, "PYTHONUTF8": "1", **variables}}

    def _at_our_port(self, command: str) -> str:
        return _HTTP_ALONE.sub(f"--http {PORT}", command).replace(PORT, self._port)

    def _as_shown(self, printed: str) -> str:
        programs = f"{SHOWN_HOME}/{PROJECT}/.venv/bin"
        shown = printed.replace(str(self._home), SHOWN_HOME)
        shown = shown.replace(str(Path(sys.executable).parent), programs)
        return shown.replace(self._port, PORT)


def _free_port() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])
