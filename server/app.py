"""The MCP server: a Searcher comes in, an SDK server that lists and calls two tools goes out.

The low-level server is used because the high-level one words argument errors itself and
wraps text in structured content. All failures pass one place, `answer`.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio.to_thread
from mcp import MCPError
from mcp.server.lowlevel import Server
from mcp.types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
)

from index.errors import BlogSearchError, NotInIndex, UsageError
from server import NAME, VERSION
from server.arguments import encodable
from server.definitions import READ, SEARCH
from server.instructions import instructions
from server.privacy import for_clients
from server.read_tool import read_chunk
from server.search_tool import search_blog

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mcp.server import ServerRequestContext
    from mcp.server.context import CallNext, HandlerResult, ServerMiddleware

    from server.engine import Searcher, Served

    RunTool = Callable[[Searcher, Mapping[str, Any]], CallToolResult]

log = logging.getLogger(__name__)

FIRST_REQUESTS = {"initialize", "server/discover"}

TOOLS = {SEARCH.name: search_blog, READ.name: read_chunk}


def build_server(searcher: Served) -> Server[Any]:
    """Build the server over `searcher`, for any transport. Tools run in worker threads."""

    async def list_tools(
        _context: ServerRequestContext[Any], _params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        return ListToolsResult(tools=[SEARCH, READ])

    async def call_tool(
        _context: ServerRequestContext[Any], params: CallToolRequestParams
    ) -> CallToolResult:
        tool = TOOLS.get(params.name)
        if tool is None:
            raise MCPError(INVALID_PARAMS, _unknown_tool(params.name))
        call = partial(answer, tool, searcher, params.arguments or {})
        return await anyio.to_thread.run_sync(call, abandon_on_cancel=True)

    server = Server(NAME, version=VERSION, on_list_tools=list_tools, on_call_tool=call_tool)
    server.middleware.append(_instructed(searcher))
    return server


def _instructed(searcher: Served) -> ServerMiddleware[Any]:
    """Put the instructions into the first reply of either era, as the index is at that moment."""

    async def middleware(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        result = await call_next(ctx)
        if ctx.method in FIRST_REQUESTS and isinstance(result, dict):
            return {**result, "instructions": instructions(searcher.folder)}
        return result

    return middleware


def answer(tool: RunTool, searcher: Searcher, given: Mapping[str, Any]) -> CallToolResult:
    """Return the tool's result, or its failure as a sentence the model can act on."""
    try:
        return tool(searcher, given)
    except (UsageError, NotInIndex) as error:  # quotes what the client itself sent
        return _failure(str(error))
    except BlogSearchError as error:
        return _failure(for_clients(str(error)))
    except Exception:  # the SDK would put the exception's own words on the wire
        log.exception("A tool failed.")
        return _failure("Internal error; the server's log has the details.")


def _failure(sentence: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=encodable(sentence))], is_error=True)


def _unknown_tool(name: str) -> str:
    return encodable(f"Unknown tool {name[:80]!r}; this server has {' and '.join(TOOLS)}.")
