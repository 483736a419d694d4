"""The MCP server over one index, for any transport.

The low-level server of the SDK is used because the high-level one words argument errors itself.
Arguments, results and exceptions of tools it leaves unchecked: the tools check the first two, and
all failures pass one place, `run_tool`.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from mcp.server import ServerRequestContext
from mcp.server.context import CallNext, HandlerResult
from mcp.server.lowlevel import Server
from mcp.types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    TextContent,
    ToolAnnotations,
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
from blog_search_mcp.server.protocol.subscriptions import ChangeStreams
from blog_search_mcp.server.tools.base import Tool, ToolReply
from blog_search_mcp.server.tools.registry import CORE, Tools

if TYPE_CHECKING:
    from blog_search_mcp.server.usage import UsageLog

CALLS = 40
"""Calls of tools that run at a time; they leave the threads that answer all else alone."""
READ_ONLY = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
FIRST_REQUESTS = {"initialize", "server/discover"}


class BlogServer(Server[Any]):
    """The SDK's server, and the streams on which its clients are told of changes."""

    changes: ChangeStreams


def build_server(engine: Engine, tools: Tools = CORE, log: UsageLog | None = None) -> BlogServer:
    """Build the server over `engine`, for any transport.

    Tools run in worker threads, and each call of one is noted in `log`.
    """
    prompts = offered_prompts(tools)
    listed = ListToolsResult(tools=[describe_tool(tool) for tool in tools])
    changes = ChangeStreams(engine.stamp)
    server = BlogServer(
        NAME,
        version=VERSION,
        on_list_tools=in_thread(lambda *_: listed),
        on_call_tool=in_thread(partial(call_tool, engine, tools, log), CapacityLimiter(CALLS)),
        on_list_resources=in_thread(partial(list_resources, engine)),
        on_list_resource_templates=in_thread(list_templates),
        on_read_resource=in_thread(partial(read_resource, engine)),
        on_subscriptions_listen=changes,
        on_list_prompts=in_thread(partial(list_prompts, prompts)),
        on_get_prompt=in_thread(partial(get_prompt, prompts)),
        on_completion=in_thread(partial(complete, engine, prompts)),
    )
    server.changes = changes

    async def add_instructions(
        ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        """Put them into the first reply of either era, as the index is at that moment."""
        result = await call_next(ctx)
        if ctx.method in FIRST_REQUESTS and isinstance(result, dict):
            about = await run_sync(instructions, engine, abandon_on_cancel=True)
            # The tools stay; the SDK says of all lists that they change.
            capabilities = {**result["capabilities"], "tools": {"listChanged": False}}
            return {**result, "capabilities": capabilities, "instructions": about}
        return result

    server.middleware.append(add_instructions)
    return server


def call_tool(
    engine: Engine,
    tools: Tools,
    log: UsageLog | None,
    _context: ServerRequestContext[Any],
    params: CallToolRequestParams,
) -> CallToolResult:
    """Run a tool and note the call. Raises MCPError for one that is not offered."""
    tool = next((tool for tool in tools if tool.name == params.name), None)
    if tool is None:
        names = " and ".join(tool.name for tool in tools)
        raise invalid_params(f"Unknown tool {params.name[:80]!r}; this server has {names}.")
    began, arguments = time.perf_counter(), params.arguments or {}
    reply = run_tool(tool, engine, arguments)
    if log is not None:
        log.log_call(tool.name, arguments, reply, time.perf_counter() - began)
    return CallToolResult(
        content=[TextContent(text=text) for text in reply.texts],
        structured_content=reply.facts,
        is_error=reply.is_error,
    )


def run_tool(tool: Tool[Any], engine: Engine, arguments: Mapping[str, Any]) -> ToolReply:
    """Return the tool's reply, or its failure as a sentence the model can act on."""
    try:
        return tool.call(engine, arguments)
    except BaseException as error:  # a panic of Rust is no Exception
        return ToolReply((describe_failure(error),), is_error=True)


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
