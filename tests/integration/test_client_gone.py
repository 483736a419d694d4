"""A client that no longer reads, and closes its end: the server must not stay behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.front import made
from tests.support.paths import ROOT
from tests.support.wire import HANDSHAKE

LONG = "# Tides\n\n" + "The tide comes in and goes out again, twice in each lunar day.\n\n" * 600
OPENING = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": HANDSHAKE}
READ = {"name": "read_chunk", "arguments": {"source": "tides.md", "whole": True}}


@pytest.mark.parametrize("calls", [20, 2_000])
def test_a_server_whose_client_reads_nothing_and_closes_its_end_ends(
    calls: int, tmp_path: Path
) -> None:
    """The many calls do not even all fit into the pipe."""
    index = made(tmp_path, {"tides.md": LONG}).index
    asked = [
        {"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": READ} for n in range(calls)
    ]
    lines = "".join(json.dumps(each) + "\n" for each in [OPENING, *asked]).encode()
    command = [sys.executable, "-m", "blog_search_mcp.server", "--index", str(index)]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
    ) as server:
        assert server.stdin is not None
        try:
            os.set_blocking(server.stdin.fileno(), calls < 1_000)
            server.stdin.write(lines)
            server.stdin.close()
            assert server.wait(60) == 0
        finally:
            server.kill()
