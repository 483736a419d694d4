"""What a server does at its start: nothing heavy before its first reply, all of it after."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.python import output_of
from tests.support.wire import MODERN, wire

if TYPE_CHECKING:
    from pathlib import Path

HEAVY = """
import sys
from blog_search_mcp.server import __main__
after_main = set(sys.modules)
from pathlib import Path
import anyio
from mcp import Client
from blog_search_mcp.server.engine import engine_for
from blog_search_mcp.server.settings import Settings
from blog_search_mcp.server.cli import ask
from blog_search_mcp.server.http import serve as http
from blog_search_mcp.server.stdio import transport as stdio

async def list_tools():
    settings = Settings(Path("index"), "")
    server = stdio.server_for(settings, engine_for(settings))
    async with Client(server) as client:
        await client.list_tools()

anyio.run(list_tools)
heavy = {"numpy", "faiss", "tantivy", "onnxruntime", "tokenizers", "ollama"}
heavy.add("blog_search_mcp.index.reader")
print(sorted(heavy & set(sys.modules)), "mcp" in after_main)
"""


def test_nothing_heavy_is_imported_before_the_first_reply() -> None:
    assert output_of(HEAVY) == "[] False\n"


WARMED_UP = """
import gc
import sys
from blog_search_mcp.server import __main__
from blog_search_mcp.server.stdio import transport as stdio
from tests.support.server_fixtures import FixedSearcher
class Watched(FixedSearcher):
    def warm_up(self, then):
        before = gc.isenabled()
        then()
        print(before, gc.isenabled(), file=sys.stderr, flush=True)
stdio.engine_for = lambda settings: Watched()
__main__.main()
"""


def test_the_index_opens_by_itself_after_the_first_reply_only_once_and_garbage_is_collected_again(
    tmp_path: Path,
) -> None:
    with wire(tmp_path, "-c", WARMED_UP) as server:
        server.ask(1, "server/discover", MODERN)
        server.ask(2, "tools/list", MODERN)
        assert server.rest() == (b"", b"False True\n")
