"""Requests that must be refused, sent while the clients ask: a server in, what it answered out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from urllib.parse import urlsplit

import anyio
import httpx

from blog_search_mcp.server.http.body_limit import BODY_SECONDS
from blog_search_mcp.server.http.uvicorn_protocol import HEAD_SECONDS

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
