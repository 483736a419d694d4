"""Adapt uvicorn's HTTP/1.1: limits of time and number, fewer delays, streams that end at shutdown.

uvicorn waits for a request's first bytes as long as a client likes; a few hundred connections
that send a header now and then would take every descriptor the process may have. asyncio sets
TCP_NODELAY only on sockets that name TCP as their protocol, which those of uvicorn's `bind_socket`
do not; without it an answer's body waits about 40 ms until the client acknowledges its head.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
import time
from asyncio import TimerHandle
from collections.abc import Callable
from math import ceil
from typing import Any, cast

import uvicorn
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from blog_search_mcp.server.http.limits import LOCAL, name_client

HEAD_SECONDS = 10.0
"""Within which a request's line and headers must have come."""
CONNECTIONS = 512
"""Open at the same time, each with one request at most: half of the files that a process may have
open on most systems."""
CLIENT_CONNECTIONS = 64
"""Of them for one client; those of this machine share one address, and have no share."""


class LimitedProtocol(H11Protocol):
    """Close a connection whose next request's head is late, and those that are too many.

    Where there are too many, the one closed has waited longest for its client.
    """

    _timer: TimerHandle | None = None
    _since = 0.0
    """When it began to wait for the head of its latest request, by the loop's clock."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Start the time limit of the first head."""
        super().connection_made(cast("asyncio.Transport", transport))
        connected: socket.socket = transport.get_extra_info("socket")
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._start_timer()
        self._make_room()

    def data_received(self, data: bytes) -> None:
        """Start the time limit with a head's first bytes and stop it with the last."""
        self._start_timer()
        super().data_received(data)
        if not self._is_idle():
            self._stop_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the time limit."""
        self._stop_timer()
        super().connection_lost(exc)

    def _make_room(self) -> None:
        """Close one connection if this client's are too many, or all clients' are."""
        known = (each for each in self.connections if isinstance(each, LimitedProtocol))
        opened = [each for each in known if not each.transport.is_closing()]
        own = [each for each in opened if each._client_name == self._client_name]
        is_greedy = self._client_name != LOCAL and len(own) > CLIENT_CONNECTIONS
        if is_greedy or len(opened) > CONNECTIONS:
            waiting = [each for each in (own if is_greedy else opened) if each._waits()]
            min(waiting, key=lambda each: each._since).transport.abort()

    @property
    def _client_name(self) -> str:
        return name_client(self.client[0] if self.client else "")

    def _waits(self) -> bool:
        """Whether its client has to send something first."""
        return self._is_idle() or self.cycle.more_body

    def _is_idle(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _start_timer(self) -> None:
        if self._timer is None and self._is_idle():
            self._since = self.loop.time()
            self._timer = self.loop.call_later(HEAD_SECONDS, self.transport.abort)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


GRACE = 10
"""Seconds that requests in flight may take to end once the process gets a signal to stop."""
TICK = 0.05
"""Seconds between two looks at what is in flight."""


SILENCE = 60.0
"""Seconds between two warnings that connections cannot be accepted."""
_NO_ROOM = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
"""After which asyncio accepts connections again a second later."""

log = logging.getLogger(__name__)


class StoppingServer(uvicorn.Server):
    """Drain once a signal asks to stop: the port stays open until nothing is in flight.

    So whoever shares the load out can still ask for the health, and what it sends meanwhile is
    answered; each answer asks it for another connection.
    """

    def __init__(self, config: uvicorn.Config, close: Callable[[], None]) -> None:
        """Serve by `config`; `close` ends streams, and is called again and again."""
        super().__init__(config)
        self._close = close
        self._silent_until = 0.0

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to accept connections."""
        asyncio.get_running_loop().set_exception_handler(self._report)
        await super().startup(sockets)

    def _report(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Log what no one else handles; a lack of files now and then.

        asyncio reports one for each connection that it may have accepted, 8,000 a second, and
        after the port is closed as often that it cannot go on.
        """
        error = context.get("exception")
        if "socket" in context and isinstance(error, OSError) and error.errno in _NO_ROOM:
            if loop.time() >= self._silent_until:
                self._silent_until = loop.time() + SILENCE
                advice = f"; `ulimit -n {3 * CONNECTIONS}` before it starts allows it more files"
                more = advice if error.errno == errno.EMFILE else ""
                log.warning("New connections wait for others to end: %s%s.", error.strerror, more)
        elif not (self.should_exit and "_start_serving" in str(context.get("handle"))):
            loop.default_exception_handler(context)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams, wait for what is in flight, close the port. Takes GRACE at most."""
        deadline = time.monotonic() + GRACE
        self._close()
        self.server_state.default_headers.append((b"connection", b"close"))
        while self.server_state.tasks and not self.force_exit and time.monotonic() < deadline:
            await asyncio.sleep(TICK)
            self._close()
        if self.server_state.tasks:
            await self._cut_off()
        self.config.timeout_graceful_shutdown = max(1, ceil(deadline - time.monotonic()))
        await super().shutdown(sockets)

    async def _cut_off(self) -> None:
        """Close all connections: what is held up by a client that does not read ends with it."""
        unfinished = len(self.server_state.tasks)
        log.warning(
            "Requests that were cut off at the end, as they did not finish: %d.", unfinished
        )
        logging.getLogger("uvicorn.error").disabled = True  # it would log a traceback for each
        for each in list(self.server_state.connections):
            cast("LimitedProtocol", each).transport.abort()
        await asyncio.sleep(TICK)


def end_streams(app: ASGIApp) -> ASGIApp:
    """Send the end of each event stream that `app` leaves open, as sse-starlette 3.7 does."""

    async def ended(scope: Scope, receive: Receive, send: Send) -> None:
        is_open = False

        async def send_and_watch(message: Message) -> None:
            nonlocal is_open
            if message["type"] == "http.response.start":
                is_open = _is_stream(message)
            elif message["type"] == "http.response.body":
                is_open = is_open and message.get("more_body", False)
            await send(message)

        await app(scope, receive, send_and_watch)
        if is_open:
            await send({"type": "http.response.body"})

    return ended


def _is_stream(start: Message) -> bool:
    media_type = Headers(raw=start.get("headers", [])).get("content-type", "")
    return media_type.startswith("text/event-stream")
