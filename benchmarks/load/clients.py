"""Real MCP clients of both eras: queries and a server in, the seconds of each call out.

Each client searches, reads a passage of what it found, and asks again as soon as it has its
answer. All of them share one process with each other, so a time holds their own work too.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import anyio
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult

SEARCH, READ = "search_blog", "read_chunk"
ERAS = ("auto", "legacy")
"""The SDK's words for 2026-07-28 and for the versions with a handshake."""
PATIENCE = 60.0
"""Seconds after which a call has failed."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A server and what it is asked."""

    url: str
    token: str
    queries: Sequence[str]


@dataclass(slots=True)
class Seen:
    """What the clients of one phase saw."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: {SEARCH: [], READ: []})
    """Of each answered call, by tool."""
    errors: list[str] = field(default_factory=list)


async def ask(asked: Asked, clients: int, seconds: float) -> Seen:
    """Let so many clients ask for so long, the eras in turn; each at least one question."""
    seen, until = Seen(), time.monotonic() + seconds
    async with anyio.create_task_group() as tasks:
        for number in range(clients):
            tasks.start_soon(_client, asked, number, until, seen)
    return seen


async def _client(asked: Asked, number: int, until: float, seen: Seen) -> None:
    random = Random(number)
    headers = {"Authorization": f"Bearer {asked.token}"}
    try:
        async with httpx2.AsyncClient(headers=headers, timeout=PATIENCE) as http:
            transport = streamable_http_client(asked.url, http_client=http)
            async with Client(transport, mode=ERAS[number % len(ERAS)]) as client:
                await _question(client, random, asked, seen)
                while time.monotonic() < until:
                    await _question(client, random, asked, seen)
    except Exception as error:  # any failure of a client is the finding
        seen.errors.append(repr(error))


async def _question(client: Client, random: Random, asked: Asked, seen: Seen) -> None:
    found = await _call(client, SEARCH, {"query": random.choice(asked.queries)}, seen)
    if found is not None and found.structured_content and found.structured_content["results"]:
        hit = random.choice(found.structured_content["results"])
        place = {"source": hit["source"], "chunk_index": hit["chunk_index"]}
        await _call(client, READ, place, seen)


async def _call(
    client: Client, tool: str, arguments: dict[str, Any], seen: Seen
) -> CallToolResult | None:
    began = time.perf_counter()
    result = await client.call_tool(tool, arguments)
    if result.is_error:
        seen.errors.append(f"{tool}: {result.content}")
        return None
    seen.seconds[tool].append(time.perf_counter() - began)
    return result
