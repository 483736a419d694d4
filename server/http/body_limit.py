"""A request's body, read whole before anything works on it: too long or too slow is refused.

What reads a body while it comes in is held for as long as its sender likes; here it comes in
within a time, or its connection ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio
from starlette.datastructures import Headers

from blog_search_mcp.server.http.guards import refusal
from blog_search_mcp.server.stdio.json_rpc import MESSAGE_BYTES

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

BODY_SECONDS = 10.0
"""Within which a body must have come: 1 MiB takes them at 1 Mbit/s."""


class TooLongError(Exception):
    """The body has more than MESSAGE_BYTES."""


class BodyGuard:
    """Refuses a long body with 413 and a slow one with 408, then hands the whole on."""

    def __init__(self, app: ASGIApp, seconds: float = BODY_SECONDS) -> None:
        """Guard `app`; a body may take so many `seconds`."""
        self._app = app
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let one request through or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            with anyio.fail_after(self._seconds):
                whole = await _whole(Headers(scope=scope), receive)
        except TooLongError:
            sentence = f"A message may have at most {MESSAGE_BYTES:,} bytes."
            await refusal(413, sentence)(scope, receive, send)
        except TimeoutError:
            late = refusal(408, "The request's body did not come in time.", {"Connection": "close"})
            await late(scope, receive, send)
        else:
            await self._app(scope, _first(whole, receive), send)


async def _whole(headers: Headers, receive: Receive) -> Message:
    """Read the body into one message; that of a client that left is its leaving."""
    length = headers.get("content-length", "")
    if length.isdecimal() and int(length) > MESSAGE_BYTES:
        raise TooLongError
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return message
        body += message.get("body", b"")
        if len(body) > MESSAGE_BYTES:
            raise TooLongError
        if not message.get("more_body", False):
            return {"type": "http.request", "body": bytes(body), "more_body": False}


def _first(message: Message, receive: Receive) -> Receive:
    """Give `message` once, then what comes."""
    waiting = [message]

    async def next_one() -> Message:
        return waiting.pop() if waiting else await receive()

    return next_one
