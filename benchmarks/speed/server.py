"""Start processes, and send requests to servers over their pipes."""

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
"""Parameters of each request in the protocol version without a handshake."""

BARE = (sys.executable, "-m", "benchmarks.speed.bare_server")


def ours(index: Path, *options: object) -> tuple[str, ...]:
    """Return the command with which a client starts this program's server."""
    command = (sys.executable, "-m", "blog_search_mcp", "serve", "--index", index, *options)
    return tuple(map(str, command))


class Server:
    """A server process. Start one with `server`."""

    def __init__(self, process: subprocess.Popen[bytes], envelope: dict[str, Any]) -> None:
        self._process, self._envelope, self._asked = process, envelope, 0

    def send(self, method: str, params: dict[str, Any], **number: int) -> None:
        """Send a request with this `id`, or a notification without an `id`."""
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
        """Return the result of a tool call, which must not be an error."""
        result = self.request("tools/call", name=tool, arguments=arguments)
        assert not {"isError", "error"} & {key for key, value in result.items() if value}, result
        return result


def start(command: Sequence[str], pipes: int) -> subprocess.Popen[bytes]:
    """Start a command at the project's root; stdin and stdout are `pipes`, PIPE or DEVNULL.

    Bytecode is cached, as in an installed package. Otherwise each start would compile every module.
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
    """Start a server over stdin and stdout, and kill it at the end of the block."""
    with start(command, subprocess.PIPE) as process:
        try:
            yield Server(process, envelope)
        finally:
            process.kill()


def run_python(*arguments: object) -> None:
    """Run Python with these arguments. The exit status must be 0."""
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
    """Run Python with these arguments, which must succeed; return its peak memory in MB.

    A small process starts it, since Linux counts the parent's memory at the start as the child's.
    """
    command = [sys.executable, "-c", _MEASURE, *map(str, arguments)]
    with start(command, subprocess.PIPE) as process:
        said, _ = process.communicate()
    assert process.returncode == 0, arguments
    return int(said) / (1e6 if sys.platform == "darwin" else 1e3)
