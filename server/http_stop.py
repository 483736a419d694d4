"""How serving over HTTP ends: what waits for changes is told so, then what is in flight finishes.

uvicorn waits for every open response, and a stream of changes is one that never ends by itself:
it would be cut after GRACE, in the middle. So the streams end first, each as its era does it:
with the request's result since 2026-07-28, with the stream's last chunk before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import uvicorn
from starlette.datastructures import Headers

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send


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
