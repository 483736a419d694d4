"""What a start and a run over unchanged posts import: nothing heavy."""

import os
from pathlib import Path

from tests.support.python import output_of

HEAVY = {"faiss", "tantivy", "numpy", "onnxruntime", "tokenizers", "markdown_it", "yaml"}
INGEST_AND_TELL = f"""
import sys
from blog_search_mcp.cli import run
status = run(sys.argv[1:])
print(status, {HEAVY} & set(sys.modules))
"""


def test_an_ingest_of_unchanged_posts_imports_nothing_heavy(tmp_path: Path) -> None:
    post = tmp_path / "content" / "a.md"
    post.parent.mkdir()
    post.write_text("# Soup\n\nA leek.\n", encoding="utf-8")
    a_minute_ago = post.stat().st_mtime - 60
    os.utime(post, (a_minute_ago, a_minute_ago))
    words = (post.parent, "--index", tmp_path / "index", "--embedder", "embedded")
    last = [output_of(INGEST_AND_TELL, "ingest", *words).splitlines()[-1] for _ in range(2)]
    assert last[0] != "0 set()"
    assert last[1] == "0 set()"


LIST_TOOLS = """
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
print(sorted(heavy & set(sys.modules)), "mcp" in after_main)
"""


def test_a_server_imports_nothing_heavy_before_its_first_reply() -> None:
    assert output_of(LIST_TOOLS) == "[] False\n"
