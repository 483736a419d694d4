"""`blog-search-mcp ask`: one query through a real MCP client, over stdio, to a server of our own.

It does what any client does, to see that all of it works: search_blog, then read_chunk of the
best hit. The client knows the server by its protocol alone.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any

import anyio
from mcp import Client, MCPError, StdioServerParameters
from mcp.types import CallToolResult, TextContent
from rich.console import Console
from rich.text import Text

from blog_search_mcp.server.cli.display import make_console, show_page
from blog_search_mcp.server.cli.terminal import escape_controls, tell, with_folders
from blog_search_mcp.server.settings import Settings, index_arguments


def ask(settings: Settings, question: str) -> int:
    """Print the hits and the best one's text; returns the exit status, 1 if there is none."""
    try:
        replies = anyio.run(_search_and_read, settings, question)
    except Exception as error:
        cause = error
        while isinstance(cause, ExceptionGroup):
            cause = cause.exceptions[0]
        if not isinstance(cause, MCPError | OSError):
            raise
        tell(str(cause), settings)
        return 1
    page = replies[0].structured_content or {}
    texts = [block.text for block in replies[-1].content if isinstance(block, TextContent)]
    if replies[-1].is_error or not page["results"]:
        tell(page.get("notice") or " ".join(texts), settings)
        return 1
    notice = with_folders(page.get("notice", ""), settings)
    show_reply(make_console(), {**page, "notice": notice}, *texts)
    return 0


def show_reply(console: Console, page: Mapping[str, Any], text: str, place: str) -> None:
    """Print hits and the best one's text and place, in one piece: `head` may end in the middle."""
    with console:
        show_page(console, {**page, "hits": page["results"]})
        console.print(Text(f"\n{escape_controls(text)}\n"), soft_wrap=True)
        console.print(Text(escape_controls(place), "dim"), soft_wrap=True)


async def _search_and_read(settings: Settings, question: str) -> list[CallToolResult]:
    """Return the reply to a search, and that to reading its best hit if there is one.

    The server is started whatever modules lie in the current folder. Of the environment the SDK
    hands on six variables, and a token or a key is none of them.
    """
    arguments = ["-P", "-m", "blog_search_mcp.server", *index_arguments(settings)]
    server = StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ))
    async with Client(server) as client:
        replies = [await client.call_tool("search_blog", {"query": question})]
        for best in (replies[0].structured_content or {}).get("results", [])[:1]:
            place = {"source": best["source"], "chunk_index": best["chunk_index"]}
            replies.append(await client.call_tool("read_chunk", place))
    return replies
