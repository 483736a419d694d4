"""What must not end a server, nor stop its other clients."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import anyio
import pytest
import tantivy
from mcp import Client, MCPError
from starlette.testclient import TestClient

from blog_search_mcp.server.engine import IndexStatus, engine_for
from blog_search_mcp.server.http.app import build_app
from blog_search_mcp.server.protocol.app import build_server
from blog_search_mcp.server.settings import ANYONE, Address, Settings
from tests.support.front import Blog, made

POSTS = {"tea.md": "# Green tea\n\nSteep the leaves at eighty degrees.\n"}
QUERY = {"query": "steep the leaves"}


class Panic(BaseException):
    """As pyo3 raises for a panic of Rust: no Exception."""


class Panicking:
    """In the place of a class of tantivy's, every use of which panics."""

    def __getattr__(self, name: str) -> Any:
        raise Panic(name)


@pytest.fixture
def blog(tmp_path: Path) -> Blog:
    return made(tmp_path, POSTS)


def engine(blog: Blog) -> Any:
    return engine_for(Settings(blog.index))


def test_a_tool_that_panics_answers_with_an_error_and_the_next_call_is_answered(
    blog: Blog, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def ask() -> list[bool]:
        async with Client(build_server(engine(blog))) as client:
            with monkeypatch.context() as patched:
                patched.setattr(tantivy, "Query", Panicking())
                first = await client.call_tool("search_blog", QUERY)
            second = await client.call_tool("search_blog", QUERY)
        return [bool(each.is_error) for each in (first, second)]

    assert anyio.run(ask) == [True, False]


def test_a_resource_that_panics_answers_with_an_error(
    blog: Blog, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def ask() -> None:
        async with Client(build_server(engine(blog))) as client:
            monkeypatch.setattr(tantivy, "Index", Panicking())
            with pytest.raises(MCPError):
                await client.read_resource("blog://post/tea.md")

    anyio.run(ask)


def test_the_search_page_is_told_of_a_panic_and_then_answered(
    blog: Blog, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = build_app(engine(blog), Address("127.0.0.1", 80), ANYONE)
    with TestClient(app, "http://127.0.0.1", client=("127.0.0.1", 50_000)) as client:
        with monkeypatch.context() as patched:
            patched.setattr(tantivy, "Query", Panicking())
            first = client.post("/api/search", json=QUERY)
        second = client.post("/api/search", json=QUERY)
    assert [each.status_code for each in (first, second)] == [500, 200]


def test_an_index_that_panics_while_it_is_opened_still_ends_the_warm_up(
    blog: Blog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tantivy, "Index", Panicking())
    ended = threading.Event()
    engine(blog).warm_up(ended.set)
    assert ended.wait(60)


def test_a_disk_that_hangs_while_a_client_connects_does_not_stop_the_others(
    blog: Blog, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, answered, in_time = threading.Event(), threading.Event(), list[bool]()

    def hang(_status: IndexStatus) -> None:
        asked.set()
        in_time.append(answered.wait(10))

    monkeypatch.setattr(IndexStatus, "overview", hang)

    async def connect_both() -> None:
        server = build_server(engine(blog))

        async def connect() -> None:
            async with Client(server):
                pass

        async with anyio.create_task_group() as clients:
            clients.start_soon(connect)
            await anyio.to_thread.run_sync(asked.wait)
            answered.set()

    anyio.run(connect_both)
    assert in_time == [True]
