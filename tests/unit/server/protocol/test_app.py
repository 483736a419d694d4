"""The server as clients of both eras ask it, but for what is no tool call."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import anyio
import pytest
from mcp import Client, MCPError
from mcp.types import TextContent

from blog_search_mcp.server.engine import engine_for
from blog_search_mcp.server.protocol.app import build_server
from blog_search_mcp.server.protocol.instructions import HOW, INSTRUCTIONS_BYTES, NO_INDEX, UNKNOWN
from blog_search_mcp.server.settings import Settings
from tests.support.front import Blog, made
from tests.support.server_fixtures import FixedSearcher

ERAS = {"auto": "2026-07-28", "legacy": "2025-11-25"}
EACH_ERA = pytest.mark.parametrize("mode", ERAS)
POSTS = {
    "inference/kv.md": "---\ndate: 2025-03-04\ntags: [KV cache, llm]\n---\n"
    "A cache keeps keys and values for later.\n",
    "soup/onion.md": "---\ndate: 2024-01-01\n---\nBoil an onion and then add some salt to it.\n",
}
ABOUT = (
    "Search and read one blog: 2 posts, the newest of 2025-03-04. Languages: en (2). "
    "Sections: inference (1), soup (1). Tags: kv cache (1), llm (1)."
)


@pytest.fixture
def blog(tmp_path: Path) -> Blog:
    return made(tmp_path, POSTS)


@pytest.mark.anyio
@EACH_ERA
async def test_the_server_says_who_it_is_and_what_tools_it_has(mode: str) -> None:
    async with Client(build_server(FixedSearcher()), mode=mode) as client:
        assert client.protocol_version == ERAS[mode]
        assert client.server_info is not None
        assert client.server_info.name == "blog_mcp"
        assert client.server_info.version == version("blog-search-mcp")
        listed = await client.list_tools()
        assert [tool.name for tool in listed.tools] == ["search_blog", "read_chunk"]
        assert client.server_capabilities is not None
        assert client.server_capabilities.tools is not None
        assert not client.server_capabilities.tools.list_changed


@pytest.mark.anyio
@EACH_ERA
async def test_a_tool_that_is_not_offered_is_a_protocol_error(mode: str) -> None:
    async with Client(build_server(FixedSearcher()), mode=mode) as client:
        with pytest.raises(MCPError) as refused:
            await client.call_tool("list_posts", {})
    assert refused.value.code == -32602
    assert "search_blog and read_chunk" in refused.value.message


@pytest.mark.anyio
@EACH_ERA
async def test_a_fault_of_ours_stays_in_the_log(
    mode: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR, logger="blog_search_mcp.server.format.results"):
        async with Client(build_server(FixedSearcher()), mode=mode) as client:
            result = await client.call_tool("search_blog", {"query": "crash"})
    [block] = result.content
    assert isinstance(block, TextContent)
    assert (result.is_error, "swordfish" in block.text) == (True, False)
    [record] = caplog.records
    assert "swordfish" in str(record.exc_text)


def told(index: Path, mode: str = "auto") -> str:
    """What a client is told of the blog in the first reply."""

    async def connect() -> str:
        async with Client(build_server(engine_for(Settings(index))), mode=mode) as client:
            return client.instructions or ""

    said = anyio.run(connect)
    assert len(said.encode()) < INSTRUCTIONS_BYTES
    return said


@EACH_ERA
def test_each_connection_is_told_of_the_index_of_that_moment(mode: str, blog: Blog) -> None:
    assert told(blog.index, mode) == f"{ABOUT} {HOW}"
    blog.write({"tea.md": "Tea is made of leaves and of hot water.\n"})
    blog.ingest()
    assert "3 posts" in told(blog.index, mode)


def states(folder: Path) -> Iterator[tuple[Path, str]]:
    """Indexes that say nothing of themselves, and what a client is told of each."""
    yield folder / "none", NO_INDEX
    (folder / "broken" / "CURRENT").mkdir(parents=True)
    yield folder / "broken", UNKNOWN
    silent = made(folder / "silent", POSTS)
    [overview] = silent.index.rglob("overview.json")
    overview.unlink()
    yield silent.index, UNKNOWN


def test_an_index_that_says_nothing_of_itself_is_still_served(tmp_path: Path) -> None:
    for index, about in states(tmp_path):
        assert told(index) == f"{about} {HOW}"


def test_names_of_a_large_blog_are_counted_and_begin_no_line(tmp_path: Path) -> None:
    posts = {
        f"{'部落格的分類' * 5}{n}/a.md": f'---\ntags: ["{"標籤" * 5}{n}", "a\\nb{n}"]\n---\nA.\n'
        for n in range(100)
    }
    said = told(made(tmp_path, posts).index)
    assert "100 posts" in said
    assert " more. " in said
    assert said.endswith(HOW)
    assert "\n" not in said
