"""uvicorn's HTTP/1.1, for clients that are slow on purpose: a head comes in time or not at all.

uvicorn waits for a request's first bytes as long as a client likes; a few hundred connections
that send a header now and then would take every descriptor the process may have. What it
answers leaves at once: asyncio says so to the system only for sockets that name TCP as their
protocol, which those of uvicorn's `bind_socket` do not, and an answer's body then waits about
40 ms for the client to acknowledge its head.
"""

from __future__ import annotations

import asyncio
import socket
from typing import TYPE_CHECKING, cast

import uvicorn
from starlette.datastructures import Headers
from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    from asyncio import TimerHandle
    from collections.abc import Callable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEAD_SECONDS = 10.0
"""Within which a request's line and headers must have come."""
CONNECTIONS = 512
"""Open at the same time; half of what a process may have open on most systems."""


class PunctualProtocol(H11Protocol):
    """Closes a connection whose next request's head is late, and those beyond CONNECTIONS."""

    late: TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin to wait for a head."""
        super().connection_made(cast("asyncio.Transport", transport))
        connected: socket.socket = transport.get_extra_info("socket")
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if len(self.connections) > CONNECTIONS:
            self.transport.close()
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Take what came; a head that begins is waited for, a whole one no longer."""
        self._wait()
        super().data_received(data)
        if not self._without_request():
            self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _without_request(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _wait(self) -> None:
        if self.late is None and self._without_request():
            self.late = self.loop.call_later(HEAD_SECONDS, self.transport.abort)

    def _stop_waiting(self) -> None:
        if self.late is not None:
            self.late.cancel()
            self.late = None


class StoppingServer(uvicorn.Server):
    """Calls `close` once it is asked to stop, before it waits."""

    def __init__(self, config: uvicorn.Config, close: Callable[[], None]) -> None:
        """Serve by `config`."""
        super().__init__(config)
        self._close = close

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams, close the port, wait for what is in flight."""
        self._close()
        await super().shutdown(sockets)


class WholeStreams:
    """Ends each event stream that its application leaves open, as sse-starlette 3.7 does."""

    def __init__(self, app: ASGIApp) -> None:
        """Watch the answers of `app`."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        is_open = False

        async def watched(message: Message) -> None:
            nonlocal is_open
            if message["type"] == "http.response.start":
                is_open = _is_stream(message)
            elif message["type"] == "http.response.body":
                is_open = is_open and message.get("more_body", False)
            await send(message)

        await self._app(scope, receive, watched)
        if is_open:
            await send({"type": "http.response.body"})


def _is_stream(start: Message) -> bool:
    kind = Headers(raw=start.get("headers", [])).get("content-type", "")
    return kind.startswith("text/event-stream")
