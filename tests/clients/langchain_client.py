"""langchain-mcp-adapters: a connection as JSON comes in, what its tools answered goes out.

Run by the Python that `make clients` installs, with the connection and the search as arguments.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from langchain_mcp_adapters.client import MultiServerMCPClient


async def report(connection: dict[str, Any], search: dict[str, Any]) -> dict[str, Any]:
    """Load the tools, search, and read the best hit."""
    transport = "streamable_http" if "url" in connection else "stdio"
    client = MultiServerMCPClient({"blog": {"transport": transport, **connection}})
    tools = {tool.name: tool for tool in await client.get_tools()}
    found = await tools["search_blog"].ainvoke(search)
    best = json.loads(_texts(found)[0])["results"][0]
    place = {"source": best["source"], "chunk_index": best["chunk_index"]}
    read = await tools["read_chunk"].ainvoke(place)
    return {"tools": list(tools), "hit": place, "text": _texts(read)[0]}


def _texts(content: str | list[Any]) -> list[str]:
    blocks = [content] if isinstance(content, str) else content
    return [block if isinstance(block, str) else block["text"] for block in blocks]


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asyncio.run(report(*map(json.loads, sys.argv[1:])))))
