from __future__ import annotations

import logging
import threading
import tomllib
from collections.abc import Callable
from typing import Any

import pytest
from mcp import Client, MCPError
from mcp.types import TextContent

from blog_search_mcp.index.errors import IndexMissing
from blog_search_mcp.index.types import Answer, Filters
from blog_search_mcp.server.engine import Engine
from blog_search_mcp.server.protocol.app import build_server
from blog_search_mcp.server.protocol.instructions import HOW
from tests.support.paths import ROOT
from tests.support.server_fixtures import CACHE, FixedSearcher

pytestmark = pytest.mark.anyio

ERAS = pytest.mark.parametrize("mode", ["auto", "legacy"])
EXPECTED_VERSION = {"auto": "2026-07-28", "legacy": "2025-11-25"}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def client(mode: str) -> Client:
    return Client(build_server(FixedSearcher()), mode=mode)


async def sentence(connected: Client, tool: str, arguments: dict[str, Any]) -> tuple[bool, str]:
    result = await connected.call_tool(tool, arguments)
    [block] = result.content
    assert isinstance(block, TextContent)
    return bool(result.is_error), block.text


@ERAS
async def test_the_server_says_who_it_is_and_how_to_use_it(mode: str) -> None:
    async with client(mode) as connected:
        assert connected.protocol_version == EXPECTED_VERSION[mode]
        assert connected.server_info is not None
        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        assert connected.server_info.name == "blog_mcp"
        assert connected.server_info.version == project["version"]
        assert connected.instructions is not None
        assert connected.instructions.endswith(HOW)


@ERAS
async def test_the_server_has_two_tools(mode: str) -> None:
    async with client(mode) as connected:
        listed = await connected.list_tools()
    assert [tool.name for tool in listed.tools] == ["search_blog", "read_chunk"]


@ERAS
async def test_a_hit_can_be_read(mode: str) -> None:
    async with client(mode) as connected:
        found = await connected.call_tool("search_blog", {"query": "kv cache", "top_k": 1})
        assert found.structured_content is not None
        [best] = found.structured_content["results"]
        read = await connected.call_tool(
            "read_chunk", {"source": best["source"], "chunk_index": best["chunk_index"]}
        )
    [text, _place] = read.content
    assert isinstance(text, TextContent)
    assert text.text == "A *KV cache* keeps keys\nand values."


@ERAS
async def test_a_miss_is_an_error_that_says_what_exists(mode: str) -> None:
    async with client(mode) as connected:
        assert await sentence(
            connected, "read_chunk", {"source": CACHE.source, "chunk_index": 9}
        ) == (True, "inference/kv-cache.md has no chunk 9: its chunk_index goes from 0 to 1.")
        assert await sentence(connected, "read_chunk", {"source": "kv", "chunk_index": 0}) == (
            True,
            "No post 'kv' in the index. Nearest: inference/kv-cache.md. "
            "Use a source from search_blog.",
        )


@ERAS
async def test_a_bad_argument_is_an_error_in_one_sentence(mode: str) -> None:
    async with client(mode) as connected:
        failed, said = await sentence(connected, "search_blog", {"query": "q", "top_k": 50})
        assert failed
        assert [word for word in ("top_k", "20", "50") if word not in said] == []


@ERAS
async def test_an_unknown_tool_is_a_protocol_error(mode: str) -> None:
    async with client(mode) as connected:
        with pytest.raises(MCPError) as refused:
            await connected.call_tool("search", {"query": "q"})
        assert refused.value.code == -32602
        assert refused.value.message == (
            "Unknown tool 'search'; this server has search_blog and read_chunk."
        )


@ERAS
async def test_a_fault_of_ours_stays_in_the_log(
    mode: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR, logger="blog_search_mcp.server.protocol.app"):
        async with client(mode) as connected:
            said = await sentence(connected, "search_blog", {"query": "crash"})
    assert said == (True, "Internal error; the server's log has the details.")
    [record] = caplog.records
    assert record.exc_text is not None
    assert "the password is swordfish" in record.exc_text


class Growing:
    """An index that is missing at first."""

    notice: str | None = None

    def __init__(self) -> None:
        self.there = False
        self.opened = 0
        self.status = FixedSearcher().status

    def reader(self) -> FixedSearcher:
        if not self.there:
            raise IndexMissing("There is no index yet.")
        return FixedSearcher()

    def ask(self, question: Callable[[FixedSearcher], Any]) -> Any:
        return question(self.reader())

    def open(self) -> Any:
        self.opened += 1
        return self


def test_an_engine_finds_an_index_that_appears_later() -> None:
    growing = Growing()
    engine = Engine(growing.open, growing.status)
    with pytest.raises(IndexMissing):
        engine.search("q", Filters(), limit=1, offset=0)
    growing.there = True
    assert engine.search("q", Filters(), limit=1, offset=0).total == 3
    assert growing.opened == 1


def test_an_engine_opens_nothing_until_it_must() -> None:
    growing = Growing()
    Engine(growing.open, growing.status)
    assert growing.opened == 0


def test_a_call_during_the_warm_up_waits_for_the_one_opening() -> None:
    growing, may_open, opening = Growing(), threading.Event(), threading.Event()
    growing.there = True

    def open_slowly() -> Any:
        opening.set()
        assert may_open.wait(5)
        return growing.open()

    engine = Engine(open_slowly, growing.status)
    engine.warm_up()
    assert opening.wait(5)
    answers: list[Answer] = []
    call = threading.Thread(
        target=lambda: answers.append(engine.search("q", Filters(), limit=1, offset=0))
    )
    call.start()
    may_open.set()
    call.join(5)
    assert [answer.total for answer in answers] == [3]
    assert growing.opened == 1


def test_a_warm_up_without_an_index_is_no_failure(caplog: pytest.LogCaptureFixture) -> None:
    growing, done = Growing(), threading.Event()
    engine = Engine(growing.open, growing.status)
    engine.warm_up(then=done.set)
    assert done.wait(5)
    assert [record for record in caplog.records if record.levelno > logging.INFO] == []
