"""The extended tools over a real index, and how a connected client learns of them."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from mcp import Client, MCPError
from mcp.client.subscriptions import ToolsListChanged
from mcp.types import CallToolResult, TextContent

from blog_search_mcp.server.engine import Engine, IndexFolder
from blog_search_mcp.server.protocol import subscriptions
from blog_search_mcp.server.protocol.app import build_server
from blog_search_mcp.server.tools import get_outline as outline_tool
from blog_search_mcp.server.tools import list_posts as list_tool
from blog_search_mcp.server.tools.registry import Toolset
from tests.support.server_fixtures import FixedSearcher
from tests.support.wire import HANDSHAKE, wire

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.blog import Blog, MakeBlog

pytestmark = pytest.mark.anyio

CORE = ["search_blog", "read_chunk"]
EXTENDED = [*CORE, "list_posts", "get_outline"]
SOUP = """---
title: Onion soup
date: 2025-03-04
tags: [soup, winter]
description: A soup of onions.
---
Boil an onion in water and add some salt.

## Stock

Bones simmer for hours until the stock is dark.

### Cooling

Let the stock cool down before it is put away.
"""
POSTS = {
    "soup/onion.md": SOUP,
    "soup/leek.md": "---\ntitle: Leek\ndate: 2024-01-01\n---\nBoil a leek.\n",
    "bread.md": "---\ntitle: Bread\n---\nBake some bread.\n",
}
ONION = {
    "source": "soup/onion.md",
    "title": "Onion soup",
    "date": "2025-03-04",
    "tags": ["soup", "winter"],
}
LEEK = {"source": "soup/leek.md", "title": "Leek", "date": "2024-01-01"}
BREAD = {"source": "bread.md", "title": "Bread"}


async def called(made: Blog, tool: str, given: dict[str, Any]) -> CallToolResult:
    server = build_server(Engine(made.follow, IndexFolder(made.index)), Toolset(extended=True))
    async with Client(server) as client:
        return await client.call_tool(tool, given)


def text_of(result: CallToolResult) -> str:
    [block] = result.content
    assert isinstance(block, TextContent)
    return block.text


@pytest.mark.parametrize(
    ("given", "posts", "total"),
    [
        ({}, [ONION, LEEK, BREAD], 3),
        ({"order": "title"}, [BREAD, LEEK, ONION], 3),
        ({"section": "soup", "order": "oldest"}, [LEEK, ONION], 2),
        ({"tag": "Winter"}, [ONION], 1),
        ({"after": "2024-02", "before": None}, [ONION], 1),
        ({"before": "2024"}, [LEEK], 1),
    ],
)
async def test_posts_are_listed_as_asked(
    given: dict[str, Any], posts: list[dict[str, Any]], total: int, blog: MakeBlog
) -> None:
    result = await called(blog(POSTS), "list_posts", given)
    assert result.structured_content == {
        "posts": posts,
        "total": total,
        "offset": 0,
        "has_more": False,
        "next_offset": None,
    }


async def test_a_list_goes_on_where_its_page_ends(blog: MakeBlog) -> None:
    made = blog(POSTS)
    first = (await called(made, "list_posts", {"limit": 2})).structured_content
    assert first is not None
    assert (first["posts"], first["has_more"], first["next_offset"]) == ([ONION, LEEK], True, 2)
    rest = (await called(made, "list_posts", {"limit": 2, "offset": 2})).structured_content
    assert rest is not None
    assert (rest["posts"], rest["has_more"], rest["next_offset"]) == ([BREAD], False, None)


async def test_a_page_that_is_too_long_ends_earlier(
    blog: MakeBlog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(list_tool, "ANSWER", 200)
    page = (await called(blog(POSTS), "list_posts", {})).structured_content
    assert page is not None
    assert (page["posts"], page["has_more"], page["next_offset"]) == ([ONION], True, 1)


@pytest.mark.parametrize(
    ("given", "notice"),
    [
        ({"tag": "none"}, "No post passes these filters. Leave some out."),
        ({"offset": 7}, "offset 7 is past the last post: 3 in all, from 0."),
    ],
)
async def test_an_empty_page_says_why(given: dict[str, Any], notice: str, blog: MakeBlog) -> None:
    page = (await called(blog(POSTS), "list_posts", given)).structured_content
    assert page is not None
    assert (page["posts"], page["notice"]) == ([], notice)


async def test_an_order_that_is_none_is_refused(blog: MakeBlog) -> None:
    result = await called(blog(POSTS), "list_posts", {"order": "best"})
    assert (result.is_error, text_of(result)) == (
        True,
        "order must be 'newest', 'oldest' or 'title', got 'best'.",
    )


async def test_an_outline_has_a_line_for_each_section(blog: MakeBlog) -> None:
    long = SOUP.replace("Bones", "They simmer.\n\n" * 300).replace("Let", "Wait.\n\n" * 300)
    said = text_of(await called(blog({"a.md": long}), "get_outline", {"source": "a.md"}))
    head, body = said.split("\n\n")
    lines = [line.split("  ") for line in body.splitlines()]
    assert head.splitlines() == [
        "title: Onion soup",
        "source: a.md",
        "date: 2025-03-04",
        "tags: soup, winter",
        "description: A soup of onions.",
        f"chunks: {int(lines[-1][0].split('-')[-1]) + 1}",
    ]
    assert [heading for _, heading, _ in lines] == ["(beginning)", "Stock", "Stock > Cooling"]
    assert lines[0][0] == "0"
    assert lines[1][0].startswith("1-")
    assert lines[0][2] == "lines 7-7"


async def test_an_outline_that_is_too_long_says_what_is_left(
    blog: MakeBlog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outline_tool, "ANSWER", 0)
    monkeypatch.setattr(outline_tool, "NOTE", 0)
    said = text_of(await called(blog(POSTS), "get_outline", {"source": "bread.md"}))
    assert said.endswith("\n\n[Sections left out: 1]")


async def test_an_outline_of_no_post_names_the_nearest(blog: MakeBlog) -> None:
    result = await called(blog(POSTS), "get_outline", {"source": "onion.md"})
    assert result.is_error
    assert "Nearest: soup/onion.md" in text_of(result)


async def test_a_tool_that_is_not_offered_is_unknown(blog: MakeBlog) -> None:
    server = build_server(Engine(blog(POSTS).follow, FixedSearcher().folder))
    async with Client(server) as client:
        with pytest.raises(MCPError) as refused:
            await client.call_tool("list_posts", {})
    assert (refused.value.code, refused.value.message) == (
        -32602,
        "Unknown tool 'list_posts'; this server has search_blog and read_chunk.",
    )


async def test_a_client_that_listens_hears_of_the_other_tools(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(subscriptions, "PAUSE", 0.01)
    toolset = Toolset()
    async with (
        Client(build_server(FixedSearcher(), toolset)) as client,
        client.listen(tools_list_changed=True) as heard,
    ):
        assert [tool.name for tool in (await client.list_tools()).tools] == CORE
        toolset.switch()
        with anyio.fail_after(30):
            assert await anext(heard) == ToolsListChanged()
        assert [tool.name for tool in (await client.list_tools()).tools] == EXTENDED


@pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="there are no signals to send here")
def test_a_signal_switches_the_tools_of_a_connected_client(tmp_path: Path) -> None:
    with wire(tmp_path, "-m", "blog_search_mcp.server", "--toolset", "extended") as server:
        opened = server.ask(1, "initialize", HANDSHAKE)
        assert opened["result"]["capabilities"]["tools"] == {"listChanged": True}
        server.send('{"jsonrpc":"2.0","method":"notifications/initialized"}')
        listed = server.ask(2, "tools/list", {})["result"]["tools"]
        assert [tool["name"] for tool in listed] == EXTENDED
        server.process.send_signal(signal.SIGUSR1)
        assert server.reply()["method"] == "notifications/tools/list_changed"
        listed = server.ask(3, "tools/list", {})["result"]["tools"]
        assert [tool["name"] for tool in listed] == CORE
        assert server.rest() == (b"", b"")
