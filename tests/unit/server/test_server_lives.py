"""What must not end a server, nor stop its other clients."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import pytest
import tantivy
from mcp import Client, MCPError
from starlette.testclient import TestClient

from blog_search_mcp.server.engine import Engine, engine_for
from blog_search_mcp.server.http.app import build_app
from blog_search_mcp.server.protocol.app import build_server
from blog_search_mcp.server.settings import ANYONE, Address, Settings
from tests.support.front import made

POSTS = {"tea.md": "# Green tea\n\nSteep the leaves at eighty degrees.\n"}
QUERY = {"query": "steep the leaves"}


class Panic(BaseException):
    """As pyo3 raises for a panic of Rust: no Exception."""


class Panicking:
    """In the place of a class of tantivy's, every use of which panics."""

    def __getattr__(self, name: str) -> Any:
        raise Panic(name)


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return engine_for(Settings(made(tmp_path, POSTS).index))


def test_a_panic_is_an_error_over_mcp_and_http_and_the_next_call_is_answered(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def ask() -> list[bool]:
        async with Client(build_server(engine)) as client:
            with monkeypatch.context() as patched:
                patched.setattr(tantivy, "Index", Panicking())
                with pytest.raises(MCPError):
                    await client.read_resource("blog://post/tea.md")
            with monkeypatch.context() as patched:
                patched.setattr(tantivy, "Query", Panicking())
                first = await client.call_tool("search_blog", QUERY)
            second = await client.call_tool("search_blog", QUERY)
        return [bool(each.is_error) for each in (first, second)]

    assert anyio.run(ask) == [True, False]
    app = build_app(engine, Address("127.0.0.1", 80), ANYONE)
    with TestClient(app, "http://127.0.0.1", client=("127.0.0.1", 50_000)) as client:
        with monkeypatch.context() as patched:
            patched.setattr(tantivy, "Query", Panicking())
            first = client.post("/api/search", json=QUERY)
        second = client.post("/api/search", json=QUERY)
    assert [each.status_code for each in (first, second)] == [500, 200]
