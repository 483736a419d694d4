"""The server as clients meet it: a process of its own, over stdio and a real index."""

from __future__ import annotations

import json
import signal
import sys
from typing import TYPE_CHECKING

import anyio
import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.types import CallToolResult, TextContent

from tests.support.paths import ROOT
from tests.support.served import KV, POSTS, SOUP, indexed, ingest, write
from tests.support.wire import LISTEN, MODERN, TOLD, wire

if TYPE_CHECKING:
    from pathlib import Path

ERAS = pytest.mark.parametrize("mode", ["auto", "legacy"])


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return indexed(tmp_path_factory.mktemp("blog"), POSTS)


def server_over(index: Path) -> StdioServerParameters:
    arguments = ["-m", "blog_search_mcp.server", "--index", str(index)]
    return StdioServerParameters(command=sys.executable, args=arguments, cwd=ROOT)


def text_of(result: CallToolResult) -> str:
    [block, *_] = result.content
    assert isinstance(block, TextContent)
    return block.text


@ERAS
@pytest.mark.anyio
async def test_the_five_stages_of_a_session(mode: str, index: Path) -> None:
    async with Client(server_over(index), mode=mode) as client:
        assert client.server_info is not None
        assert client.server_info.name == "blog_mcp"

        listed = await client.list_tools()
        assert [tool.name for tool in listed.tools] == ["search_blog", "read_chunk"]

        found = await client.call_tool("search_blog", {"query": "what is a KV cache?"})
        assert found.structured_content == json.loads(text_of(found))
        best = found.structured_content["results"][0]
        assert (best["source"], best["chunk_index"]) == ("inference/kv.md", 0)
        assert (best["title"], best["date"]) == ("What is a KV cache?", "2025-03-04")

        read = await client.call_tool("read_chunk", {"source": best["source"], "chunk_index": 0})
        assert text_of(read).startswith("A KV cache keeps the keys and values of earlier tokens")
        assert text_of(read) in KV

        missed = await client.call_tool("read_chunk", {"source": "kv.md", "chunk_index": 0})
        assert missed.is_error
        assert "Nearest: inference/kv.md" in text_of(missed)
        with pytest.raises(MCPError) as unknown:
            await client.call_tool("delete_blog", {})
        assert unknown.value.code == -32602


@pytest.mark.anyio
async def test_a_new_generation_is_served_without_a_restart(tmp_path: Path) -> None:
    content = write(tmp_path / "content", {"soup.md": SOUP})
    async with Client(server_over(tmp_path / "index")) as client:
        asked = {"query": "onion soup"}

        before = await client.call_tool("search_blog", asked)
        assert before.is_error
        assert "`blog-search-mcp ingest CONTENT --index INDEX`" in text_of(before)

        await anyio.to_thread.run_sync(ingest, content, tmp_path / "index")
        first = await client.call_tool("search_blog", asked)
        assert first.structured_content is not None
        assert [r["source"] for r in first.structured_content["results"]] == ["soup.md"]

        write(content, {"stew.md": "# Stew\n\nAn onion soup that cooked for longer.\n"})
        await anyio.to_thread.run_sync(ingest, content, tmp_path / "index")
        second = await client.call_tool("search_blog", asked)
        assert second.structured_content is not None
        found = {r["source"] for r in second.structured_content["results"]}
        assert found == {"soup.md", "stew.md"}


def test_a_broken_index_is_a_sentence_and_the_server_lives_on(tmp_path: Path) -> None:
    (tmp_path / "CURRENT").write_text("nonsense", encoding="utf-8")
    with wire(tmp_path) as server:
        failed = server.call(1, "search_blog", {"query": "q"})
        assert failed["isError"] is True
        assert "--rebuild" in failed["content"][0]["text"]
        assert len(server.ask(2, "tools/list", MODERN)["result"]["tools"]) == 2


def test_a_client_that_listens_is_told_of_changes_and_answered_when_it_leaves(
    tmp_path: Path,
) -> None:
    index = indexed(tmp_path, {"soup.md": SOUP})
    with wire(index) as server:
        told = [server.ask(7, "subscriptions/listen", LISTEN)["method"]]
        write(tmp_path / "content", {"soup.md": f"{SOUP}\nServe it hot.\n"})
        ingest(tmp_path / "content", index)
        told += [server.reply()["method"] for _ in range(2)]
        out, err = server.rest()
    assert told == TOLD
    reply = json.loads(out)
    assert (reply["id"], reply["result"]["resultType"], err) == (7, "complete", b"")


NOISY = """
import os, sys
from blog_search_mcp.server import __main__
from blog_search_mcp.server.stdio import transport as stdio
from tests.support.server_fixtures import FixedSearcher

class Noisy(FixedSearcher):
    def search(self, *given, **named):
        print("a library's banner", flush=True)
        os.write(1, b"and a C library's\\n")
        return super().search(*given, **named)
    def warm_up(self, then):
        pass

stdio.engine_for = lambda settings: Noisy()
__main__.main()
"""


def test_what_is_printed_while_serving_goes_to_stderr(tmp_path: Path) -> None:
    with wire(tmp_path, "-c", NOISY) as server:
        found = server.call(1, "search_blog", {"query": "cache"})
        assert found["structuredContent"]["total"] == 3
        out, err = server.rest()
    assert out == b""
    assert err == b"a library's banner\nand a C library's\n"


@pytest.mark.parametrize("how", ["end of input", "SIGTERM", "SIGINT"])
def test_the_server_ends_cleanly_and_at_once(how: str, index: Path) -> None:
    with wire(index) as server:
        server.ask(1, "server/discover", MODERN)
        server.call(2, "search_blog", {"query": "onion"})
        if how == "end of input":
            assert server.process.stdin is not None
            server.process.stdin.close()
        else:
            server.process.send_signal(signal.Signals[how])
        assert server.process.wait(timeout=5) == 0
        assert server.process.stderr is not None
        assert server.process.stderr.read() == b""
