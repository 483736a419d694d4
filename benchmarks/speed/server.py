"""Start processes, and ask those that are servers over their pipes."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
ENVELOPE = {
    "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
}
"""What each request holds in the protocol version that has no handshake."""

BARE = (sys.executable, "-m", "benchmarks.speed.bare_server")


def ours(index: Path, *options: object) -> tuple[str, ...]:
    """Return the command of the server as a client starts it."""
    command = (sys.executable, "-m", "blog_search_mcp", "serve", "--index", index, *options)
    return tuple(map(str, command))


class Server:
    """One process; use `server`."""

    def __init__(self, process: subprocess.Popen[bytes], envelope: dict[str, Any]) -> None:
        self._process, self._envelope, self._asked = process, envelope, 0

    def send(self, method: str, params: dict[str, Any], **number: int) -> None:
        """Send a request with its number, which is its `id`, or without one a notification."""
        assert self._process.stdin is not None
        message = {"jsonrpc": "2.0", "method": method, "params": self._envelope | params, **number}
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()

    def request(self, method: str, **params: Any) -> dict[str, Any]:
        """Return the reply's result, or the whole reply if it is an error."""
        assert self._process.stdout is not None
        self._asked += 1
        self.send(method, params, id=self._asked)
        for line in self._process.stdout:
            reply: dict[str, Any] = json.loads(line)
            if reply.get("id") == self._asked:
                return dict(reply.get("result", reply))
        raise RuntimeError("the server ended")

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Return the result of a tool call, which is no error."""
        result = self.request("tools/call", name=tool, arguments=arguments)
        assert not {"isError", "error"} & {key for key, value in result.items() if value}, result
        return result


def start(command: Sequence[str], pipes: int) -> subprocess.Popen[bytes]:
    """Start a command at the project's root; stdin and stdout are `pipes`, PIPE or DEVNULL.

    It may keep what it compiles, as an installed package does: else each start compiles all anew.
    """
    return subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": ""},
        stdin=pipes,
        stdout=pipes,
        stderr=subprocess.DEVNULL,
    )


@contextmanager
def server(command: Sequence[str], envelope: dict[str, Any] = ENVELOPE) -> Iterator[Server]:
    """Start a server that speaks over stdin and stdout; it is ended with the block."""
    with start(command, subprocess.PIPE) as process:
        try:
            yield Server(process, envelope)
        finally:
            process.kill()


def run_python(*arguments: object) -> None:
    """Run Python to its end, which must succeed."""
    with start([sys.executable, *map(str, arguments)], subprocess.DEVNULL) as process:
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
    command = [sys.executable, "-c", _MEASURE, *map(str, arguments)]
    with start(command, subprocess.PIPE) as process:
        said, _ = process.communicate()
    assert process.returncode == 0, arguments
    return int(said) / (1e6 if sys.platform == "darwin" else 1e3)
