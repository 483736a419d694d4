"""Two servers over one index behind one address, as clients of both eras meet them."""

from __future__ import annotations

import asyncio
import itertools
import json
import re
import signal
from contextlib import ExitStack, asynccontextmanager, closing, suppress
from typing import TYPE_CHECKING

import httpx
import pytest
from mcp import Client

from tests.support.served import POSTS, indexed, serving
from tests.support.waiting import PATIENCE

if TYPE_CHECKING:
    import subprocess
    from collections.abc import AsyncIterator, Callable, Iterator

CALLS = 50


@pytest.fixture(scope="module")
def servers(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[list[tuple[int, subprocess.Popen[bytes]]]]:
    index = indexed(tmp_path_factory.mktemp("blog"), POSTS)
    with ExitStack() as running:
        started = [running.enter_context(serving(index)) for _ in range(2)]
        yield [(httpx.URL(url).port or 0, process) for url, process in started]


class Proxy:
    """Sends each request on to one of two ports, and counts what each of them answered.

    `choose` gives the place of the one to ask; if it takes no connection or closes it without an
    answer, as one that stops may, the other one is asked.
    """

    def __init__(self, ports: list[int], choose: Callable[[], int]) -> None:
        self._ports, self.answered = ports, [0] * len(ports)
        self._choose = choose

    async def pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass one request and its answer on, then close the connection."""
        with closing(writer), suppress(asyncio.IncompleteReadError, ConnectionError):
            head = await reader.readuntil(b"\r\n\r\n")
            [length] = re.findall(rb"(?i)\r\ncontent-length: (\d+)", head) or [b"0"]
            body = await reader.readexactly(int(length))
            first, _, fields = re.sub(rb"(?i)\r\nconnection: [^\r]*", b"", head).partition(b"\r\n")
            chosen = self._choose()
            for place in (chosen, 1 - chosen):
                request = first + b"\r\nConnection: close\r\n" + fields + body
                if await self._ask(place, request, writer):
                    self.answered[place] += 1
                    return

    async def _ask(self, place: int, request: bytes, writer: asyncio.StreamWriter) -> bool:
        """Pass the answer of one of them on, and say whether there was any."""
        answered = False
        with suppress(ConnectionError):
            theirs, ours = await asyncio.open_connection("127.0.0.1", self._ports[place])
            with closing(ours):
                ours.write(request)
                while part := await theirs.read(1 << 16):
                    answered = True
                    writer.write(part)
                    await writer.drain()
        return answered


@asynccontextmanager
async def behind(proxy: Proxy) -> AsyncIterator[str]:
    """Run the proxy; gives the address of the MCP endpoint."""
    tasks: set[asyncio.Task[None]] = set()

    def start(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tasks.add(asyncio.create_task(proxy.pass_on(reader, writer)))

    async with await asyncio.start_server(start, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/mcp"
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def call_tools(client: Client) -> None:
    """Search and read by turns, CALLS times; each answer is right."""
    for number in range(CALLS):
        if number % 2:
            read = await client.call_tool("read_chunk", {"source": "soup.md", "chunk_index": 0})
            assert "Boil an onion" in json.dumps([block.model_dump() for block in read.content])
        else:
            found = await client.call_tool("search_blog", {"query": "onion soup"})
            assert found.structured_content is not None
            assert found.structured_content["results"][0]["source"] == "soup.md"


@pytest.mark.anyio
@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_no_client_needs_a_server_twice(
    servers: list[tuple[int, subprocess.Popen[bytes]]], era: str
) -> None:
    turns = itertools.cycle(range(2))
    proxy = Proxy([port for port, _ in servers], lambda: next(turns))
    async with behind(proxy) as url, Client(url, mode=era) as client:
        assert (client.protocol_version == "2026-07-28") == (era == "auto")
        await call_tools(client)
    assert min(proxy.answered) >= CALLS // 2


@pytest.mark.anyio
async def test_one_server_may_stop_under_a_client_that_goes_on(
    servers: list[tuple[int, subprocess.Popen[bytes]]],
) -> None:
    turns = itertools.cycle(range(2))
    proxy = Proxy([port for port, _ in servers], lambda: next(turns))
    async with behind(proxy) as url, Client(url, mode="auto") as client:
        await call_tools(client)
        servers[0][1].send_signal(signal.SIGTERM)
        await call_tools(client)
    assert servers[0][1].wait(PATIENCE) == 0
