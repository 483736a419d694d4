"""Limit how fast a client may send requests and how large a body may be, and share threads.

uvicorn has no such limits, the SDK's limit on bodies has no time and covers /mcp alone, and its
limit on sessions is one for all clients.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from ipaddress import IPv6Address, IPv6Network
from math import ceil
from weakref import WeakValueDictionary

import anyio
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from blog_search_mcp.server.http.guards import refusal
from blog_search_mcp.server.settings import MESSAGE_BYTES, parse_ip

RATE = 20.0
"""Requests a second that one client may go on sending: a person who types sends 5."""
BURST = 100.0
"""Requests that it may send at once, after having sent none."""
LOCAL = "this machine"
"""Stands for each of this machine's own addresses."""
LOCAL_CLIENTS = 64.0
"""Clients that this machine's own address counts as, since all of them share it."""
REMEMBERED = 4_096
"""Clients whose rate is kept, the latest; one that is forgotten may send BURST again."""
CLIENT_SESSIONS = 64
"""Sessions of the older protocol that one client may have open, of 512 for all: as many as it may
have connections. The SDK keeps one for 30 minutes after its last request."""
AT_A_TIME = 8
"""Requests of one client that are worked on at a time, by one of anyio's 40 threads each; more
wait."""
BODY_SECONDS = 10.0
"""Within which a body must have come: 1 MiB takes them at 1 Mbit/s."""


class RateLimit:
    """A token bucket for each client, kept as the tokens it lacks and when it lacked them."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._missing: dict[str, tuple[float, float]] = {}

    def wait(self, client: str) -> float:
        """Count a request of the client's address; return how many seconds too early it is, or 0.

        A request that is too early is not counted.
        """
        now = self._now()
        key = name_client(client)
        cost = 1.0 / LOCAL_CLIENTS if key == LOCAL else 1.0
        missing, since = self._missing.pop(key, (0.0, now))
        missing = max(0.0, missing - (now - since) * RATE)
        excess = max(0.0, missing + cost - BURST)
        self._missing[key] = (missing if excess else missing + cost, now)
        if len(self._missing) > REMEMBERED:
            del self._missing[next(iter(self._missing))]
        return excess / RATE

    def check(self, scope: Scope) -> Response | None:
        """Refuse a request that comes too fast with 429."""
        client = scope.get("client")
        wait = self.wait(client[0] if client else "")
        if not wait:
            return None
        sentence = "Too many requests from this client; ask more slowly."
        return refusal(429, sentence, {"Retry-After": str(ceil(wait))})


def name_client(address: str) -> str:
    """Return the client that an address belongs to: LOCAL, an IPv4 address or an IPv6 network.

    An IPv6 client owns a whole network of 64 bits and may use any address in it.
    """
    number = parse_ip(address)
    if number is not None and number.is_loopback:
        return LOCAL
    if isinstance(number, IPv6Address):
        return str(IPv6Network((number, 64), strict=False))
    return address


SESSION = "mcp-session-id"


def share_sessions(app: ASGIApp, path: str) -> ASGIApp:
    """End the session used least lately of a client that has more than CLIENT_SESSIONS at `path`.

    `app` ends a session at a DELETE, as MCP has it; whoever uses it later is told to begin another.
    """
    opened: dict[str, dict[str, None]] = {}

    async def shared(scope: Scope, receive: Receive, send: Send) -> None:
        client = name_client(scope["client"][0] if scope.get("client") else "")
        if client == LOCAL or scope.get("path") != path:
            await app(scope, receive, send)
            return
        own = opened[client] = opened.pop(client, {})
        if len(opened) > REMEMBERED:
            del opened[next(iter(opened))]

        async def note_session(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] < 400:
                session = Headers(raw=message["headers"]).get(SESSION)
                if session:
                    own.pop(session, None)
                    own[session] = None
            await send(message)

        await app(scope, receive, note_session)
        while len(own) > CLIENT_SESSIONS:
            oldest = next(iter(own))
            del own[oldest]
            await _end_session(app, scope, oldest)

    return shared


async def _end_session(app: ASGIApp, scope: Scope, session: str) -> None:
    """Send `app` the request that ends a session, and drop its answer."""

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(_message: Message) -> None:
        return

    headers = [(SESSION.encode(), session.encode())]
    await app({**scope, "method": "DELETE", "headers": headers}, receive, send)


def share_threads(app: ASGIApp) -> ASGIApp:
    """Let `app` work on AT_A_TIME requests of one client, those that it has not begun to answer.

    A stream is answered at once and holds no place. This machine's own address has no such share.
    """
    places: WeakValueDictionary[str, anyio.Semaphore] = WeakValueDictionary()

    async def shared(scope: Scope, receive: Receive, send: Send) -> None:
        client = name_client(scope["client"][0] if scope.get("client") else "")
        if client == LOCAL:
            await app(scope, receive, send)
            return
        own = places.setdefault(client, anyio.Semaphore(AT_A_TIME))
        with ExitStack() as place:

            async def answer(message: Message) -> None:
                place.close()
                await send(message)

            await own.acquire()
            place.callback(own.release)
            await app(scope, receive, answer)

    return shared


def limit_bodies(app: ASGIApp, seconds: float = BODY_SECONDS) -> ASGIApp:
    """Read each body whole before `app` runs; refuse a long one with 413, a slow one with 408.

    A client that left before the end of its body gets no answer, and no error is logged.
    """

    async def limited(scope: Scope, receive: Receive, send: Send) -> None:
        try:
            with anyio.fail_after(seconds):
                body = await _read_body(Headers(scope=scope), receive)
        except TimeoutError:
            late = refusal(408, "The request's body did not come in time.", {"Connection": "close"})
            await late(scope, receive, send)
            return
        if body is not None and body["type"] != "http.request":
            return
        if body is None:
            too_long = refusal(413, f"A message may have at most {MESSAGE_BYTES:,} bytes.")
            await too_long(scope, receive, send)
            return
        read = [body]

        async def replay() -> Message:
            return read.pop() if read else await receive()

        await app(scope, replay, send)

    return limited


async def _read_body(headers: Headers, receive: Receive) -> Message | None:
    """Return the body as one message, or a disconnection; `None` above MESSAGE_BYTES."""
    length = headers.get("content-length", "")
    if length.isdecimal() and int(length) > MESSAGE_BYTES:
        return None
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return message
        body += message.get("body", b"")
        if len(body) > MESSAGE_BYTES:
            return None
        if not message.get("more_body", False):
            return {"type": "http.request", "body": bytes(body), "more_body": False}
