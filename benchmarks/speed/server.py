"""Processes, asked over their pipes and timed from outside: commands in, milliseconds out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
"""Envelope of each request in the protocol version that has no handshake."""

BARE = ("-m", "benchmarks.speed.bare_server")


def ours(index: Path, *options: object) -> tuple[str, ...]:
    """Return Python's arguments for the server as a client starts it."""
    return ("-m", "blog_search_mcp", "serve", "--index", str(index), *map(str, options))


class Server:
    """One process; use `server`."""

    def __init__(self, process: subprocess.Popen[bytes], started: float) -> None:
        self._process, self._started, self._asked = process, started, 0

    def request(self, method: str, **params: Any) -> dict[str, Any]:
        """Return the reply's result."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._asked += 1
        asked = {"jsonrpc": "2.0", "id": self._asked, "method": method}
        message = {**asked, "params": {"_meta": META, **params}}
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()
        for line in self._process.stdout:
            reply: dict[str, Any] = json.loads(line)
            if reply.get("id") == self._asked:
                result: dict[str, Any] = reply["result"]
                return result
        raise RuntimeError("the server ended")

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Return the result of a tool call, which is no error."""
        result = self.request("tools/call", name=tool, arguments=arguments)
        assert not result.get("isError"), result
        return result

    def first_reply(self) -> float:
        """Return the milliseconds from the start to the first reply."""
        self.request("server/discover")
        return self.age()

    def age(self) -> float:
        """Return the milliseconds since the start."""
        return (time.perf_counter() - self._started) * 1000.0


def start_python(arguments: Sequence[str], pipes: int) -> subprocess.Popen[bytes]:
    """Start Python at the project's root; stdin and stdout are `pipes`, PIPE or DEVNULL.

    It may keep what it compiles, as an installed package does: else each start compiles all anew.
    """
    return subprocess.Popen(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": ""},
        stdin=pipes,
        stdout=pipes,
        stderr=subprocess.DEVNULL,
    )


@contextmanager
def server(arguments: Sequence[str]) -> Iterator[Server]:
    """Start Python with these arguments; the process is ended with the block."""
    started = time.perf_counter()
    with start_python(arguments, subprocess.PIPE) as process:
        try:
            yield Server(process, started)
        finally:
            process.kill()


def run_python(*arguments: object) -> None:
    """Run Python to its end, which must succeed."""
    with start_python([*map(str, arguments)], subprocess.DEVNULL) as process:
        status = process.wait()
    assert status == 0, arguments


_MEASURE = """
import resource, subprocess, sys
status = subprocess.call([sys.executable, *sys.argv[1:]], stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(status)
"""


def measure_peak(*arguments: object) -> float:
    """Run Python to its end, which must succeed; return the most MB that it took.

    A small process starts it: Linux counts a parent's memory at the start as the child's.
    """
    with start_python(["-c", _MEASURE, *map(str, arguments)], subprocess.PIPE) as process:
        said, _ = process.communicate()
    assert process.returncode == 0, arguments
    return int(said) / (1e6 if sys.platform == "darwin" else 1e3)
