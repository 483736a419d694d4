"""What no good client sends, to a real server process: it answers as JSON-RPC says, and lives."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.reliability.wire_kinds import JSON, KINDS, LEGACY, REQUESTS, Kind, Request
from tests.support.faults.server_process import (
    MODERN,
    PATIENCE,
    Process,
    call,
    line,
    opening,
    outcome,
)
from tests.support.paths import ROOT
from tests.support.served import indexed, served


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    posts = {"cache.md": "# Caches\n\nA cache keeps what was asked for.\n"}
    return indexed(tmp_path_factory.mktemp("blog"), posts)


@pytest.fixture(scope="module")
def opened(index: Path) -> Iterator[dict[str, Process]]:
    """A process per protocol version, for all that is sent to it."""
    servers = {version: Process(index, version) for version in (MODERN, LEGACY)}
    yield servers
    for server in servers.values():
        server.end()


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.what)
def test_what_no_good_client_sends_is_answered_and_survived(
    kind: Kind, index: Path, opened: dict[str, Process]
) -> None:
    server = opened.get(kind.version) or Process(index)
    server.send(kind.sent)
    seen = [outcome(reply) for reply in server.replies(len(kind.answers))]
    assert sorted(seen) == sorted(kind.answers)
    assert outcome(server.search()) == '"after": result'
    if not kind.version:
        server.end()


def test_a_client_that_is_killed_or_stops_reading_ends_its_server(index: Path) -> None:
    asked = b"".join(call(number, {"query": "what is a cache?"}) for number in range(30))
    killed, deaf = Process(index), Process(index)
    killed.send(opening(MODERN) + asked)
    killed.stop_listening()
    killed.close_input()
    deaf.stop_listening()
    deaf.send(asked)
    assert [server.status() for server in (killed, deaf)] == [0, 0]
    assert [server.end() for server in (killed, deaf)] == [b"", b""]


HOLDING = """
import threading
from blog_search_mcp import __main__
from blog_search_mcp.server.mcp import stdio

real = stdio.engine_for
def holding(settings):
    engine, may_go = real(settings), threading.Event()
    search = engine.search
    def held(query, *given, **named):
        if query == "hold":
            may_go.wait()
        if query == "release":
            may_go.set()
        return search(query, *given, **named)
    engine.search = held
    return engine

stdio.engine_for = holding
__main__.main()
"""
"""A server whose search for `hold` ends once `release` was searched for."""


def test_a_call_cancelled_while_it_runs_is_not_answered_and_others_are_meanwhile(
    index: Path,
) -> None:
    server = Process(index, MODERN, ("-c", HOLDING))
    cancel = line(method="notifications/cancelled", params={"requestId": 1})
    server.send(call(1, {"query": "hold"}) + cancel + call(2, {"query": "cache"}))
    seen = [outcome(reply) for reply in server.replies(1)]
    server.send(call(3, {"query": "release"}))
    seen += [outcome(reply) for reply in server.replies(1)]
    server.close_input()
    assert (seen, server.status()) == (["2: result", "3: result"], 0)
    server.end()


@pytest.fixture(scope="module")
def url(index: Path) -> Iterator[str]:
    with served(index) as found:
        yield found.removesuffix("/mcp")


def request(url: str, kind: Request) -> httpx.Response:
    body = iter([kind.body]) if kind.chunked else kind.body
    headers, address = {**JSON, **kind.headers}, f"{url}{kind.path}"
    return httpx.request(kind.method, address, content=body, headers=headers, timeout=PATIENCE)


@pytest.mark.parametrize("kind", REQUESTS, ids=lambda kind: kind.what)
def test_what_no_good_client_requests_is_answered_and_survived(kind: Request, url: str) -> None:
    answer = request(url, kind)
    assert (answer.status_code, told(answer.content)) == (kind.status, [])
    assert outcome(request(url, Request("a search", 200)).json()) == "1: result"


CRASHING = """
import os
import shutil
from blog_search_mcp import __main__
from blog_search_mcp.server.mcp import stdio
from tests.support.server_fixtures import FixedSearcher

class Crashing(FixedSearcher):
    def warm_up(self):
        pass
    def search(self, *given, **named):
        raise RuntimeError(f"{dict(os.environ)} {os.getcwd()} {__main__.__file__}")
    read = search

stdio.engine_for = lambda settings: Crashing()
__main__.main()
"""


def torn(index: Path, folder: Path) -> Path:
    copy = Path(shutil.copytree(index, folder / "index"))
    for path in copy.joinpath("generations").rglob("*.*"):
        path.write_bytes(path.read_bytes()[:10])
    return copy


def told(said: bytes, *of_the_host: str) -> list[str]:
    """Return the words in `said` that tell of the host: these, and those no answer may hold."""
    never = {"Traceback", 'File \\"', "site-packages", str(ROOT), str(Path.home())}
    text = said.decode()
    return [word for word in {*never, *of_the_host} if word in text]


@pytest.mark.parametrize("state", ["good", "missing", "torn", "crashing"])
def test_no_answer_tells_anything_of_the_host(state: str, index: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "HOME": "/home/somebody", "BLOG_PASSWORD": "swordfish"}
    indexes = {"good": lambda: index, "torn": lambda: torn(index, tmp_path)}
    served_index = indexes.get(state, lambda: tmp_path / "index")()
    start = ("-c", CRASHING) if state == "crashing" else ("-m", "blog_search_mcp", "serve")
    server = Process(served_index, MODERN, start, environment)
    for kind in KINDS:
        if kind.version == MODERN and len(kind.sent) < 1_000_000:
            server.send(kind.sent)
            server.replies(len(kind.answers))
    odd: list[object] = [None, True, -1, 1e9, "../..", "/etc/passwd", "x" * 5_000, [], "\x00"]
    for value in odd:
        for name in ("query", "top_k", "section", "after"):
            server.send(call(0, {"query": "cache", name: value}))
        for name in ("source", "chunk_index"):
            server.send(call(0, {"source": "cache.md", name: value}, "read_chunk"))
        server.replies(6)
    alive, log = server.alive, server.end()
    values = [value for value in environment.values() if len(value) > 8]
    assert told(b"".join(server.said), str(tmp_path.parent), *values) == []
    assert alive
    assert (b"swordfish" in log) == (state == "crashing")
