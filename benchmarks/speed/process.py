"""A server process, asked over its pipes and timed from outside: commands in, seconds out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal, NamedTuple

ROOT = Path(__file__).parents[2]
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
"""What a request of the era without a handshake says of its client."""

BARE = ("-m", "benchmarks.speed.bare_server")
FREE = ("-m", "benchmarks.speed.free")


def ours(index: Path) -> tuple[str, ...]:
    """Python's arguments for the server as a client starts it."""
    return ("-m", "blog_search_mcp.server", "--index", str(index))


def with_free_embedder(
    index: Path, dimension: int | Literal["e5"], table: Path | str = ""
) -> tuple[str, ...]:
    """The same with the embedder that costs nothing, of which `table` keeps what it knows.

    With `e5` multilingual-e5-small embeds the queries, whatever made the index's vectors.
    """
    return (*FREE, "server", str(index), str(dimension), str(table))


def free_ingest(content: Path, index: Path, dimension: int) -> tuple[str, ...]:
    """An ingest with vectors that cost nothing."""
    return (*FREE, "ingest", str(dimension), str(content), "--index", str(index))


def real_ingest(content: Path, index: Path, *embedder: str) -> tuple[str, ...]:
    """An ingest with the embedder in the package, or another one with its options."""
    ingest = ("-m", "blog_search_mcp.ingest", str(content), "--index", str(index))
    return (*ingest, "--embedder", *(embedder or ("embedded",)))


class Server:
    """One process; use `server`."""

    def __init__(self, process: subprocess.Popen[bytes], started: float) -> None:
        self._process = process
        self._started = started
        self._asked = 0

    @property
    def pid(self) -> int:
        """Of the process."""
        return self._process.pid

    def request(self, method: str, **params: Any) -> dict[str, Any]:
        """The reply's result."""
        self._asked += 1
        asked = {"jsonrpc": "2.0", "id": self._asked, "method": method}
        self._send({**asked, "params": {"_meta": META, **params}})
        while (reply := self._receive()).get("id") != self._asked:
            pass
        result: dict[str, Any] = reply["result"]
        return result

    def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The result of a tool call, which is no error."""
        result = self.request("tools/call", name=tool, arguments=dict(arguments))
        assert not result.get("isError"), result
        return result

    def first_reply(self) -> float:
        """Milliseconds from the start to the first reply."""
        self.request("server/discover")
        return self.age()

    def age(self) -> float:
        """Milliseconds since the start."""
        return (time.perf_counter() - self._started) * 1000.0

    def ended(self) -> float:
        """Milliseconds from the end of its input to its exit."""
        assert self._process.stdin is not None
        started = time.perf_counter()
        self._process.stdin.close()
        self._process.wait()
        return (time.perf_counter() - started) * 1000.0

    def private(self) -> float:
        """MB that are its own alone: neither another process's nor a file's clean pages."""
        return _private(self.pid)

    def spent(self) -> float:
        """Milliseconds of processor time since the start, of all its threads."""
        told = Path(f"/proc/{self.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(told[11]) + int(told[12])) * 1000.0 / os.sysconf("SC_CLK_TCK")

    def mapped(self, folder: Path) -> tuple[float, float]:
        """MB of a folder's mapped files: pages that are its own alone, and that others map too."""
        kilobytes, is_below = Counter[str](), False
        for line in Path(f"/proc/{self.pid}/smaps").read_text(encoding="utf-8").splitlines():
            name, value, *_ = line.split()
            if not name.endswith(":"):  # a mapping, whose sizes follow
                is_below = f"{folder}{os.sep}" in line
            elif is_below and value.isdigit():
                kilobytes[name] += int(value)
        own = kilobytes["Private_Dirty:"]
        return own / 1024.0, (kilobytes["Rss:"] - own) / 1024.0

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        message: dict[str, Any] = json.loads(self._process.stdout.readline())
        return message


def python(arguments: Sequence[str], pipes: int) -> subprocess.Popen[bytes]:
    """Start Python at the project's root; stdin and stdout are `pipes`, PIPE or DEVNULL.

    It may keep what it compiles, as an installed package does: else each start compiles all anew.
    What it starts itself finds the benchmarks too.
    """
    path = os.pathsep.join(filter(None, (os.environ.get("PYTHONPATH"), str(ROOT))))
    return subprocess.Popen(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "", "PYTHONPATH": path},
        stdin=pipes,
        stdout=pipes,
        stderr=subprocess.DEVNULL,
    )


@contextmanager
def server(arguments: Sequence[str]) -> Iterator[Server]:
    """Start Python with these arguments; the process is ended with the block."""
    started = time.perf_counter()
    with python(arguments, subprocess.PIPE) as process:
        try:
            yield Server(process, started)
        finally:
            process.kill()


EVERY = 0.1
"""Seconds between two looks at the memory: one takes some milliseconds."""


class Ran(NamedTuple):
    """What a process took."""

    seconds: float
    """From its start to its exit."""
    peak: float
    """MB that it and the processes it started held together, but for files' pages, which the
    system takes back when it needs them; 0 where the system does not say."""


def ran(arguments: Sequence[str], *, weighed: bool = False) -> Ran:
    """Run Python to its end, which is a good one; its memory is looked at if it is `weighed`."""
    started, peak = time.perf_counter(), 0.0
    with python(arguments, subprocess.DEVNULL) as process:
        while weighed and process.poll() is None:
            peak = max(peak, sum(_private(pid) for pid in _family(process.pid)))
            time.sleep(EVERY)
        status = process.wait()
    assert status == 0, arguments
    return Ran(time.perf_counter() - started, peak)


def _family(pid: int) -> Iterator[int]:
    yield pid
    with suppress(OSError):
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
        for child in children.split():
            yield from _family(int(child))


def _private(pid: int) -> float:
    """MB of a process; 0 if it has just ended."""
    with suppress(OSError):
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
        rows = (line.split() for line in rollup[1:])
        return next((int(row[1]) for row in rows if row[0] == "Private_Dirty:"), 0) / 1024.0
    return 0.0
