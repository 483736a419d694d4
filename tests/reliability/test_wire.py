"""What no good client sends, to a real server process: it answers as JSON-RPC says, and lives."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from blog_search_mcp.server.http.api import ENDPOINTS
from tests.reliability import wire_http, wire_runs
from tests.reliability.wire_http import Listener, ended_with
from tests.reliability.wire_kinds import KINDS, Kind
from tests.support.faults.server_process import MODERN, PATIENCE, Process, call, outcome
from tests.support.paths import ROOT
from tests.support.served import ingest, write


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("blog")
    write(folder / "content", {"cache.md": "# Caches\n\nA cache keeps what was asked for.\n"})
    ingest(folder / "content", folder / "index")
    return folder / "index"


@pytest.fixture(scope="module")
def opened(index: Path) -> Iterator[Callable[[str], Process]]:
    """Gives one process per protocol version, for all that is sent to it."""
    started: list[Process] = []

    def of(version: str) -> Process:
        for server in started:
            if version and server.version == version:
                return server
        started.append(Process(index, version))
        return started[-1]

    yield of
    for server in started:
        server.end()


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.what)
def test_what_no_good_client_sends_is_answered_and_survived(
    kind: Kind, opened: Callable[[str], Process]
) -> None:
    server = opened(kind.version)
    server.send(kind.sent)
    seen = [outcome(reply) for reply in server.replies(len(kind.answers))]
    assert sorted(seen) == sorted(kind.answers)
    assert outcome(server.search()) == '"after": result'


RUNS = {
    "many requests at once, no reply read": partial(wire_runs.unread, count=500),
    "a call cancelled while it runs": wire_runs.cancelled,
    "the end of input in a line": wire_runs.torn,
    "the end of input in a call": wire_runs.ended_in_a_call,
    "a killed client": wire_runs.hung_up,
    "a client that stops listening": wire_runs.not_listening,
}


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_what_no_good_client_does_is_survived(
    run: Callable[[Path], wire_runs.Seen], index: Path
) -> None:
    held, seen = run(index)
    assert held, seen


@pytest.fixture(scope="module")
def listener(index: Path) -> Iterator[Listener]:
    server = Listener(index)
    yield server
    server.end()


@pytest.mark.parametrize("kind", wire_http.KINDS, ids=lambda kind: kind.what)
def test_what_no_good_client_requests_is_answered_and_survived(
    kind: wire_http.Kind, listener: Listener
) -> None:
    status, body = listener.answer(kind)
    assert status == kind.status
    assert told(body) == []
    assert outcome(listener.search()) == "1: result"


@pytest.mark.parametrize("path", ["/mcp", *(f"/api/{name}" for name in ENDPOINTS)])
def test_half_a_body_and_a_hang_up_leave_nothing_in_the_log(path: str, index: Path) -> None:
    server = Listener(index)
    for _ in range(5):
        server.open(wire_http.head(path, 100) + b"half").close()
    seen = outcome(server.search())
    assert (server.complaints(), seen) == ([], "1: result")


def first_line(listener: Listener, sent: bytes) -> str:
    with listener.open(sent) as connected:
        return connected.recv(1_000).decode().partition("\r\n")[0]


TWICE = {
    "two lengths": ("HTTP/1.1 400 Bad Request", ("Content-Length: 3",)),
    "two Origins": (
        "HTTP/1.1 403 Forbidden",
        ("Origin: http://localhost", "Origin: https://example.org"),
    ),
}


@pytest.mark.parametrize(("refusal", "more"), TWICE.values(), ids=TWICE)
def test_a_head_that_can_be_read_in_two_ways_is_refused(
    refusal: str, more: tuple[str, ...], listener: Listener
) -> None:
    assert first_line(listener, wire_http.head("/api/index", 2, *more) + b"{}") == refusal
    assert first_line(listener, wire_http.head("/api/index", 2) + b"{}") == "HTTP/1.1 200 OK"


@pytest.mark.parametrize("path", ["/mcp", "/api/index"])
def test_two_hundred_slow_bodies_give_nobody_else_a_503(path: str, index: Path) -> None:
    server = Listener(index)
    held = [server.open(wire_http.head(path, 100) + b"half") for _ in range(200)]
    asked = [
        wire_http.Kind("a search", 200),
        wire_http.Kind("index", 200, b"{}", path="/api/index"),
    ]
    seen = [server.answer(kind)[0] for _ in range(5) for kind in asked]
    alive = [each for each in held if ended_with(each) is None]
    for each in alive:
        each.sendall(b"x" * 96)
    ends = {ended_with(each, wait=PATIENCE) for each in alive}
    for each in held:
        each.close()
    assert (server.complaints(), seen, len(alive)) == ([], [200] * 10, 200)
    assert ends == {"HTTP/1.1 400 Bad Request"}


ARGUMENTS = {
    "search_blog": ("query", "top_k", "section", "tag", "after", "response_format"),
    "read_chunk": ("source", "chunk_index", "neighbors"),
}
CRASHING = """
import os
import shutil
from blog_search_mcp.server import __main__
from blog_search_mcp.server.stdio import transport as stdio
from tests.support.server_fixtures import FixedSearcher

class Crashing(FixedSearcher):
    def warm_up(self, then):
        pass
    def search(self, *given, **named):
        raise RuntimeError(f"{dict(os.environ)} {os.getcwd()} {__main__.__file__}")
    read = search

stdio.engine_for = lambda settings: Crashing()
__main__.main()
"""


def good(index: Path, folder: Path) -> Path:
    return Path(shutil.copytree(index, folder / "index"))


def missing(_index: Path, folder: Path) -> Path:
    return folder / "index"


def torn(index: Path, folder: Path) -> Path:
    copy = good(index, folder)
    for path in copy.joinpath("generations").rglob("*.*"):
        path.write_bytes(path.read_bytes()[:10])
    return copy


def huge(path: Path) -> None:
    path.touch()
    os.truncate(path, 3 << 30)


NO_FILES: dict[str, Callable[[Path], None]] = {
    "a pipe": os.mkfifo,
    "an endless device": lambda path: path.symlink_to("/dev/zero"),
    "3 GB": huge,
}
MOST_MEMORY = 400
"""MB that a server takes which opens an index and answers; 3 GB must not be read."""


@pytest.mark.parametrize("version", [MODERN, "2025-11-25"])
@pytest.mark.parametrize("name", ["CURRENT", "last_ingest.json", "overview.json"])
@pytest.mark.parametrize("put", NO_FILES.values(), ids=NO_FILES)
def test_what_stands_in_the_place_of_a_small_file_holds_up_no_reply(
    put: Callable[[Path], None], name: str, version: str, index: Path, tmp_path: Path
) -> None:
    copy = good(index, tmp_path)
    [path] = copy.rglob(name)
    path.unlink()
    put(path)
    server = Process(copy, version)
    seen = outcome(server.search())
    memory = server.most_memory // 1024
    server.end()
    assert seen == ('"after": result' if name == "last_ingest.json" else '"after": tool error')
    assert memory < MOST_MEMORY


def told(said: bytes, *of_the_host: str) -> list[str]:
    """What `said` tells of the host, of these and of what no answer may hold."""
    never = {"Traceback", 'File \\"', "site-packages", str(ROOT), str(Path.home())}
    text = said.decode()
    return [word for word in {*never, *of_the_host} if word in text]


@pytest.mark.parametrize("state", [good, missing, torn, None])
def test_no_answer_tells_anything_of_the_host(
    state: Callable[[Path, Path], Path] | None, index: Path, tmp_path: Path
) -> None:
    environment = {**os.environ, "HOME": "/home/somebody", "BLOG_PASSWORD": "swordfish"}
    kinds = [kind for kind in KINDS if kind.version == MODERN and len(kind.sent) < 1_000_000]
    odd: list[object] = [
        None,
        True,
        -1,
        1e9,
        "",
        "../..",
        str(tmp_path),
        "x" * 5_000,
        [],
        {},
        "\x00",
        "%s%n",
    ]
    calls = [
        call(0, {"query": "cache", "source": "cache.md", "chunk_index": 0, name: value}, tool)
        for tool, names in ARGUMENTS.items()
        for name in names
        for value in odd
    ]
    start = ("-m", "blog_search_mcp.server") if state else ("-c", CRASHING)
    server = Process(state(index, tmp_path) if state else tmp_path, MODERN, start, environment)
    for kind in kinds:
        server.send(kind.sent)
        server.replies(len(kind.answers))
    for each in calls:
        server.send(each)
        server.replies(1)
    alive, log = server.alive, server.end()
    values = [value for value in environment.values() if len(value) > 8]
    assert told(b"".join(server.said), str(tmp_path.parent), *values) == []
    assert alive
    assert (b"swordfish" in log) == (state is None)
