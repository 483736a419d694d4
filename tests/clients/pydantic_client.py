"""pydantic-ai's MCP client: a connection as JSON comes in, what its tools answered goes out.

Run by the Python that `make clients` installs, with the connection and the search as arguments.
The model is pydantic-ai's own function model, so that an agent's whole run is what is tried.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from fastmcp.client.transports import StdioTransport
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel


async def report(connection: dict[str, Any], search: dict[str, Any]) -> dict[str, Any]:
    """Let an agent search and read the best hit."""
    server = MCPToolset(connection["url"] if "url" in connection else StdioTransport(**connection))
    heard: dict[str, Any] = {}

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        heard["tools"] = [tool.name for tool in info.function_tools]
        returned = [part for part in messages[-1].parts if part.part_kind == "tool-return"]
        if not returned:
            return ModelResponse([ToolCallPart("search_blog", search)])
        if "hit" not in heard:
            best = returned[0].content["results"][0]
            heard["hit"] = {name: best[name] for name in ("source", "chunk_index")}
            return ModelResponse([ToolCallPart("read_chunk", heard["hit"])])
        heard["text"] = returned[0].content[0]
        return ModelResponse([TextPart("Done.")])

    await Agent(FunctionModel(model), toolsets=[server]).run("How is onion soup made?")
    return heard


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asyncio.run(report(*map(json.loads, sys.argv[1:])))))
