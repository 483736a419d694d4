"""A server process with pipes on stdin and stdout, for valid calls and for faulty bytes.

Bytes are sent unchanged. `outcome` shortens a reply to one line, since a test of faults only checks
which requests were answered, and how.
"""

import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from queue import Queue
from typing import Any

from tests.support.paths import ROOT

PATIENCE = 120.0
"""Seconds to wait for a reply. A busy machine may be slow, and is no failure."""
MODERN = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
}
SEARCH = {"name": "search_blog", "arguments": {"query": "what is a cache?"}}


def line(**message: Any) -> bytes:
    """Write a JSON-RPC message as a line."""
    return json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"


def call(request_id: object, arguments: object, name: object = "search_blog") -> bytes:
    """Write a tool call as a line; older protocol versions ignore its `_meta`."""
    params = {"_meta": META, "name": name, "arguments": arguments}
    return line(id=request_id, method="tools/call", params=params)


def opening(version: str) -> bytes:
    """Write a client's first messages in a protocol version; nothing if `version` is empty."""
    if not version:
        return b""
    if version == MODERN:
        return line(id="opening", method="server/discover", params={"_meta": META})
    client = {"capabilities": {}, "clientInfo": {"name": "faults", "version": "1"}}
    params = {"protocolVersion": version, **client}
    begun = line(id="opening", method="initialize", params=params)
    return begun + line(method="notifications/initialized")


def outcome(reply: dict[str, Any]) -> str:
    """Write the ID of the answered request and the outcome: `7: result`, `null: -32700`."""
    request = json.dumps(reply.get("id"))
    if "error" in reply:
        return f"{request}: {reply['error']['code']}"
    return f"{request}: {'tool error' if reply['result'].get('isError') else 'result'}"


class Process:
    """The server and its pipes."""

    def __init__(
        self,
        index: Path,
        version: str = "",
        start: tuple[str, ...] = ("-m", "blog_search_mcp", "serve"),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.version, self.said = version, list[bytes]()
        self._log = tempfile.TemporaryFile()  # noqa: SIM115  # `end` closes it
        self._lines: Queue[bytes] = Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._popen = subprocess.Popen(
            [sys.executable, *start, "--index", str(index)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env=environment,
        )
        if version:
            self.send(opening(version))
            self.replies(1)

    @property
    def pid(self) -> int:
        """ID of the process."""
        return self._popen.pid

    def signal(self, number: int) -> None:
        """Send a signal to the process."""
        self._popen.send_signal(number)

    @property
    def alive(self) -> bool:
        """Whether the process still runs."""
        return self._popen.poll() is None

    def send(self, data: bytes) -> None:
        """Write bytes unchanged; block while the server does not read."""
        assert self._popen.stdin is not None
        self._popen.stdin.write(data)
        self._popen.stdin.flush()

    def replies(self, count: int) -> list[dict[str, Any]]:
        """Wait for `count` replies. Raises queue.Empty if one takes more than PATIENCE."""
        if self._reader.ident is None:
            self._reader.start()
        lines = [self._lines.get(timeout=PATIENCE) for _ in range(count)]
        self.said += lines
        return [json.loads(each) for each in lines]

    def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Call a tool and return its result."""
        self.send(call(1, arguments, tool))
        return dict(self.replies(1)[0]["result"])

    def rest(self) -> tuple[int, bytes, bytes]:
        """Close stdin; return the exit status, and the rest of stdout and of stderr."""
        self.close_input()
        status, log = self.status(), self.end()
        return status, b"".join(self._lines.queue), log

    def search(self) -> dict[str, Any]:
        """Send a search as an assistant does; return the next reply, to any request."""
        envelope = {"_meta": META} if self.version == MODERN else {}
        self.send(line(id="after", method="tools/call", params={**SEARCH, **envelope}))
        return self.replies(1)[0]

    def close_input(self) -> None:
        """Close stdin, as a client does at its end."""
        assert self._popen.stdin is not None
        self._popen.stdin.close()

    def stop_listening(self) -> None:
        """Close stdout before any reply is read, and keep stdin open."""
        assert self._popen.stdout is not None
        self._popen.stdout.close()

    def status(self) -> int:
        """Wait for the end of the process; return its exit status."""
        return self._popen.wait(PATIENCE)

    def end(self) -> bytes:
        """Kill the process if it still runs; return all that it wrote to stderr."""
        self._popen.kill()
        if self._reader.ident is not None:
            self._reader.join()
        with self._popen, self._log as log:  # closes the pipes
            log.seek(0)
            return log.read()

    def _read(self) -> None:
        assert self._popen.stdout is not None
        for each in self._popen.stdout:
            self._lines.put(each)
