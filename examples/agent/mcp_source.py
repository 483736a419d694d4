"""Tools over MCP: a server's command or address comes in, a source of its tools goes out.

Nothing here knows what the tools are: whatever the server lists, the model is offered.
"""

from __future__ import annotations

from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any

import httpx2
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CONNECTION_CLOSED, TextContent

from examples.agent.conversation import AgentError, Call, Tool, ToolResult

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

GONE = "The connection to the MCP server was lost. See what its log says, and ask again."


class McpSource:
    """The tools of one connected server."""

    def __init__(self, client: Client) -> None:
        """Take a client that is connected."""
        self._client = client

    async def tools(self) -> Sequence[Tool]:
        """List them. Raises AgentError."""
        try:
            listed = await self._client.list_tools()
        except MCPError as error:
            raise AgentError(f"The MCP server lists no tools: {error.message}") from error
        return [Tool(tool.name, tool.description or "", tool.input_schema) for tool in listed.tools]

    async def call(self, call: Call) -> ToolResult:
        """Make one call; errors of the tool and of the protocol are results alike.

        Raises AgentError if the connection is gone.
        """
        try:
            result = await self._client.call_tool(call.tool, dict(call.arguments))
        except MCPError as error:
            if error.code == CONNECTION_CLOSED:
                raise AgentError(GONE) from error
            return ToolResult((error.message,), is_error=True)
        texts = tuple(block.text for block in result.content if isinstance(block, TextContent))
        return ToolResult(texts, bool(result.is_error))


@asynccontextmanager
async def connected(server: StdioServerParameters | str, token: str) -> AsyncIterator[McpSource]:
    """Connect to a server, started by a command or listening at a URL. Raises AgentError.

    `token` goes to a URL as its bearer token, unless it is empty.
    """
    async with AsyncExitStack() as stack:
        try:
            client = await stack.enter_async_context(await _client(server, token, stack))
        except* (MCPError, OSError, httpx2.HTTPError) as group:
            raise AgentError(_unreachable(server, token, _first(group))) from group
        yield McpSource(client)


async def _client(server: StdioServerParameters | str, token: str, stack: AsyncExitStack) -> Client:
    if not isinstance(server, str) or not token:
        return Client(server)
    headers = {"Authorization": f"Bearer {token}"}
    http = await stack.enter_async_context(httpx2.AsyncClient(headers=headers))
    return Client(streamable_http_client(server, http_client=http))


def _unreachable(server: StdioServerParameters | str, token: str, why: BaseException) -> str:
    if not isinstance(server, str):
        return f"The MCP server {server.command} does not start: {why}."
    hint = "" if token else " If it wants a token, set BLOG_SERVER_TOKEN."
    return f"No MCP server answers at {server}: {str(why).rstrip('.')}.{hint}"


def _first(group: BaseExceptionGroup[Any]) -> BaseException:
    error = group.exceptions[0]
    return _first(error) if isinstance(error, BaseExceptionGroup) else error
