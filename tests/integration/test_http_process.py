"""The HTTP server as a process: slow requests, streams, and how it ends."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import anyio
import httpx
import pytest
from mcp import Client

from tests.support.faults.server_process import META
from tests.support.paths import ROOT
from tests.support.ports import free_port
from tests.support.served import POSTS, indexed, serving
from tests.support.waiting import PATIENCE, until

HELD = """
import pathlib, sys, time
from blog_search_mcp import __main__
from blog_search_mcp.server.http import serve as http
from tests.support.server_fixtures import FixedSearcher

folder = pathlib.Path(sys.argv.pop())

class Held(FixedSearcher):
    def search(self, *given, **named):
        (folder / "reached").touch()
        while not (folder / "go").exists():
            time.sleep(0.01)
        return super().search(*given, **named)
    def warm_up(self):
        (folder / "served").touch()

http.engine_for = lambda settings: Held()
__main__.main()
"""
"""A server whose searches end when a file `go` appears in a folder."""
CACHES = {"query": "cache", "response_format": "json"}
PARAMS = {"name": "search_blog", "arguments": CACHES, "_meta": META}
CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": PARAMS}
HEADERS = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2026-07-28"}


def test_a_signal_lets_what_is_in_flight_finish_and_the_status_is_0(tmp_path: Path) -> None:
    port = free_port()
    command = [sys.executable, "-c", HELD, "--http", f"127.0.0.1:{port}", str(tmp_path)]
    answers: list[httpx.Response] = []

    def ask() -> None:
        headers = {**HEADERS, "Mcp-Method": "tools/call", "Mcp-Name": "search_blog"}
        url = f"http://127.0.0.1:{port}/mcp"
        answers.append(httpx.post(url, json=CALL, headers=headers, timeout=PATIENCE))

    def is_closed() -> bool:
        with socket.socket() as attempt:
            return attempt.connect_ex(("127.0.0.1", port)) != 0

    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE) as process:
        until((tmp_path / "served").exists)
        asking = threading.Thread(target=ask)
        asking.start()
        until((tmp_path / "reached").exists)
        process.send_signal(signal.SIGTERM)
        until(is_closed)
        (tmp_path / "go").touch()
        asking.join()
        _, err = process.communicate(timeout=PATIENCE)
    assert len(answers[0].json()["result"]["structuredContent"]["results"]) == 3
    assert (process.returncode, b"Traceback" in err) == (0, False)


@pytest.mark.anyio
async def test_both_eras_are_served_and_sigterm_ends_it(tmp_path: Path) -> None:
    with serving(indexed(tmp_path, POSTS), stderr=subprocess.PIPE) as (url, process):
        for mode in ("auto", "legacy"):
            async with Client(url, mode=mode) as client:
                answer = await client.call_tool("search_blog", {"query": "onion soup"})
                [block] = answer.content
                assert "\n1. soup.md #0 " in getattr(block, "text", "")
        process.send_signal(signal.SIGTERM)
        out, err = await anyio.to_thread.run_sync(process.communicate)
        assert (process.returncode, out, b"Traceback" in err) == (0, b"", False)


IMPATIENT = """
from blog_search_mcp import __main__
from blog_search_mcp.server.http import serve as app

app.ARRIVAL_SECONDS = 0.5
__main__.main()
"""


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"GET /health HTTP/1.1\r\nHost: lo",
        b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n|GET /hea",
        b"POST /api/search HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{",
        b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n",
        b"GET /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{",
    ],
)
def test_a_request_that_does_not_come_closes_its_connection(tmp_path: Path, sent: bytes) -> None:
    with serving(indexed(tmp_path, POSTS), program=("-c", IMPATIENT)) as (url, _):
        port = int(url.split(":")[2].split("/")[0])
        with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
            first, *rest = sent.split(b"|")
            connection.sendall(first)
            for part in rest:
                assert connection.recv(4_096)
                connection.sendall(part)
            while connection.recv(4_096):  # raises TimeoutError if it stays open
                pass


@pytest.mark.parametrize("path", ["/api/search", "/mcp"])
def test_a_client_that_hangs_up_leaves_no_traceback(tmp_path: Path, path: str) -> None:
    head = (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        "Accept: application/json, text/event-stream\r\nContent-Length: 90\r\n\r\n{"
    )
    with serving(indexed(tmp_path, POSTS), stderr=subprocess.PIPE) as (url, process):
        port = int(url.split(":")[2].split("/")[0])
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(head.encode())
        assert httpx.get(f"http://127.0.0.1:{port}/health").status_code == 200
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate()
    assert b"Traceback" not in err
