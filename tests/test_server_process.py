"""The server as clients meet it: a process of its own, over a real index."""

from __future__ import annotations

import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.types import CallToolResult, TextContent

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
PYTHON = [sys.executable, "-m"]
ERAS = pytest.mark.parametrize("mode", ["auto", "legacy"])
MODERN = {
    "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
}
HANDSHAKE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}
KV = """---
title: What is a KV cache?
date: 2025-03-04
tags: [inference]
---
A KV cache keeps the keys and values of earlier tokens, so that each new token
costs one step of attention.

## Memory

Its size grows with the length of the context.
"""
SOUP = "# Onion soup\n\nBoil an onion in water and add salt.\n"


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def ingest(content: Path, index: Path) -> None:
    subprocess.run(
        [*PYTHON, "ingest", content, "--index", index, "--embedder", "embedded"],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )


def write(folder: Path, posts: dict[str, str]) -> Path:
    for source, text in posts.items():
        path = folder / source
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("blog")
    write(folder / "content", {"inference/kv.md": KV, "soup.md": SOUP})
    ingest(folder / "content", folder / "index")
    return folder / "index"


def server_over(index: Path) -> StdioServerParameters:
    arguments = [*PYTHON[1:], "server", "--index", str(index)]
    return StdioServerParameters(command=sys.executable, args=arguments, cwd=ROOT)


def text_of(result: CallToolResult) -> str:
    [block, *_] = result.content
    assert isinstance(block, TextContent)
    return block.text


class Wire:
    """A server process and its two pipes, for what a well-behaved client cannot send."""

    def __init__(self, index: Path, *start: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, *(start or ("-m", "server")), "--index", str(index)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def send(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, number: int, method: str, params: dict[str, Any]) -> dict[str, Any]:
        request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        self.send(json.dumps(request))
        return self.reply()

    def reply(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        reply: dict[str, Any] = json.loads(self.process.stdout.readline())
        return reply

    def call(self, number: int, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        params = {**MODERN, "name": tool, "arguments": arguments}
        return dict(self.ask(number, "tools/call", params)["result"])

    def rest(self) -> tuple[bytes, bytes]:
        """Close stdin; what the server still says on stdout and stderr until it ends."""
        return self.process.communicate(timeout=10)


@contextmanager
def wire(index: Path, *start: str) -> Iterator[Wire]:
    opened = Wire(index, *start)
    try:
        yield opened
    finally:
        opened.process.kill()
        opened.process.wait()
        for pipe in (opened.process.stdin, opened.process.stdout, opened.process.stderr):
            assert pipe is not None
            pipe.close()


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


@ERAS
@pytest.mark.anyio
async def test_filters_narrow_a_search(mode: str, index: Path) -> None:
    async with Client(server_over(index), mode=mode) as client:
        asked = {"query": "onion", "section": "inference"}
        found = await client.call_tool("search_blog", asked)
        assert found.structured_content is not None
        sources = {result["source"] for result in found.structured_content["results"]}
        assert sources <= {"inference/kv.md"}


@pytest.mark.anyio
async def test_a_new_generation_is_served_without_a_restart(tmp_path: Path) -> None:
    content = write(tmp_path / "content", {"soup.md": SOUP})
    async with Client(server_over(tmp_path / "index")) as client:
        asked = {"query": "onion soup"}

        before = await client.call_tool("search_blog", asked)
        assert before.is_error
        assert "python -m ingest" in text_of(before)

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


def test_stdout_carries_replies_alone(index: Path) -> None:
    with wire(index) as server:
        server.ask(1, "initialize", HANDSHAKE)
        server.send('{"jsonrpc":"2.0","method":"notifications/initialized"}')
        server.ask(2, "tools/list", {})
        call = {"name": "search_blog", "arguments": {"query": "onion"}}
        server.ask(3, "tools/call", call)
        out, err = server.rest()
    assert (out, err) == (b"", b"")


NOISY = """
import os, sys
from server import __main__, stdio
from tests.server_fixtures import FixedSearcher

class Noisy(FixedSearcher):
    def search(self, *given, **named):
        print("a library's banner", flush=True)
        os.write(1, b"and a C library's\\n")
        return super().search(*given, **named)
    def warm_up(self, then):
        pass

stdio.engine_for = lambda settings: Noisy()
sys.argv[0] = "blog-server"
__main__.main()
"""


def test_what_is_printed_while_serving_goes_to_stderr(tmp_path: Path) -> None:
    with wire(tmp_path, "-c", NOISY) as server:
        found = server.call(1, "search_blog", {"query": "cache"})
        assert found["structuredContent"]["total"] == 3
        out, err = server.rest()
    assert out == b""
    assert err == b"a library's banner\nand a C library's\n"


def test_half_a_character_in_a_request_is_answered(index: Path) -> None:
    with wire(index) as server:
        found = server.call(1, "search_blog", {"query": "onion \ud83e"})
        assert found["structuredContent"]["results"][0]["source"] == "soup.md"
        wrong = server.call(2, "search_blog", {"query": "q", "tag\udfff": 1})
        assert wrong["isError"] is True


@pytest.mark.parametrize("how", ["end of input", "SIGTERM", "SIGINT"])
def test_the_server_ends_cleanly_and_at_once(how: str, index: Path) -> None:
    with wire(index) as server:
        server.ask(1, "server/discover", MODERN)
        server.call(2, "search_blog", {"query": "onion"})
        begun = time.monotonic()
        if how == "end of input":
            assert server.process.stdin is not None
            server.process.stdin.close()
        else:
            server.process.send_signal(signal.Signals[how])
        assert server.process.wait(timeout=5) == 0
        assert time.monotonic() - begun < 1
        assert server.process.stderr is not None
        assert server.process.stderr.read() == b""


HEAVY = """
import sys
from server import __main__
after_main = set(sys.modules)
from pathlib import Path
import anyio
from mcp import Client
from server.engine import engine_for
from server.settings import Settings
from server import ask, http, stdio

async def list_tools():
    server = stdio.build_server(engine_for(Settings(Path("index"), "")))
    async with Client(server) as client:
        await client.list_tools()

anyio.run(list_tools)
heavy = {"numpy", "faiss", "tantivy", "onnxruntime", "tokenizers", "ollama", "index.live"}
print(sorted(heavy & set(sys.modules)), "mcp" in after_main)
"""


def test_nothing_heavy_is_imported_before_the_first_reply() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", HEAVY], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert ran.stdout == "[] False\n"


def test_garbage_is_collected_again_once_the_index_is_open(tmp_path: Path) -> None:
    watched = """
import gc
import sys
from server import __main__, stdio
from tests.server_fixtures import FixedSearcher
class Watched(FixedSearcher):
    def warm_up(self, then):
        before = gc.isenabled()
        then()
        print(before, gc.isenabled(), gc.get_freeze_count() > 0, file=sys.stderr, flush=True)
stdio.engine_for = lambda settings: Watched()
__main__.main()
"""
    with wire(tmp_path, "-c", watched) as server:
        server.ask(1, "server/discover", MODERN)
        server.ask(2, "tools/list", MODERN)
        assert server.rest() == (b"", b"False True True\n")


def test_the_index_opens_by_itself_after_the_first_reply_and_only_once(tmp_path: Path) -> None:
    watched = """
import sys
from server import __main__, stdio
from tests.server_fixtures import FixedSearcher
class Watched(FixedSearcher):
    def warm_up(self, then):
        print("warm", file=sys.stderr, flush=True)
stdio.engine_for = lambda settings: Watched()
__main__.main()
"""
    with wire(tmp_path, "-c", watched) as server:
        server.ask(1, "server/discover", MODERN)
        server.ask(2, "tools/list", MODERN)
        assert server.rest() == (b"", b"warm\n")


def ask(question: str, index: Path, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONSAFEPATH": "1"}
    return subprocess.run(
        [*PYTHON, "server", "ask", question, "--index", index],
        cwd=cwd,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=60,
    )


@pytest.mark.skipif(os.name == "nt", reason="there, a pipe that nobody reads is no error")
def test_ask_may_be_read_in_part(index: Path) -> None:
    command = [*PYTHON, "server", "ask", "what is a KV cache?", "--index", str(index)]
    asking = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)
    assert asking.stdout is not None
    assert asking.stdout.read(11) == b"Confidence:"
    asking.stdout.close()
    assert asking.wait(60) == 0


def test_ask_prints_the_hits_and_the_best_one_s_text(index: Path) -> None:
    asked = ask("what is a KV cache?", index)
    assert asked.returncode == 0, asked.stderr
    confidence, first = asked.stdout.splitlines()[:2]
    assert confidence in {"Confidence: high", "Confidence: medium"}
    assert first.startswith("1. What is a KV cache?")
    assert "inference/kv.md chunk 0" in first
    text = "A KV cache keeps the keys and values of earlier tokens, so that each new token\ncosts"
    assert text in asked.stdout
    assert "chunk: 1 of 1" in asked.stdout


def test_ask_is_not_misled_by_another_module_of_this_name(index: Path, tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text("raise SystemExit('wrong server')", encoding="utf-8")
    asked = ask("onion soup", index, cwd=tmp_path)
    assert (asked.returncode, asked.stderr) == (0, "")
    assert "\n1. Onion soup" in asked.stdout


def test_ask_says_what_is_missing_and_fails(tmp_path: Path) -> None:
    asked = ask("onion soup", tmp_path / "none")
    assert (asked.returncode, asked.stdout) == (1, "")
    assert "python -m ingest" in asked.stderr
    assert len(asked.stderr.splitlines()) == 1


@contextmanager
def http_server(index: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{probe.getsockname()[1]}"
    process = subprocess.Popen(
        [*PYTHON, "server", "--index", index, "--http", address],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        wait_for(address)
        yield f"http://{address}/mcp", process
    finally:
        process.kill()
        process.communicate()


def wait_for(address: str) -> None:
    host, port = address.split(":")
    for _ in range(200):
        with socket.socket() as attempt:
            if attempt.connect_ex((host, int(port))) == 0:
                return
        time.sleep(0.05)
    raise TimeoutError(address)


@pytest.mark.anyio
async def test_both_eras_are_served_over_http_and_sigterm_ends_it(index: Path) -> None:
    with http_server(index) as (url, process):
        for mode in ("auto", "legacy"):
            async with Client(url, mode=mode) as client:
                found = await client.call_tool("search_blog", {"query": "onion soup"})
                assert found.structured_content is not None
                assert found.structured_content["results"][0]["source"] == "soup.md"
        process.send_signal(signal.SIGTERM)
        out, err = await anyio.to_thread.run_sync(process.communicate)
        assert (process.returncode, out) == (0, b"")
        assert b"Traceback" not in err


def test_ask_ends_quietly_when_its_reader_has_seen_enough(index: Path) -> None:
    command = " ".join(shlex.quote(part) for part in [*PYTHON, "server", "ask", "cache"])
    ran = subprocess.run(
        f"{command} --index {shlex.quote(str(index))} | head -n 1",
        shell=True,
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=True,
        timeout=60,
    )
    assert (len(ran.stdout.splitlines()), ran.stderr) == (1, "")
