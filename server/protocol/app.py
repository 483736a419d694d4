"""The MCP server over one index, for any transport.

The low-level server of the SDK is used because the high-level one words argument errors itself.
Arguments, results and exceptions of tools it leaves unchecked: the tools check the first two, and
all failures pass one place, `run_tool`.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from mcp.server import ServerRequestContext
from mcp.server.context import CallNext, HandlerResult, ServerMiddleware
from mcp.server.lowlevel import Server
from mcp.types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    ServerCapabilities,
    TextContent,
    ToolAnnotations,
    ToolsCapability,
)
from mcp.types import Tool as McpTool

from blog_search_mcp.server import NAME, VERSION
from blog_search_mcp.server.engine import Engine
from blog_search_mcp.server.format.results import describe_failure
from blog_search_mcp.server.protocol.completion import complete
from blog_search_mcp.server.protocol.errors import in_thread, invalid_params
from blog_search_mcp.server.protocol.instructions import instructions
from blog_search_mcp.server.protocol.prompts import get_prompt, list_prompts, offered_prompts
from blog_search_mcp.server.protocol.resources import list_resources, list_templates, read_resource
from blog_search_mcp.server.protocol.subscriptions import ChangeNotifier
from blog_search_mcp.server.tools.base import Tool, ToolReply
from blog_search_mcp.server.tools.registry import CORE, Tools

if TYPE_CHECKING:
    from blog_search_mcp.server.usage import UsageLog

STREAMS = 16
"""One client needs one stream; on stdio each takes one of the places of `in_flight`."""
CALLS = 40
"""Calls of tools that run at a time; they leave the threads that answer all else alone."""
READ_ONLY = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
FIRST_REQUESTS = {"initialize", "server/discover"}


class BlogServer(Server[Any]):
    """The SDK's server, and what notifies its clients."""

    notifier: ChangeNotifier

    def get_capabilities(self, *given: Any, **named: Any) -> ServerCapabilities:
        """Say that the tools stay: for 2026-07-28 the SDK says of all lists that they change."""
        capabilities = super().get_capabilities(*given, **named)
        return capabilities.model_copy(update={"tools": ToolsCapability(list_changed=False)})


def list_tools(
    tools: Tools, _context: ServerRequestContext[Any], _params: PaginatedRequestParams | None
) -> ListToolsResult:
    """List the tools that are offered."""
    return ListToolsResult(tools=[describe_tool(tool) for tool in tools])


def call_tool(
    searcher: Engine,
    tools: Tools,
    logs: Sequence[UsageLog],
    _context: ServerRequestContext[Any],
    params: CallToolRequestParams,
) -> CallToolResult:
    """Run a tool and note the call. Raises MCPError for one that is not offered."""
    tool = next((tool for tool in tools if tool.name == params.name), None)
    if tool is None:
        names = " and ".join(tool.name for tool in tools)
        raise invalid_params(f"Unknown tool {params.name[:80]!r}; this server has {names}.")
    began = time.perf_counter()
    reply = run_tool(tool, searcher, params.arguments or {})
    for log in logs:
        log.log_call(tool.name, params.arguments or {}, reply, time.perf_counter() - began)
    return CallToolResult(
        content=[TextContent(text=text) for text in reply.texts],
        structured_content=reply.facts,
        is_error=reply.is_error,
    )


def build_server(
    searcher: Engine,
    tools: Tools = CORE,
    logs: Sequence[UsageLog] = (),
    streams: int = STREAMS,
) -> BlogServer:
    """Build the server over `searcher`, for any transport. Tools run in worker threads.

    Each call is noted in `logs`. `streams` is how many `subscriptions/listen` may be open at a
    time, of all clients.
    """
    call = partial(call_tool, searcher, tools, logs)
    prompts = offered_prompts(tools)
    notifier = ChangeNotifier(searcher.status, streams)
    server = BlogServer(
        NAME,
        version=VERSION,
        lifespan=notifier.lifespan,
        on_list_tools=in_thread(partial(list_tools, tools)),
        on_call_tool=in_thread(call, CapacityLimiter(CALLS)),
        on_list_resources=in_thread(partial(list_resources, searcher)),
        on_list_resource_templates=in_thread(list_templates),
        on_read_resource=in_thread(partial(read_resource, searcher)),
        on_subscriptions_listen=notifier.listen,
        on_list_prompts=in_thread(partial(list_prompts, prompts)),
        on_get_prompt=in_thread(partial(get_prompt, prompts)),
        on_completion=in_thread(partial(complete, searcher, prompts)),
    )
    server.notifier = notifier
    server.middleware.append(_add_instructions(searcher))
    return server


def _add_instructions(searcher: Engine) -> ServerMiddleware[Any]:
    """Put the instructions into the first reply of either era, as the index is at that moment."""

    async def middleware(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        result = await call_next(ctx)
        if ctx.method in FIRST_REQUESTS and isinstance(result, dict):
            about = await run_sync(instructions, searcher.status, abandon_on_cancel=True)
            return {**result, "instructions": about}
        return result

    return middleware


def describe_tool(tool: Tool[Any]) -> McpTool:
    """Write a tool as a client lists it.

    There is no output schema: it would double the size, and clients turn a mismatch into an
    error.
    """
    return McpTool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.input_schema,
        annotations=READ_ONLY,
    )


def run_tool(tool: Tool[Any], searcher: Engine, arguments: Mapping[str, Any]) -> ToolReply:
    """Return the tool's reply, or its failure as a sentence the model can act on."""
    try:
        return tool.call(searcher, arguments)
    except BaseException as error:  # a panic of Rust is no Exception
        return ToolReply((describe_failure(error),), is_error=True)
