"""What a server does at its start: nothing heavy before its first reply, all of it after."""

from __future__ import annotations

from tests.support.python import output_of

HEAVY = """
import sys
from blog_search_mcp import __main__
after_main = set(sys.modules)
from pathlib import Path
import anyio
from mcp import Client
from blog_search_mcp.server.engine import engine_for
from blog_search_mcp.server.settings import Settings
from blog_search_mcp.server.cli import ask
from blog_search_mcp.server.http import serve as http
from blog_search_mcp.server.mcp import stdio

async def list_tools():
    settings = Settings(Path("index"), "")
    server = stdio.build_server(engine_for(settings))
    async with Client(server) as client:
        await client.list_tools()

anyio.run(list_tools)
heavy = {"numpy", "faiss", "tantivy", "onnxruntime", "tokenizers", "ollama"}
heavy.add("blog_search_mcp.index.reader")
print(sorted(heavy & set(sys.modules)), "mcp" in after_main)
"""


def test_nothing_heavy_is_imported_before_the_first_reply() -> None:
    assert output_of(HEAVY) == "[] False\n"
