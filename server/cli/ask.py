"""`blog-search-mcp ask`: one query through a real MCP client, over stdio, to a server of our own.

It does what any client does, to see that all of it works: search_blog, then read_chunk of the
best hit. The client knows the server by its protocol alone.
"""

from __future__ import annotations

import os
import sys

import anyio
import click
from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult, TextContent

from blog_search_mcp.server.cli.terminal import escape_controls, format_page, print_message
from blog_search_mcp.server.settings import Settings, index_arguments


def print_answer(settings: Settings, question: str) -> int:
    """Print the hits and the best one's text; returns the exit status, 1 if there is none."""
    replies = anyio.run(_search_and_read, settings, question)
    page = replies[0].structured_content or {}
    texts = [block.text for block in replies[-1].content if isinstance(block, TextContent)]
    if replies[-1].is_error or not replies[1:]:
        print_message(page.get("notice") or " ".join(texts), settings)
        return 1
    hits = format_page({"notice": "", **page, "hits": page["results"]})
    click.echo("\n".join([*hits, "", escape_controls("\n\n".join(texts))]))
    return 0


async def _search_and_read(settings: Settings, question: str) -> list[CallToolResult]:
    """Return the reply to a search, and that to reading its best hit if there is one.

    The server is started whatever modules lie in the current folder. Of the environment the SDK
    hands on six variables, and a token or a key is none of them.
    """
    arguments = ["-P", "-m", "blog_search_mcp", "serve", "--wait", *index_arguments(settings)]
    server = StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ))
    async with Client(server) as client:
        replies = [await client.call_tool("search_blog", {"query": question})]
        page = replies[0].structured_content or {}
        for best in page.get("results", [])[: page.get("confidence") != "low"]:
            place = {"source": best["source"], "chunk_index": best["chunk_index"]}
            replies.append(await client.call_tool("read_chunk", place))
    return replies
