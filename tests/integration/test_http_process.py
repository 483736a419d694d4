"""The HTTP server as a process: slow and long requests, and how it ends."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import httpx
import pytest
from mcp import Client

from tests.support.faults.server_process import META
from tests.support.paths import ROOT
from tests.support.ports import free_port
from tests.support.served import POSTS, SOUP, indexed, ingest, serving, write
from tests.support.waiting import PATIENCE, until
from tests.support.wire import LISTEN, TOLD

if TYPE_CHECKING:
    from collections.abc import Iterator


HELD = """
import pathlib, sys, time
from blog_search_mcp.server import __main__
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
CALL = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "search_blog", "arguments": {"query": "cache"}, "_meta": META},
}
ACCEPT = {"Accept": "application/json, text/event-stream"}
MODERN = {**ACCEPT, "MCP-Protocol-Version": "2026-07-28"}
HEADERS = {**MODERN, "Mcp-Method": "tools/call", "Mcp-Name": "search_blog"}


@pytest.fixture
def held(tmp_path: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """A server whose searches end when a file `go` appears in the test's folder."""
    address = f"127.0.0.1:{free_port()}"
    process = subprocess.Popen(
        [sys.executable, "-c", HELD, "--http", address, str(tmp_path)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        until((tmp_path / "served").exists)
        yield f"http://{address}", process
    finally:
        process.kill()
        process.communicate()


def test_a_signal_lets_what_is_in_flight_finish_and_the_status_is_0(
    held: tuple[str, subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    url, process = held
    with searching(url, tmp_path) as answers:
        process.send_signal(signal.SIGTERM)
        until(lambda: is_closed(url))
        (tmp_path / "go").touch()
    assert answers[0].json()["result"]["structuredContent"]["total"] == 3
    _, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, b"Traceback" in err, is_closed(url)) == (0, False, True)


@contextmanager
def searching(url: str, tmp_path: Path) -> Iterator[list[httpx.Response]]:
    """Run with a search in flight; gives a list that its answer, if it gets one, comes to."""
    answers: list[httpx.Response] = []

    def ask() -> None:
        with suppress(httpx.TransportError):
            answers.append(httpx.post(f"{url}/mcp", json=CALL, headers=HEADERS, timeout=PATIENCE))

    asking = threading.Thread(target=ask)
    asking.start()
    until((tmp_path / "reached").exists)
    yield answers
    asking.join()


def is_closed(url: str) -> bool:
    with socket.socket() as attempt:
        return attempt.connect_ex(("127.0.0.1", int(url.rpartition(":")[2]))) != 0


@pytest.mark.anyio
async def test_both_eras_are_served_and_sigterm_ends_it(tmp_path: Path) -> None:
    with serving(indexed(tmp_path, POSTS), stderr=subprocess.PIPE) as (url, process):
        for mode in ("auto", "legacy"):
            async with Client(url, mode=mode) as client:
                found = await client.call_tool("search_blog", {"query": "onion soup"})
                assert found.structured_content is not None
                assert found.structured_content["results"][0]["source"] == "soup.md"
        process.send_signal(signal.SIGTERM)
        out, err = await anyio.to_thread.run_sync(process.communicate)
        assert (process.returncode, out) == (0, b"")
        assert b"Traceback" not in err


def test_streams_tell_of_changes_and_end_whole_at_a_signal(tmp_path: Path) -> None:
    index = indexed(tmp_path, {"soup.md": SOUP})
    request = {"jsonrpc": "2.0", "id": 7, "method": "subscriptions/listen", "params": LISTEN}
    headers = {**MODERN, "Mcp-Method": "subscriptions/listen"}
    with (
        serving(index, stderr=subprocess.PIPE) as (url, process),
        httpx.stream("POST", url, json=request, headers=headers, timeout=PATIENCE) as stream,
    ):
        lines = stream.iter_lines()
        events = (json.loads(line[6:]) for line in lines if line.startswith("data: "))
        told = [next(events)["method"]]
        write(tmp_path / "content", {"soup.md": f"{SOUP}\nServe it hot.\n"})
        ingest(tmp_path / "content", index)
        told += [next(events)["method"] for _ in range(2)]
        process.send_signal(signal.SIGTERM)
        [end] = events
        _, err = process.communicate(timeout=PATIENCE)
    assert told == TOLD
    assert (end["id"], end["result"]["resultType"]) == (7, "complete")
    assert (process.returncode, b"ERROR" in err, b"Traceback" in err) == (0, False, False)
