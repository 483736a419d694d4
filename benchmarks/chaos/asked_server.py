"""A real server over stdio that is asked, and watched from outside: files, memory, answers."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.chaos.copied import ROOT

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
"""What a request of the era without a handshake says of its client."""


class AskedServer:
    """One server process and its two pipes; use `asked_server`."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._asked = 0

    @property
    def pid(self) -> int:
        """Of the process."""
        return self._process.pid

    def search(self, query: str) -> dict[str, Any]:
        """The result of search_blog: `structuredContent`, or a text with `isError`."""
        return self.searches([query])[0]

    def searches(self, queries: Sequence[str]) -> list[dict[str, Any]]:
        """Ask them all at once; the results, in the order in which they came."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        for query in queries:
            self._asked += 1
            call = {"_meta": META, "name": "search_blog", "arguments": {"query": query}}
            request = {"jsonrpc": "2.0", "id": self._asked, "method": "tools/call", "params": call}
            self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        return [json.loads(self._process.stdout.readline())["result"] for _ in queries]

    def open_files(self) -> int:
        """Descriptors."""
        return sum(1 for _ in Path(f"/proc/{self.pid}/fd").iterdir())

    def mapped(self, generations: Path) -> set[str]:
        """The generations whose files are mapped into its memory, deleted ones too."""
        maps = Path(f"/proc/{self.pid}/maps").read_text(encoding="utf-8")
        below = (line.partition(f"{generations}/")[2] for line in maps.splitlines())
        return {name.partition("/")[0] for name in below if name}

    def memory(self) -> int:
        """Bytes that are its own alone and not a mapped file's."""
        rollup = Path(f"/proc/{self.pid}/smaps_rollup").read_text(encoding="utf-8")
        rows = (line.split() for line in rollup.splitlines()[1:])
        kilobytes = {row[0]: int(row[1]) for row in rows}
        return (kilobytes["Private_Dirty:"] + kilobytes["Swap:"]) * 1024


@contextmanager
def asked_server(index: Path) -> Iterator[AskedServer]:
    """Start a server over `index`; it is ended with the block."""
    command = [sys.executable, "-m", "blog_search_mcp.server", "--index", str(index)]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield AskedServer(process)
        finally:
            process.kill()
