"""`blog-search-mcp ask`: start a server, and query it over stdio as any MCP client does.

The command calls search_blog, then read_chunk for the best hit, to test the whole chain.
"""

import os
import sys

import anyio
import click
from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult, TextContent

from blog_search_mcp.index.stores import open_store
from blog_search_mcp.server.cli.terminal import escape_controls, format_page, print_message
from blog_search_mcp.server.settings import Settings, index_arguments


def print_answer(settings: Settings, question: str) -> int:
    """Print the hits and the best one's text, or else a message. Return the exit status.

    It is 1 if no text was read. Without an index, raises IndexProblem before a server starts.
    """
    open_store(settings.index).current_number()
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
    """Return the reply of search_blog and, unless confidence is low, of read_chunk for the best.

    `-P` keeps modules of the current folder from being imported. The whole environment is passed
    on, since the SDK's default selection lacks the tokens and keys that a server may need.
    """
    arguments = ["-P", "-m", "blog_search_mcp", "serve", "--wait", *index_arguments(settings)]
    server = StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ))
    async with Client(server) as client:
        search = {"query": question, "response_format": "json"}
        replies = [await client.call_tool("search_blog", search)]
        page = replies[0].structured_content or {}
        for best in page.get("results", [])[: page.get("confidence") != "low"]:
            place = {"source": best["source"], "chunk_index": best["chunk_index"]}
            replies.append(await client.call_tool("read_chunk", place))
    return replies
