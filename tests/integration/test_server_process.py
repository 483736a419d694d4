"""The server as clients meet it: a process of its own, over stdio and a real index."""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult, TextContent

from tests.support.faults.server_process import MODERN, Process
from tests.support.paths import ROOT
from tests.support.served import KV, POSTS, indexed

ERAS = pytest.mark.parametrize("mode", ["auto", "legacy"])


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return indexed(tmp_path_factory.mktemp("blog"), POSTS)


def server_over(index: Path) -> StdioServerParameters:
    arguments = ["-m", "blog_search_mcp", "serve", "--index", str(index)]
    return StdioServerParameters(command=sys.executable, args=arguments, cwd=ROOT)


def text_of(result: CallToolResult) -> str:
    [block, *_] = result.content
    assert isinstance(block, TextContent)
    return block.text


@ERAS
@pytest.mark.anyio
async def test_the_five_stages_of_a_session(mode: str, index: Path) -> None:
    async with Client(server_over(index), mode=mode) as client:
        listed = await client.list_tools()
        assert [tool.name for tool in listed.tools] == ["search_blog", "read_chunk"]
        answer = await client.call_tool(
            "search_blog", {"query": "what is a KV cache?", "response_format": "json"}
        )
        assert answer.structured_content == json.loads(text_of(answer))
        best = answer.structured_content["results"][0]
        assert (best["source"], best["chunk_index"]) == ("inference/kv.md", 0)
        read = await client.call_tool("read_chunk", {"source": best["source"], "chunk_index": 0})
        assert text_of(read) in KV
        missed = await client.call_tool(
            "read_chunk", {"source": "inference/kvs.md", "chunk_index": 0}
        )
        assert missed.is_error
        assert "Nearest: inference/kv.md" in text_of(missed)


NOISY = """
import os
from blog_search_mcp import __main__
from blog_search_mcp.server.mcp import stdio
from tests.support.server_fixtures import FixedSearcher

class Noisy(FixedSearcher):
    def search(self, *given, **named):
        print("a library's banner", flush=True)
        os.write(1, b"and a C library's\\n")
        return super().search(*given, **named)
    def warm_up(self):
        pass

stdio.engine_for = lambda settings: Noisy()
__main__.main()
"""


def test_what_is_printed_while_serving_goes_to_stderr(tmp_path: Path) -> None:
    server = Process(tmp_path, MODERN, ("-c", NOISY))
    reply = server.call("search_blog", {"query": "cache", "response_format": "json"})
    assert len(reply["structuredContent"]["results"]) == 3
    status, printed, logged = server.rest()
    assert (status, printed) == (0, b"")
    assert logged.endswith(b"a library's banner\nand a C library's\n")


@pytest.mark.parametrize("number", [None, signal.SIGTERM, signal.SIGINT])
def test_the_server_ends_cleanly_and_at_once(number: int | None, index: Path) -> None:
    server = Process(index, MODERN)
    server.call("search_blog", {"query": "onion"})
    if number is None:
        server.close_input()
    else:
        server.signal(number)
    assert (server.status(), server.end()) == (0, b"")
