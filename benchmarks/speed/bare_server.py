"""A minimal server with two tools on the same SDK: the floor for starting and reading.

Run as a script, it serves over stdin and stdout until they end. `echo` returns its argument, and
`imports` imports the libraries of a search.
"""

import os
from importlib import import_module
from typing import Any

import anyio
import anyio.to_thread
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
)

_SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}}
TOOLS = [Tool(name=name, description=name, input_schema=_SCHEMA) for name in ("echo", "imports")]


async def _list(_context: Any, _params: PaginatedRequestParams | None) -> ListToolsResult:
    return ListToolsResult(tools=TOOLS)


async def _call(_context: Any, params: CallToolRequestParams) -> CallToolResult:
    if params.name == "imports":
        for name in ("faiss", "tantivy", "onnxruntime"):
            await anyio.to_thread.run_sync(import_module, name)
    text = str((params.arguments or {}).get("text", ""))
    return CallToolResult(content=[TextContent(text=text)])


async def _serve() -> None:
    server: Server[Any] = Server("bare", version="1", on_list_tools=_list, on_call_tool=_call)
    async with stdio_server() as (requests, replies):
        await server.run(requests, replies, server.create_initialization_options())


if __name__ == "__main__":
    anyio.run(_serve)
    os._exit(0)
