"""Serve HTTP until a signal.

What is in flight has some seconds to finish, then uvicorn raises the signal once more; the command
line's own handler takes the second one and ends the process with status 0.
"""

from __future__ import annotations

import errno
import logging
import os
import socket
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from blog_search_mcp.index.errors import PortUnusable
from blog_search_mcp.server.engine import engine_for
from blog_search_mcp.server.http.app import PATH, STREAMS, build_app
from blog_search_mcp.server.protocol.app import build_server
from blog_search_mcp.server.settings import Access, Address, Settings
from blog_search_mcp.server.tools.registry import TOOLSETS
from blog_search_mcp.server.usage import UsageLog

CONNECTIONS = 512
"""Open at the same time: half of the files that a process may have open on most systems. Whoever
comes then is answered with 503."""
GRACE = 10
"""Seconds that requests in flight may take to end after a signal."""

log = logging.getLogger(__name__)


def serve_http(settings: Settings, address: Address, access: Access) -> int:
    """Serve until a signal; return the exit status. Exits with 1 if the port is taken."""
    engine = engine_for(settings)
    logs = [UsageLog(settings.usage_log)] if settings.usage_log else []
    server = build_server(engine, TOOLSETS[settings.toolset], logs, STREAMS)
    app = build_app(engine, address, access, server)
    try:
        return serve(app, address, engine.warm_up, server.notifier.close)
    except PortUnusable as error:
        sys.stderr.write(f"{error}\n")
        return 1


def serve(
    app: ASGIApp, address: Address, on_bound: Callable[[], None], on_stop: Callable[[], None]
) -> int:
    """Serve `app`.

    `on_bound` is called once the port is taken, `on_stop`, which ends streams, when a signal asks
    to stop. Raises PortUnusable.
    """
    config = uvicorn.Config(
        app,
        ws="none",
        backlog=CONNECTIONS,
        limit_concurrency=CONNECTIONS,
        timeout_graceful_shutdown=GRACE,
        log_level="warning",
        server_header=False,
    )
    server = _Server(config, on_stop)
    bound = _bind(address)
    on_bound()
    log.setLevel(logging.INFO)
    place = f"http://{address.url_host}:{address.port}"
    log.info("Serving on %s%s, a search page on %s/; stop with Ctrl-C.", place, PATH, place)
    server.run(sockets=bound)
    return 0


class _Server(uvicorn.Server):
    """Ends streams at a signal: uvicorn waits for them until its time is over."""

    def __init__(self, config: uvicorn.Config, on_stop: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_stop = on_stop

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop serving."""
        self._on_stop()
        super().handle_exit(sig, frame)


def _bind(address: Address) -> list[socket.socket]:
    """Take the port at each address of the host that this machine has. Raises PortUnusable."""
    place = f"{address.url_host}:{address.port}"
    try:
        found = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
        bound = [listening for each in found if (listening := _listen(*each))]
    except (socket.gaierror, UnicodeError) as error:  # the latter for a label that DNS cannot have
        raise PortUnusable(
            f"{address.host} is no name that this machine knows. Use 127.0.0.1, or one of its "
            "own addresses."
        ) from error
    except PermissionError as error:
        raise PortUnusable(
            f"{place} may not be used by this account. Choose a port above 1023: --http HOST:PORT."
        ) from error
    except OSError as error:
        raise PortUnusable(
            f"{place} is used by another program, perhaps by this server, started before. Stop "
            "that one, or choose another port: --http HOST:PORT."
        ) from error
    if not bound:
        raise PortUnusable(f"{address.host} is no address of this machine. Use 127.0.0.1.")
    return bound


def _listen(
    family: int, kind: int, protocol: int, _name: str, place: tuple[Any, ...]
) -> socket.socket | None:
    """Listen at one address; `None` where this machine does not have it."""
    try:
        # asyncio sets TCP_NODELAY where the protocol is named; else a body waits 40 ms for an
        # answer.
        listening = socket.socket(family, kind, protocol)
        if os.name != "nt":  # there it would let two programs have the same port
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(place)
    except OSError as error:
        if error.errno in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT):
            return None
        raise
    listening.listen(CONNECTIONS)
    return listening
