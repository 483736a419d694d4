"""`python -m benchmarks.speed.load CONTENT`: many clients over HTTP, and requests to be refused.

A real `blog-server --http` serves CONTENT by the embedded embedder, on loopback, with a token.
Real MCP clients of both eras search, read a passage of what they found and ask again as soon as
they have their answer; all share one process, so a time holds their own work too. Meanwhile come
requests that must be refused. The status is 1 if a call failed or a refusal was another one.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
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
from benchmarks.provenance import command_line, read_commit
from benchmarks.quality.blog import Embedding, build_index, read_posts
from benchmarks.quality.queries import derive_queries
from benchmarks.speed.figure import percentile
from benchmarks.speed.report import this_machine
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
LONG = b" " * (5 << 20)

Answer = str
"""The status, or CLOSED, or an error's words."""
Answers = Mapping[str, Counter[Answer]]

RIGHT: Mapping[str, Answer] = {
    "foreign Host": "421",
    "foreign Origin": "403",
    "no token": "401",
    "wrong token": "401",
    "body of 5 MB": "413",
    "slow body": "408",
    "slow head": CLOSED,
}
"""By kind of request, how it must be refused."""


async def refused(url: str, token: str, seconds: float) -> Answers:
    """Send every kind again and again for so many seconds; each at least once."""
    answers: dict[str, Counter[Answer]] = {kind: Counter() for kind in RIGHT}
    sends = _kinds(url, {"Authorization": f"Bearer {token}"})

    async def repeat(kind: str) -> None:
        end = anyio.current_time() + seconds
        while not answers[kind] or anyio.current_time() + PAUSE < end:
            answers[kind][await sends[kind]()] += 1
            await anyio.sleep(PAUSE)

    async with anyio.create_task_group() as tasks:
        for kind in RIGHT:
            tasks.start_soon(repeat, kind)
    return answers


def _kinds(url: str, allowed: dict[str, str]) -> Mapping[str, Callable[[], Awaitable[Answer]]]:
    place = urlsplit(url)
    host = f"Host: {place.netloc}\r\nAuthorization: {allowed['Authorization']}\r\n"
    head = f"POST {place.path} HTTP/1.1\r\n{host}"
    return {
        "foreign Host": lambda: _post(url, {**allowed, "Host": "blog.example"}),
        "foreign Origin": lambda: _post(url, {**allowed, "Origin": "http://blog.example"}),
        "no token": lambda: _post(url, {}),
        "wrong token": lambda: _post(url, {"Authorization": "Bearer 0123456789abcdef"}),
        "body of 5 MB": lambda: _post(url, allowed, LONG),
        "slow body": lambda: _slow(url, f"{head}Content-Length: 100\r\n\r\n{{", BODY_SECONDS),
        "slow head": lambda: _slow(url, f"{head}X-Slow: ", HEAD_SECONDS),
    }


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


@dataclass(frozen=True, slots=True)
class Load:
    """One run."""

    command: str
    commit: str
    machine: str
    posts: int
    clients: int
    seconds: float
    alone: Seen
    """One client, before the others came."""
    together: Seen
    cpu_seconds: float
    """That the server used for both, its start left out."""
    answers: Answers
    """To what must be refused."""

    @property
    def holds(self) -> bool:
        """Whether no call failed and every refusal was the right one."""
        wrong = [kind for kind, right in RIGHT.items() if set(self.answers[kind]) != {right}]
        return not (self.alone.errors or self.together.errors or wrong)


def as_data(load: Load) -> dict[str, Any]:
    """All of it, as JSON takes it."""
    return {
        "command": load.command,
        "commit": load.commit,
        "machine": load.machine,
        "posts": load.posts,
        "seconds": load.seconds,
        "holds": load.holds,
        "phases": [_phase(1, load.alone), _phase(load.clients, load.together)],
        "cpu_ms_per_call": 1000 * load.cpu_seconds / (_calls(load.alone) + _calls(load.together)),
        "refusals": {kind: dict(counts) for kind, counts in load.answers.items()},
    }


def as_markdown(load: Load) -> str:
    """A table of calls and one of refusals."""
    data = as_data(load)
    calls = [
        (
            *(str(phase["clients"]), f"`{row['tool']}`", f"{row['calls']:,}", str(phase["errors"])),
            *(f"{row[name]:.0f}" for name in ("p50_ms", "p95_ms", "p99_ms")),
        )
        for phase in data["phases"]
        for row in phase["tools"]
    ]
    refusals = [
        (kind, str(counts.total()), _answers(counts)) for kind, counts in load.answers.items()
    ]
    return "\n\n".join(
        [
            f"`{load.command}` at `{load.commit[:12]}`, {load.posts} posts, {load.machine}. "
            f"The server used {data['cpu_ms_per_call']:.1f} ms of processor time for a call.",
            table(("clients", "tool", "calls", "errors", "p50 ms", "p95 ms", "p99 ms"), calls),
            table(("refused meanwhile", "sent", "answered"), refusals) + "\n",
        ]
    )


def _phase(clients: int, seen: Seen) -> dict[str, Any]:
    tools = [_row(tool, values) for tool, values in seen.seconds.items() if values]
    return {"clients": clients, "errors": len(seen.errors), "tools": tools}


def _row(tool: str, seconds: Sequence[float]) -> dict[str, Any]:
    times = {f"p{share}_ms": 1000 * percentile(seconds, share / 100) for share in (50, 95, 99)}
    return {"tool": tool, "calls": len(seconds), **times}


def _calls(seen: Seen) -> int:
    return max(1, sum(map(len, seen.seconds.values())))


def _answers(counts: Counter[Answer]) -> str:
    return ", ".join(f"{answer} ({count})" for answer, count in counts.most_common())


LIMIT = 200
"""Queries of a kind."""


def main() -> int:
    """Run it; the exit status."""
    options = _parser().parse_args()
    try:
        load = _measured(options)
    except BlogSearchError as error:
        return report_failure(error)
    said = as_markdown(load)
    sys.stdout.write(json.dumps(as_data(load), indent=2) + "\n" if options.json else said)
    sys.stderr.writelines(f"{error}\n" for error in [*load.alone.errors, *load.together.errors])
    return 0 if load.holds else 1


def _measured(options: argparse.Namespace) -> Load:
    posts = read_posts(options.content)
    queries = [query.text for query in derive_queries(posts, ("title", "heading"), LIMIT)]
    token = secrets.token_hex(16)
    with tempfile.TemporaryDirectory() as made, progress_on(sys.stderr) as progress:
        build_index(options.content, Path(made), Embedding(), progress)
        server = ["server", "--index", made, "--http"]
        began = _children_seconds()
        with served(server, {"BLOG_SERVER_TOKEN": token}) as url:
            anyio.run(_ready, Asked(url + PATH, token, queries))
        start = _children_seconds()
        with served(server, {"BLOG_SERVER_TOKEN": token}) as url:
            asked = Asked(url + PATH, token, queries)
            anyio.run(_ready, asked)
            alone, together, answers = anyio.run(_asked, asked, options.clients, options.seconds)
            machine = str(this_machine())
        used = _children_seconds() - start - (start - began)
    return Load(
        command=command_line("benchmarks.speed.load", sys.argv[1:]),
        commit=read_commit(),
        machine=machine,
        posts=len(posts),
        clients=options.clients,
        seconds=options.seconds,
        alone=alone,
        together=together,
        cpu_seconds=used,
        answers=answers,
    )


async def _ready(asked: Asked) -> None:
    """Ask a first question, which waits for the index and the model."""
    await ask(asked, 1, 0.0)


async def _asked(asked: Asked, clients: int, seconds: float) -> tuple[Seen, Seen, Answers]:
    alone = await ask(asked, 1, seconds / 6)
    answers: dict[str, Answers] = {}

    async def refuse() -> None:
        answers["all"] = await refused(asked.url, asked.token, seconds)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(refuse)
        together = await ask(asked, clients, seconds)
    return alone, together, answers["all"]


def _children_seconds() -> float:
    """Processor seconds of the processes that were started and have ended."""
    times = os.times()
    return times.children_user + times.children_system


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed.load", description=__doc__)
    parser.add_argument("content", type=folder, metavar="CONTENT", help="the folder of posts")
    parser.add_argument("--clients", type=count, default=32, help="(default 32)")
    parser.add_argument("--seconds", type=count, default=60, help="(default 60)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    return parser


if __name__ == "__main__":
    sys.exit(main())
