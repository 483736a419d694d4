"""A server process and its two pipes, each question of which waits for its reply."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.faults.server_process import META, line
from tests.support.paths import ROOT

MODERN = {"_meta": META}


class Wire:
    """The process."""

    def __init__(self, index: Path, *start: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, *(start or ("-m", "blog_search_mcp", "serve")), "--index", str(index)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def ask(self, number: int, method: str, params: dict[str, Any]) -> dict[str, Any]:
        assert self.process.stdin is not None
        self.process.stdin.write(line(id=number, method=method, params=params))
        self.process.stdin.flush()
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
    with opened.process:  # closes the pipes
        try:
            yield opened
        finally:
            opened.process.kill()
