"""The HTTP server as a process: slow and long requests, and how it ends."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import httpx
import pytest
import uvicorn
from mcp import Client
from starlette.responses import PlainTextResponse

from blog_search_mcp.server.http import uvicorn_protocol as http_protocol
from blog_search_mcp.server.http.uvicorn_protocol import LimitedProtocol
from blog_search_mcp.server.settings import MESSAGE_BYTES
from tests.support.paths import ROOT
from tests.support.ports import free_port
from tests.support.served import POSTS, indexed, serving
from tests.support.waiting import PATIENCE, until

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
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
CALL = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "search_blog", "arguments": {"query": "cache"}, "_meta": META},
}
ACCEPT = {"Accept": "application/json, text/event-stream"}
MODERN = {**ACCEPT, "MCP-Protocol-Version": "2026-07-28"}
HEADERS = {**MODERN, "Mcp-Method": "tools/call", "Mcp-Name": "search_blog"}
LISTEN = {
    "jsonrpc": "2.0",
    "id": 7,
    "method": "subscriptions/listen",
    "params": {"notifications": {"resourcesListChanged": True}, "_meta": META},
}
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


@pytest.fixture
def held(tmp_path: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """A server whose searches end when a file `go` appears in the test's folder."""
    with holding(tmp_path, HELD) as server:
        yield server


@contextmanager
def holding(tmp_path: Path, program: str) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    address = f"127.0.0.1:{free_port()}"
    process = subprocess.Popen(
        [sys.executable, "-c", program, "--http", address, str(tmp_path)],
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


def _listens(place: tuple[str, int]) -> bool:
    with suppress(ConnectionRefusedError), socket.create_connection(place):
        return True
    return False


FEW_FILES = """
import resource
_, most = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (64, most))
"""


def connect(connections: ExitStack, url: str, count: int) -> None:
    """Open as many connections once the server listens; they are closed with the stack."""
    host, _, port = url.removeprefix("http://").rpartition(":")
    place = (host, int(port))
    until(lambda: _listens(place))
    for _ in range(count):
        connections.enter_context(socket.create_connection(place, PATIENCE))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit of open files")
def test_more_connections_than_files_that_macos_lets_open_are_served(tmp_path: Path) -> None:
    with holding(tmp_path, FEW_FILES + HELD) as (url, process), ExitStack() as connections:
        connect(connections, url, 100)
        assert httpx.get(f"{url}/health", timeout=PATIENCE).json()["status"] == "ok"
        process.kill()
        _, err = process.communicate(timeout=PATIENCE)
    assert b"Traceback" not in err


def read_log(process: subprocess.Popen[bytes]) -> bytes:
    assert process.stderr is not None
    return os.read(process.stderr.fileno(), 100_000)


NO_MORE_FILES = """
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit of open files")
def test_connections_that_no_file_is_left_for_wait_and_are_told_of_once(tmp_path: Path) -> None:
    with holding(tmp_path, NO_MORE_FILES + HELD) as (url, process), ExitStack() as connections:
        connect(connections, url, 60)
        until(lambda: b"New connections wait" in read_log(process))
        connections.close()
        assert httpx.get(f"{url}/health", timeout=PATIENCE).json()["status"] == "ok"
        connect(connections, url, 60)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (0, b"")


def test_a_signal_lets_what_is_in_flight_finish_and_the_status_is_0(
    held: tuple[str, subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    url, process = held
    with httpx.Client(base_url=url, timeout=PATIENCE) as client:
        assert client.get("/health").json()["status"] == "ok"
        with searching(url, tmp_path) as answers:
            process.send_signal(signal.SIGTERM)
            until(lambda: client.get("/health").status_code == 503)
            draining = client.get("/health")
            assert draining.json() == {"status": "stopping", "generation": 7, "posts": 2}
            assert draining.headers["connection"] == "close"
            assert client.post("/api/passage", json={}).status_code == 400
            (tmp_path / "go").touch()
    assert answers[0].json()["result"]["structuredContent"]["total"] == 3
    _, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, b"Traceback" in err, is_closed(url)) == (0, False, True)


CUT_OFF = b"WARNING Requests that were cut off at the end, as they did not finish: 1."


def test_what_does_not_finish_is_waited_for_so_long_and_no_longer(tmp_path: Path) -> None:
    short = "from blog_search_mcp.server.http import uvicorn_protocol\nuvicorn_protocol.GRACE = 0.1"
    with (
        holding(tmp_path, HELD.replace("__main__.main()", f"{short}\n__main__.main()")) as server,
        searching(server[0], tmp_path) as answers,
    ):
        server[1].send_signal(signal.SIGTERM)
        _, err = server[1].communicate(timeout=PATIENCE)
        assert (server[1].returncode, err.splitlines()[1:]) == (0, [CUT_OFF])
    assert not any(answer.is_success for answer in answers)


def test_a_client_that_never_reads_is_cut_off_when_the_server_stops(tmp_path: Path) -> None:
    short = "from blog_search_mcp.server.http import uvicorn_protocol\nuvicorn_protocol.GRACE = 0.1"
    program = HELD.replace("__main__.main()", f"{short}\n__main__.main()")
    with holding(tmp_path, program) as (url, process), socket.socket() as client:
        host, _, port = url.removeprefix("http://").rpartition(":")
        until(lambda: _listens((host, int(port))))
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        client.connect((host, int(port)))
        client.settimeout(1)
        asks = b"GET /page/page.js HTTP/1.1\r\nHost: %b:%b\r\n\r\n" % (host.encode(), port.encode())
        with suppress(TimeoutError):
            while True:  # until neither side takes any more
                client.sendall(asks)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err.splitlines()[1:]) == (0, [CUT_OFF])


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


def test_a_signal_ends_the_streams_of_both_eras_whole_and_does_not_wait_for_them(
    held: tuple[str, subprocess.Popen[bytes]],
) -> None:
    url, process = held
    listen = {**MODERN, "Mcp-Method": "subscriptions/listen"}
    with httpx.Client(base_url=url, timeout=PATIENCE) as client:
        session = client.post("/mcp", json=INITIALIZE, headers=ACCEPT).headers["mcp-session-id"]
        older = {**ACCEPT, "Mcp-Session-Id": session}
        with (
            client.stream("POST", "/mcp", json=LISTEN, headers=listen) as newer_stream,
            client.stream("GET", "/mcp", headers=older) as older_stream,
        ):
            newer = newer_stream.iter_lines()
            assert next(newer) == "event: message"
            process.send_signal(signal.SIGTERM)
            events = [json.loads(line[6:]) for line in newer if line.startswith("data: ")]
            assert older_stream.read() == b""
    assert (events[-1]["id"], events[-1]["result"]["resultType"]) == (7, "complete")
    _, err = process.communicate(timeout=PATIENCE)
    output = [line for line in err.decode().splitlines() if not line.startswith("INFO ")]
    assert (process.returncode, output) == (0, [])


def is_closed(url: str) -> bool:
    with socket.socket() as attempt:
        return attempt.connect_ex(("127.0.0.1", int(url.rpartition(":")[2]))) != 0


def test_five_megabytes_are_refused_and_the_server_lives_on(
    held: tuple[str, subprocess.Popen[bytes]],
) -> None:
    url, _ = held
    with httpx.Client() as client:
        refused = client.post(f"{url}/mcp", content=b" " * (5 << 20), timeout=PATIENCE)
        assert refused.status_code == 413
        assert f"{MESSAGE_BYTES:,}" in refused.json()["error"]
        answer = client.get(f"{url}/health", headers={"Host": "localhost"}, timeout=PATIENCE)
        assert answer.json()["status"] == "ok"


@contextmanager
def small_server() -> Iterator[tuple[str, int]]:
    """uvicorn with our protocol, in a thread."""
    with started_server() as (place, _):
        yield place


@contextmanager
def started_server() -> Iterator[tuple[tuple[str, int], uvicorn.Server]]:
    port = free_port()
    config = uvicorn.Config(
        PlainTextResponse("hello"),
        port=port,
        http=LimitedProtocol,
        ws="none",
        lifespan="off",
        log_level="warning",
    )
    server, bound = uvicorn.Server(config), config.bind_socket()
    running = threading.Thread(target=lambda: asyncio.run(server.serve([bound])))
    running.start()
    until(lambda: server.started)
    try:
        yield ("127.0.0.1", port), server
    finally:
        server.should_exit = True
        running.join()


def test_an_answer_does_not_wait_for_the_one_before_to_be_acknowledged() -> None:
    with started_server() as (place, server), socket.create_connection(place, timeout=PATIENCE):
        until(lambda: bool(server.server_state.connections))
        [connection] = server.server_state.connections
        served = connection.transport.get_extra_info("socket")
        assert served.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) != 0


def rest_of(connection: socket.socket) -> bytes:
    """What the server still sends until it closes."""
    received = b""
    try:
        while part := connection.recv(4096):
            received += part
    except ConnectionResetError:
        pass
    return received


@pytest.mark.parametrize(
    ("sent", "answered"),
    [
        (b"", 0),
        (b"GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ", 0),
        (b"GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: ", 1),
    ],
)
def test_a_head_that_does_not_end_closes_the_connection(
    sent: bytes, answered: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_protocol, "HEAD_SECONDS", 0.05)
    with small_server() as place, socket.create_connection(place, timeout=PATIENCE) as connection:
        connection.sendall(sent)
        assert rest_of(connection).count(b"hello") == answered


def test_a_whole_head_is_answered_however_long_the_connection_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with small_server() as place, httpx.Client() as client:
        url = f"http://{place[0]}:{place[1]}/"
        assert [client.get(url).text for _ in range(3)] == ["hello"] * 3
        monkeypatch.setattr(http_protocol, "CONNECTIONS", 1)
        with httpx.Client() as one_more:
            assert [each.get(url).text for each in (one_more, client, one_more)] == ["hello"] * 3


def test_one_client_has_a_share_of_the_connections_and_loses_the_one_that_waits_longest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(http_protocol, "name_client", lambda address: address)
    monkeypatch.setattr(http_protocol, "CLIENT_CONNECTIONS", 2)
    with small_server() as place, ExitStack() as opened:

        def connect(client: str) -> socket.socket:
            made = socket.create_connection(place, PATIENCE, (client, 0))
            opened.enter_context(made).sendall(b"GET / HTTP/1.1\r\nHost: a\r\n")
            return made

        other = connect("127.0.0.2")
        oldest, older, newest = (connect("127.0.0.1") for _ in range(3))
        assert rest_of(oldest) == b""
        for each in (other, older, newest):
            each.sendall(b"Connection: close\r\n\r\n")
            assert rest_of(each).count(b"hello") == 1


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
