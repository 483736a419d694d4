"""The MCP server over one index, for any transport.

The low-level server of the SDK is used because the high-level one words argument errors itself
and wraps text in structured content. All failures of tools pass one place, `run_tool`.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import anyio.to_thread
from mcp.server import ServerRequestContext
from mcp.server.context import CallNext, HandlerResult, ServerMiddleware
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.types import (
    CallToolRequestParams,
    CallToolResult,
    EmptyResult,
    ListToolsResult,
    NotificationParams,
    PaginatedRequestParams,
    ServerCapabilities,
    SubscribeRequestParams,
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

STREAMS = 16
"""One client needs one stream; on stdio each takes one of the places of `in_flight`."""
CHANGING = NotificationOptions(resources_changed=True)
READ_ONLY = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
FIRST_REQUESTS = {"initialize", "server/discover"}


class CallLog(Protocol):
    """What notes each call of a tool. Safe for concurrent use."""

    def log_call(
        self, tool: str, arguments: Mapping[str, Any], reply: ToolReply, seconds: float
    ) -> None:
        """Note a call that has been done, and how long it took."""


class BlogServer(Server[Any]):
    """The SDK's server, which also declares that the list of resources changes."""

    notifier: ChangeNotifier

    def create_initialization_options(
        self, notification_options: NotificationOptions | None = None, *given: Any, **named: Any
    ) -> InitializationOptions:
        """Answer `initialize`; a transport of the SDK's own asks for this without options."""
        return super().create_initialization_options(
            notification_options or CHANGING, *given, **named
        )

    def get_capabilities(self, *given: Any, **named: Any) -> ServerCapabilities:
        """Say that the tools stay: for 2026-07-28 the SDK says of all lists that they change."""
        found = super().get_capabilities(*given, **named)
        return found.model_copy(update={"tools": ToolsCapability(list_changed=False)})


@dataclass(frozen=True, slots=True)
class _ToolHandlers:
    """The handlers of requests for tools."""

    searcher: Engine
    tools: Tools
    logs: Sequence[CallLog]

    async def list_tools(
        self, _context: ServerRequestContext[Any], _params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        """List the tools that are offered."""
        return ListToolsResult(tools=[describe_tool(tool) for tool in self.tools])

    async def call_tool(
        self, _context: ServerRequestContext[Any], params: CallToolRequestParams
    ) -> CallToolResult:
        """Run a tool in a worker thread. Raises MCPError for one that is not offered."""
        tool = next((tool for tool in self.tools if tool.name == params.name), None)
        if tool is None:
            names = " and ".join(tool.name for tool in self.tools)
            raise invalid_params(f"Unknown tool {params.name[:80]!r}; this server has {names}.")
        arguments = params.arguments or {}
        call = partial(self._run_and_log, tool, arguments)
        reply = await anyio.to_thread.run_sync(call, abandon_on_cancel=True)
        return CallToolResult(
            content=[TextContent(text=text) for text in reply.texts],
            structured_content=reply.facts,
            is_error=reply.is_error,
        )

    def _run_and_log(self, tool: Tool[Any], arguments: Mapping[str, Any]) -> ToolReply:
        began = time.perf_counter()
        reply = run_tool(tool, self.searcher, arguments)
        seconds = time.perf_counter() - began
        for log in self.logs:
            log.log_call(tool.name, arguments, reply, seconds)
        return reply


def build_server(
    searcher: Engine,
    tools: Tools = CORE,
    logs: Sequence[CallLog] = (),
    streams: int = STREAMS,
) -> BlogServer:
    """Build the server over `searcher`, for any transport. Tools run in worker threads.

    Each call is noted in `logs`. `streams` is how many `subscriptions/listen` may be open at a
    time, of all clients.
    """
    handlers = _ToolHandlers(searcher, tools, logs)
    prompts = offered_prompts(tools)
    notifier = ChangeNotifier(searcher.status, streams)
    read = in_thread(partial(read_resource, searcher))

    async def subscribe(
        context: ServerRequestContext[Any], params: SubscribeRequestParams
    ) -> EmptyResult:
        await read(context, params)  # to refuse what does not exist
        return await notifier.subscribe(context, params)

    server = BlogServer(
        NAME,
        version=VERSION,
        lifespan=notifier.lifespan,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=in_thread(partial(list_resources, searcher)),
        on_list_resource_templates=in_thread(list_templates),
        on_read_resource=read,
        on_subscribe_resource=subscribe,
        on_unsubscribe_resource=notifier.unsubscribe,
        on_subscriptions_listen=notifier.listen,
        on_list_prompts=in_thread(partial(list_prompts, prompts)),
        on_get_prompt=in_thread(partial(get_prompt, prompts)),
        on_completion=in_thread(partial(complete, searcher, prompts)),
    )
    server.notifier = notifier
    server.add_notification_handler(
        "notifications/initialized", NotificationParams, notifier.connected
    )
    server.middleware.append(_add_instructions(searcher))
    return server


def _add_instructions(searcher: Engine) -> ServerMiddleware[Any]:
    """Put the instructions into the first reply of either era, as the index is at that moment."""

    async def middleware(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        result = await call_next(ctx)
        if ctx.method in FIRST_REQUESTS and isinstance(result, dict):
            about = await anyio.to_thread.run_sync(
                instructions, searcher.status, abandon_on_cancel=True
            )
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
