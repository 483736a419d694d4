"""The programs of one checked-out tree, run as a user runs them.

Their packages lay at the top once, and are in `src/blog_search_mcp` now. Each runs in a process of
its own, with nothing of this one's environment but PATH.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.faults.server_process import META
from tests.support.ports import free_port, wait_until_listening

PATIENCE = 120.0
"""Seconds for a program to end, after which it is ended and the trial says so."""


class CannotTry(Exception):
    """A trial that this machine does not allow; the message is why."""


@dataclass(frozen=True, slots=True)
class Ran:
    """A program that has ended."""

    status: int
    """Negative: the signal that ended it."""
    out: str
    err: str
    megabytes: int
    """The most memory it had."""

    @property
    def how(self) -> str:
        """How it ended, in a few words."""
        if self.status < 0:
            return f"ended by {signal.Signals(-self.status).name}"
        if "Traceback" in self.err or "panicked" in self.err:
            return f"{len(self.err.splitlines())} lines of traceback"
        return "works" if self.status == 0 else f"one sentence, status {self.status}"


@dataclass(frozen=True, slots=True)
class Tree:
    """A checked-out tree, and a folder of its own for each trial."""

    root: Path
    place: Path
    ollama: str = "http://127.0.0.1:9"

    @property
    def content(self) -> Path:
        """Where the trial's posts are."""
        return self.place / "posts"

    @property
    def index(self) -> Path:
        """Where its index is."""
        return self.place / "index"

    def ingest(self, *options: str, index: Path | None = None, limit: int = 0) -> Ran:
        """Ingest the posts with Ollama."""
        given = ("--index", str(index or self.index), "--embedder", "ollama", *options)
        return self.run("ingest", str(self.content), *given, limit=limit)

    def make_index(self) -> None:
        """Ingest what must not fail. Raises RuntimeError."""
        done = self.ingest()
        if done.status:
            raise RuntimeError(f"the ingest before the fault failed: {done.err.strip()[-200:]}")

    def search(self, query: str, *options: str, index: Path | None = None) -> Ran:
        """Search from the command line."""
        return self.run("server", "search", "--index", str(index or self.index), *options, query)

    def run(self, program: str, *arguments: str, limit: int = 0) -> Ran:
        """Run it to its end; `limit` is of its address space, in MB."""
        command = self._command(program, *arguments)
        if limit:
            command = ["sh", "-c", f'ulimit -v {limit << 10}; exec "$@"', "sh", *command]
        out, err = self.place / "stdout", self.place / "stderr"
        with out.open("wb") as to_out, err.open("wb") as to_err:
            process = subprocess.Popen(
                command,
                cwd=self.place,
                env=self._environment(),
                stdin=subprocess.DEVNULL,
                stdout=to_out,
                stderr=to_err,
            )
            status, kilobytes = _wait(process)
        said = [path.read_text("utf-8", "replace") for path in (out, err)]
        return Ran(status, said[0], said[1], kilobytes >> 10)

    def call(self, tool: str, arguments: Mapping[str, Any], seconds: float = 60) -> str | None:
        """Start a server over stdio and call a tool; its reply, `None` if none came."""
        params = {"name": tool, "arguments": arguments, "_meta": META}
        return self.ask("tools/call", params, seconds)

    def ask(self, method: str, params: Mapping[str, Any], seconds: float) -> str | None:
        """Start a server over stdio and send one request; its reply, `None` if none came."""
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        with subprocess.Popen(
            self._command("server", "--index", str(self.index)),
            cwd=self.place,
            env=self._environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
            with selectors.DefaultSelector() as ready:
                ready.register(process.stdout, selectors.EVENT_READ)
                line = process.stdout.readline() if ready.select(seconds) else b""
            process.kill()
        return line.decode() or None

    @contextmanager
    def serving(self) -> Iterator[tuple[int, Path]]:
        """Serve over HTTP; the port, and the file of what the operator reads."""
        port = free_port()
        log = self.place / "log"
        with (
            log.open("wb") as to_log,
            subprocess.Popen(
                self._command("server", "--index", str(self.index), "--http", f"127.0.0.1:{port}"),
                cwd=self.place,
                env=self._environment(),
                stdin=subprocess.DEVNULL,
                stdout=to_log,
                stderr=to_log,
            ) as process,
        ):
            try:
                wait_until_listening(port, process, PATIENCE)
                yield port, log
            finally:
                process.kill()

    def _command(self, program: str, *arguments: str) -> list[str]:
        package = "blog_search_mcp." if (self.root / "src").exists() else ""
        return [sys.executable, "-m", package + program, *arguments]

    def _environment(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": f"{self.root / 'src'}{os.pathsep}{self.root}",
            "PYTHONUTF8": "1",
            "HOME": str(self.place),
            "OLLAMA_HOST": self.ollama,
        }


def _wait(process: subprocess.Popen[bytes]) -> tuple[int, int]:
    """Wait for its end; its status and most kilobytes. Raises TimeoutError once it is killed."""
    end = time.monotonic() + PATIENCE
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode, usage.ru_maxrss
        if time.monotonic() > end:
            process.kill()
            process.wait()
            raise TimeoutError(f"no end within {PATIENCE:.0f} s")
        time.sleep(0.02)
