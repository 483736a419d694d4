"""A server process and its two pipes, for what a well-behaved client cannot send."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.paths import ROOT

MODERN = {
    "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
}
LISTEN = {
    **MODERN,
    "notifications": {
        "resourcesListChanged": True,
        "resourceSubscriptions": ["blog://post/soup.md"],
    },
}
TOLD = [
    "notifications/subscriptions/acknowledged",
    "notifications/resources/list_changed",
    "notifications/resources/updated",
]
"""What a client that listens is told until the index has changed once."""
HANDSHAKE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


class Wire:
    """The process; each question waits for its reply."""

    def __init__(self, index: Path, *start: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, *(start or ("-m", "blog_search_mcp.server")), "--index", str(index)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def send(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, number: int, method: str, params: dict[str, Any]) -> dict[str, Any]:
        request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        self.send(json.dumps(request))
        return self.reply()

    def reply(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        reply: dict[str, Any] = json.loads(self.process.stdout.readline())
        return reply

    def call(self, number: int, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        params = {**MODERN, "name": tool, "arguments": arguments}
        return dict(self.ask(number, "tools/call", params)["result"])

    def rest(self) -> tuple[bytes, bytes]:
        """Close stdin; what the server still says on stdout and stderr until it ends."""
        return self.process.communicate(timeout=10)


@contextmanager
def wire(index: Path, *start: str) -> Iterator[Wire]:
    opened = Wire(index, *start)
    try:
        yield opened
    finally:
        opened.process.kill()
        opened.process.wait()
        for pipe in (opened.process.stdin, opened.process.stdout, opened.process.stderr):
            assert pipe is not None
            pipe.close()
