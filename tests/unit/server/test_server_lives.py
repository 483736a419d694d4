"""What must not end a server, nor stop its other clients."""

import threading
from pathlib import Path
from typing import Any

import anyio
import pytest
import tantivy
from mcp import Client
from starlette.testclient import TestClient

from blog_search_mcp.server.engine import Engine, engine_for
from blog_search_mcp.server.http.serve import build_app
from blog_search_mcp.server.mcp.server import build_server
from blog_search_mcp.server.settings import Address, Settings
from tests.support.front import made
from tests.support.waiting import until

QUERY = {"query": "steep the leaves"}


class Panic(BaseException):
    """As pyo3 raises for a panic of Rust: no Exception."""


class Panicking:
    """In the place of a class of tantivy's, every use of which panics."""

    def __getattr__(self, name: str) -> Any:
        raise Panic(name)


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    posts = {"tea.md": "# Green tea\n\nSteep the leaves at eighty degrees.\n"}
    return engine_for(Settings(made(tmp_path, posts).index))


def test_a_panic_is_an_error_over_mcp_and_http_and_the_next_call_is_answered(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def ask() -> bool:
        async with Client(build_server(engine)) as client:
            return bool((await client.call_tool("search_blog", QUERY)).is_error)

    with monkeypatch.context() as patched:
        patched.setattr(tantivy, "Index", Panicking())
        before = threading.active_count()
        engine.warm_up()
        until(lambda: threading.active_count() <= before)
    app = build_app(engine, Address("127.0.0.1", 80))
    with TestClient(app, "http://127.0.0.1", client=("127.0.0.1", 50_000)) as client:
        for panics, status in ((False, 200), (True, 500), (False, 200)):
            with monkeypatch.context() as patched:
                if panics:
                    patched.setattr(tantivy, "Query", Panicking())
                assert anyio.run(ask) is panics
                assert client.post("/api/search", json=QUERY).status_code == status


def test_a_disk_that_hangs_while_a_client_connects_does_not_stop_the_others(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, answered, in_time = threading.Event(), threading.Event(), list[bool]()

    def hang() -> None:
        asked.set()
        in_time.append(answered.wait(10))

    monkeypatch.setattr(engine.store, "peek_overview", hang)

    async def connect_both() -> None:
        server = build_server(engine)

        async def connect() -> None:
            async with Client(server):
                pass

        async with anyio.create_task_group() as clients:
            clients.start_soon(connect)
            await anyio.to_thread.run_sync(asked.wait)
            answered.set()

    anyio.run(connect_both)
    assert in_time == [True]
