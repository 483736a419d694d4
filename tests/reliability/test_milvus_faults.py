"""A Milvus server that is gone, slow, restarted, too old, or does not know us."""

from __future__ import annotations

import http.server
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from blog_search_mcp.index.errors import IndexProblem, IndexUnreachable
from blog_search_mcp.index.milvus import client as milvus_client
from blog_search_mcp.index.milvus import connection
from blog_search_mcp.index.milvus.client import Milvus
from blog_search_mcp.index.milvus.schema import CHUNKS_FIELDS, CollectionNames
from tests.reliability.conftest import RecordRuns
from tests.support.milvus_server import MISSING, serving
from tests.support.milvus_standin import standing_in
from tests.support.ports import free_port
from tests.support.tcp_proxy import Proxy, proxying

pytestmark = [
    pytest.mark.reliability,
    pytest.mark.skipif(MISSING is not None, reason=str(MISSING)),
]

CHUNKS = CollectionNames("blog").chunks(1)
ROWS = 200
SECONDS = 2.0
"""In the place of the deadlines of requests."""


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "CONNECT_SECONDS", SECONDS)
    for name in ("READ", "WRITE", "PATIENCE", "INGEST_PATIENCE"):
        monkeypatch.setattr(milvus_client, f"{name}_SECONDS", SECONDS)


def write(milvus: Milvus) -> None:
    milvus.create(CHUNKS, CHUNKS_FIELDS)
    text = "x" * 2_000
    rows = (
        {"chunk": n, "post": n, "text": text, "plain": "", "terms": {2 * n: 1.0}}
        for n in range(1, ROWS + 1)
    )
    milvus.insert(CHUNKS, CHUNKS_FIELDS, rows)
    milvus.complete(CHUNKS, ROWS)


def read(milvus: Milvus) -> int:
    return len(milvus.query(CHUNKS, "", ["chunk", "text"]))


REQUESTS: dict[str, Callable[[Milvus], object]] = {
    "query": read,
    "search": lambda milvus: milvus.search(CHUNKS, CHUNKS_FIELDS[-1], [{2: 1.0}], 5),
    "count": lambda milvus: milvus.count(CHUNKS),
    "alias": lambda milvus: milvus.resolve("blog"),
    "iterate": lambda milvus: list(milvus.iterate(CHUNKS, "", ["text"], 20)),
    "list": lambda milvus: milvus.collections(),
}
"""By name, what a reader or a writer asks."""


@pytest.fixture
def proxied(milvus: Milvus) -> Iterator[tuple[Milvus, Proxy]]:
    """A connection through a proxy to a server that has rows."""
    write(milvus)
    with proxying(milvus.address) as proxy:
        client = Milvus(proxy.address)
        yield client, proxy
        proxy.mend()
        client.close()


@contextmanager
def quickly() -> Iterator[None]:
    """Within the deadlines, and what a busy machine takes besides."""
    begun = time.monotonic()
    yield
    assert time.monotonic() - begun < 10 * SECONDS


@pytest.mark.parametrize("request_name", REQUESTS)
def test_a_server_that_is_gone_between_requests_is_said_and_found_again(
    request_name: str, proxied: tuple[Milvus, Proxy]
) -> None:
    milvus, proxy = proxied
    proxy.refuse()
    with quickly(), pytest.raises(IndexUnreachable) as raised:
        REQUESTS[request_name](milvus)
    assert str(raised.value) == (
        f"The Milvus server at {proxy.address} does not answer. Start it, or correct the address."
    )
    proxy.mend()
    REQUESTS[request_name](milvus)
    assert read(milvus) == ROWS


@pytest.mark.parametrize("request_name", REQUESTS)
def test_a_server_that_is_slow_is_waited_for_no_longer_than_the_deadline(
    request_name: str, proxied: tuple[Milvus, Proxy]
) -> None:
    milvus, proxy = proxied
    proxy.stall()
    with quickly(), pytest.raises(IndexUnreachable, match="is too slow to answer"):
        REQUESTS[request_name](milvus)
    proxy.mend()
    assert read(milvus) == ROWS


@pytest.mark.parametrize("size", [1, 100, 1_000, 100_000])
def test_an_answer_that_is_cut_in_the_middle_is_asked_for_again(
    size: int, proxied: tuple[Milvus, Proxy]
) -> None:
    milvus, proxy = proxied
    proxy.cut_after(size)
    assert read(milvus) == ROWS


def test_rows_that_are_cut_on_their_way_are_all_there_or_missed(
    milvus: Milvus, full: bool, record_runs: RecordRuns
) -> None:
    """An insert that is repeated may write twice; the count says so before anything is switched."""
    runs, held = 60 if full else 6, 0
    with proxying(milvus.address) as proxy:
        client = Milvus(proxy.address)
        for number in range(runs):
            timer = threading.Timer(0.01 * number, proxy.cut_after, [1])
            timer.start()
            try:
                write(client)
                held += milvus.count(CHUNKS) == ROWS
            except IndexProblem as error:
                held += str(error).endswith(".")
            timer.join()
            proxy.mend()
            milvus.drop(CHUNKS)
        client.close()
    record_runs(runs, held)
    assert held == runs


def test_a_server_that_was_restarted_is_asked_on(tmp_path: Path) -> None:
    """milvus-lite has released every collection then."""
    port = free_port()
    with ExitStack() as opened:
        with serving(tmp_path / "data", port) as address:
            milvus = Milvus(address)
            opened.callback(milvus.close)
            write(milvus)
        with pytest.raises(IndexUnreachable, match="does not answer"):
            read(milvus)
        opened.enter_context(serving(tmp_path / "data", port))
        for ask in REQUESTS.values():
            ask(milvus)
        assert read(milvus) == ROWS


def test_a_server_that_starts_within_the_deadline_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(milvus_client, "PATIENCE_SECONDS", 60.0)
    port = free_port()
    with ExitStack() as opened:
        with serving(tmp_path / "data", port) as address:
            milvus = Milvus(address)
            opened.callback(milvus.close)
            write(milvus)
        found: list[int] = []
        thread = threading.Thread(target=lambda: found.append(read(milvus)))
        thread.start()
        opened.enter_context(serving(tmp_path / "data", port))
        thread.join()
        assert found == [ROWS]


@pytest.mark.parametrize("token", ["", "root:wrong", "root:right2"])
def test_a_token_that_is_refused_is_said_and_not_shown(
    token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MILVUS_TOKEN", token)
    with (
        standing_in(token="root:right") as address,
        quickly(),
        pytest.raises(IndexUnreachable) as raised,
    ):
        Milvus(address)
    which = "the token in" if token else "an empty"
    assert str(raised.value) == (
        f"The Milvus server at {address} refuses {which} MILVUS_TOKEN. Set this environment "
        "variable to `user:password`, or to a key, that may use the index."
    )


def test_the_right_token_is_let_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MILVUS_TOKEN", "root:right")
    with standing_in(token="root:right") as address:
        milvus = Milvus(address)
        assert milvus.collections() == []
        milvus.close()


def test_a_server_that_is_too_old_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MILVUS_TOKEN", "")
    with standing_in("2.3.5") as address, pytest.raises(IndexUnreachable) as raised:
        Milvus(address)
    assert str(raised.value) == (
        f"The Milvus server at {address} is 2.3.5, which has no sparse vectors. "
        "Update it to 2.4 or newer."
    )


def test_what_is_no_milvus_is_said() -> None:
    handler = http.server.SimpleHTTPRequestHandler
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with quickly(), pytest.raises(IndexUnreachable):
            Milvus(f"http://127.0.0.1:{server.server_address[1]}")
        server.shutdown()
