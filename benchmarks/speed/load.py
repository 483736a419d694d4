"""`python -m benchmarks.speed.load CONTENT`: many clients over HTTP, and requests to be refused.

A real `blog-server --http` serves CONTENT by the embedded embedder, on loopback, with a token.
Real MCP clients of both eras search, read a passage of what they found and ask again as soon as
they have their answer; all share one process, so a time holds their own work too. Meanwhile come
requests that must be refused. The status is 1 if a call failed or a refusal was another one.
"""

from __future__ import annotations

import argparse
import os
import secrets
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlsplit

import anyio
import httpx
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult

from benchmarks.markdown import table
from benchmarks.options import count, folder, report_failure
from benchmarks.provenance import command_line, describe_machine, read_commit
from benchmarks.quality.blog import Embedding, build_index, read_posts
from benchmarks.quality.queries import derive_queries
from benchmarks.speed.figure import percentile
from blog_search_mcp.index.errors import BlogSearchError
from blog_search_mcp.ingest.report import progress_on
from blog_search_mcp.server.http.app import PATH
from blog_search_mcp.server.http.limits import BODY_SECONDS
from blog_search_mcp.server.http.uvicorn_protocol import HEAD_SECONDS
from tests.conformance.served import served

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


Phases = Sequence[tuple[int, Seen]]
"""How many clients asked at once, and what they saw."""


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


PAUSE = 0.5
"""Seconds between two requests of one kind."""
CLOSED = "closed"
"""A connection that ended without an answer."""

Answer = str
"""The status, or CLOSED, or an error's words."""
Answers = Mapping[str, tuple[Answer, Counter[Answer]]]
"""By kind of request: how it must be refused, and how often it was answered how."""
Send = Callable[[], Awaitable[Answer]]


def refusals(url: str, token: str) -> Mapping[str, tuple[Answer, Send]]:
    """By kind of request, how it must be refused, and what sends one."""
    place, allowed = urlsplit(url), {"Authorization": f"Bearer {token}"}
    foreign = "http://blog.example"
    head = (
        f"POST {place.path} HTTP/1.1\r\nHost: {place.netloc}\r\nAuthorization: Bearer {token}\r\n"
    )
    short = f"{head}Content-Length: 100\r\n\r\n{{"
    return {
        "foreign Host": ("421", partial(_post, url, {**allowed, "Host": "blog.example"})),
        "foreign Origin": ("403", partial(_post, url, {**allowed, "Origin": foreign})),
        "no token": ("401", partial(_post, url, {})),
        "wrong token": ("401", partial(_post, url, {"Authorization": "Bearer 0123456789abcdef"})),
        "body of 5 MB": ("413", partial(_post, url, allowed, b" " * (5 << 20))),
        "slow body": ("408", partial(_slow, url, short, BODY_SECONDS)),
        "slow head": (CLOSED, partial(_slow, url, f"{head}X-Slow: ", HEAD_SECONDS)),
    }


async def refused(url: str, token: str, seconds: float) -> Answers:
    """Send every kind again and again for so many seconds; each at least once."""
    kinds = refusals(url, token)
    answers = {kind: (right, Counter[Answer]()) for kind, (right, _) in kinds.items()}

    async def repeat(send: Send, got: Counter[Answer]) -> None:
        end = anyio.current_time() + seconds
        while not got or anyio.current_time() + PAUSE < end:
            got[await send()] += 1
            await anyio.sleep(PAUSE)

    async with anyio.create_task_group() as tasks:
        for kind, (_, send) in kinds.items():
            tasks.start_soon(repeat, send, answers[kind][1])
    return answers


async def _post(url: str, headers: dict[str, str], body: bytes = b"{}") -> Answer:
    try:
        async with httpx.AsyncClient(timeout=60) as client:
            answer = await client.post(url, headers=headers, content=body)
    except httpx.HTTPError as error:
        return repr(error)
    return str(answer.status_code)


async def _slow(url: str, beginning: str, seconds: float) -> Answer:
    """Send a beginning and nothing more; what comes in three times the server's patience."""
    place = urlsplit(url)
    received = b""
    async with await anyio.connect_tcp(place.hostname or "", place.port or 0) as connection:
        await connection.send(beginning.encode())
        try:
            with anyio.fail_after(3 * seconds):
                while b"\r\n" not in received:
                    received += await connection.receive()
        except (anyio.EndOfStream, anyio.BrokenResourceError):
            return CLOSED
        except TimeoutError:
            return "kept waiting"
    return received.split(b" ")[1].decode()


LIMIT = 200
"""Queries of a kind."""


def main() -> int:
    """Run it; the exit status."""
    options = _parser().parse_args()
    try:
        phases, answers = _measure(options)
    except BlogSearchError as error:
        return report_failure(error)
    errors = [error for _, seen in phases for error in seen.errors]
    sys.stderr.writelines(f"{error}\n" for error in errors)
    wrong = [right for right, got in answers.values() if set(got) != {right}]
    return 1 if errors or wrong else 0


def _measure(options: argparse.Namespace) -> tuple[Phases, Answers]:
    """Print both tables; what the clients of each phase saw, and how the refused were answered.

    The server is started twice: what a start takes is not a call's.
    """
    posts = read_posts(options.content)
    queries = [query.text for query in derive_queries(posts, ("title", "heading"), LIMIT)]
    token = secrets.token_hex(16)
    with tempfile.TemporaryDirectory() as made, progress_on(sys.stderr) as progress:
        build_index(options.content, Path(made), Embedding(), progress)
        server = ["server", "--index", made, "--http"]
        began = _children_seconds()
        with served(server, {"BLOG_SERVER_TOKEN": token}) as url:
            anyio.run(ask, Asked(url + PATH, token, queries), 1, 0.0)
        start = _children_seconds() - began
        with served(server, {"BLOG_SERVER_TOKEN": token}) as url:
            asked = Asked(url + PATH, token, queries)
            anyio.run(ask, asked, 1, 0.0)  # it waits for the index and the model
            phases, answers = anyio.run(_ask_all, asked, options.clients, options.seconds)
            machine = describe_machine()
        used = _children_seconds() - began - 2 * start
    calls = sum(len(values) for _, seen in phases for values in seen.seconds.values())
    sys.stdout.write(
        f"`{command_line('benchmarks.speed.load', sys.argv[1:])}` at `{read_commit()[:12]}`, "
        f"{len(posts)} posts, {machine}. "
        f"The server used {1000 * used / max(1, calls):.1f} ms of processor time for a call.\n\n"
        f"{_calls_table(phases)}\n\n{_refusals_table(answers)}\n"
    )
    return phases, answers


def _calls_table(phases: Phases) -> str:
    cells = [
        (
            *(str(clients), f"`{tool}`", f"{len(values):,}", str(len(seen.errors))),
            *(f"{1000 * percentile(values, share):.0f}" for share in (0.5, 0.95, 0.99)),
        )
        for clients, seen in phases
        for tool, values in seen.seconds.items()
        if values
    ]
    return table(("clients", "tool", "calls", "errors", "p50 ms", "p95 ms", "p99 ms"), cells)


def _refusals_table(answers: Answers) -> str:
    cells = [
        (
            *(kind, str(got.total())),
            ", ".join(f"{answer} ({count})" for answer, count in got.most_common()),
        )
        for kind, (_, got) in answers.items()
    ]
    return table(("refused meanwhile", "sent", "answered"), cells)


async def _ask_all(asked: Asked, clients: int, seconds: float) -> tuple[Phases, Answers]:
    """Let one client ask, then all of them, while requests come that must be refused."""
    answers: dict[str, Answers] = {}

    async def refuse() -> None:
        answers["all"] = await refused(asked.url, asked.token, seconds)

    alone = await ask(asked, 1, seconds / 6)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(refuse)
        together = await ask(asked, clients, seconds)
    return ((1, alone), (clients, together)), answers["all"]


def _children_seconds() -> float:
    """Processor seconds of the processes that were started and have ended."""
    times = os.times()
    return times.children_user + times.children_system


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed.load", description=__doc__)
    parser.add_argument("content", type=folder, metavar="CONTENT", help="the folder of posts")
    parser.add_argument("--clients", type=count, default=32, help="(default 32)")
    parser.add_argument("--seconds", type=count, default=60, help="(default 60)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
