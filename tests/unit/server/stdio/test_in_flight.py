from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Awaitable

import anyio
import pytest

from blog_search_mcp.server.stdio.transport import MOST, InFlight
from tests.support.blog import MakeBlog
from tests.support.paths import ROOT


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def at_once(awaited: Awaitable[None]) -> bool:
    """Whether it is done without anything else happening."""
    with anyio.move_on_after(0.05):
        await awaited
        return True
    return False


@pytest.mark.anyio
async def test_no_more_than_the_places_begin_until_one_ends() -> None:
    in_flight = InFlight()
    for _ in range(MOST):
        assert await at_once(in_flight.begin())
    assert not await at_once(in_flight.begin())
    await in_flight.end()
    assert await at_once(in_flight.begin())


@pytest.mark.anyio
async def test_the_end_waits_for_what_began_and_has_not_ended() -> None:
    in_flight = InFlight()
    await in_flight.begin()
    await in_flight.begin()
    await in_flight.end()
    assert not await at_once(in_flight.settled())


@pytest.mark.anyio
async def test_the_end_comes_at_once_when_all_has_ended() -> None:
    in_flight = InFlight()
    assert await at_once(in_flight.begin())
    await in_flight.end()
    assert await at_once(in_flight.settled())


def test_a_client_that_asks_and_closes_its_end_gets_every_answer(blog: MakeBlog) -> None:
    made = blog({"cache.md": "# Caches\n\nA zebrafinch keeps keys and values.\n"})
    started = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {}}
    started["clientInfo"] = {"name": "pipe", "version": "1"}
    search = {"name": "read_chunk", "arguments": {"source": "cache.md", "chunk_index": 0}}
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": started},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": search},
    ]
    ran = subprocess.run(
        [sys.executable, "-m", "blog_search_mcp.server", "--index", str(made.layout.root)],
        input="".join(json.dumps(message) + "\n" for message in messages),
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=True,
        timeout=60,
    )
    replies = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [reply["id"] for reply in replies] == [1, 2]
    text = replies[1]["result"]["content"][0]["text"]
    assert text == "# Caches\n\nA zebrafinch keeps keys and values."
