"""`blog-search-mcp ask`: one query through a real MCP client, over stdio, to a server of our own.

It does what any client does, to see that all of it works: search_blog, then read_chunk of the
best hit. The client knows the server by its protocol alone.
"""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from typing import Any

import anyio
from mcp import Client, MCPError, StdioServerParameters
from mcp.types import CallToolResult, TextContent
from rich.console import Console
from rich.text import Text

from blog_search_mcp.server.cli.display import console, show_page
from blog_search_mcp.server.cli.terminal import escape_controls, tell, with_folders
from blog_search_mcp.server.format.results import PageFacts, page_from_wire
from blog_search_mcp.server.settings import Settings, index_arguments


class FailedError(Exception):
    """The server answered with an error, or found nothing; the message is its sentence."""


def ask(settings: Settings, question: str) -> int:
    """Print the hits and the best one's text; returns the exit status, 1 if there is none.

    Printed only once the server has ended: a reader who closes the pipe early then ends
    the printing and nothing else.
    """
    replies: list[tuple[PageFacts, str, str]] = []
    try:
        replies.append(anyio.run(_converse, server_command(settings), question))
    except* (FailedError, MCPError, OSError) as group:
        for error in _leaves(group):
            tell(str(error), settings)
    for page, text, place in replies:
        notice = with_folders(page.notice or "", settings) or None
        show_reply(console(), replace(page, notice=notice), text, place)
    return 0 if replies else 1


def show_reply(console: Console, page: PageFacts, text: str, place: str) -> None:
    """Print hits and the best one's text and place, in one piece: `head` may end in the middle."""
    with console:
        show_page(console, page)
        console.print(Text(f"\n{escape_controls(text)}\n"), soft_wrap=True)
        console.print(Text(escape_controls(place), "dim"), soft_wrap=True)


def server_command(settings: Settings) -> StdioServerParameters:
    """Return how a client starts this server, whatever modules lie in the current folder.

    Of the environment the SDK hands on six variables, and a token or a key is none of them.
    """
    return StdioServerParameters(
        command=sys.executable,
        args=[
            *("-P", "-m", "blog_search_mcp.server"),
            *index_arguments(settings),
        ],
        env=dict(os.environ),
    )


async def _converse(command: StdioServerParameters, question: str) -> tuple[PageFacts, str, str]:
    async with Client(command) as client:
        reply = await client.call_tool("search_blog", {"query": question})
        _texts(reply)  # raises if it failed
        page = page_from_wire(reply.structured_content or {})
        if not page.results:
            raise FailedError(page.notice)
        best = page.results[0]
        place = {"source": best.source, "chunk_index": best.chunk_index}
        text, where = _texts(await client.call_tool("read_chunk", place))
        return page, text, where


def _texts(result: CallToolResult) -> list[str]:
    texts = [block.text for block in result.content if isinstance(block, TextContent)]
    if result.is_error:
        raise FailedError(" ".join(texts))
    return texts


def _leaves(group: BaseExceptionGroup[Any]) -> list[BaseException]:
    found: list[BaseException] = []
    for error in group.exceptions:
        found += _leaves(error) if isinstance(error, BaseExceptionGroup) else [error]
    return found
