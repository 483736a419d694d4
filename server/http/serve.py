"""Serve HTTP until a signal.

What is in flight is finished, then uvicorn raises the signal once more; the command line's own
handler takes the second one and ends the process with status 0.
"""

from __future__ import annotations

import errno
import logging
import os
import socket
import sys
import threading
from collections.abc import Callable
from contextlib import suppress

import uvicorn
from starlette.types import ASGIApp

from blog_search_mcp.index.errors import PortUnusable
from blog_search_mcp.server.engine import engine_for
from blog_search_mcp.server.http.app import PATH, STREAMS, build_app
from blog_search_mcp.server.http.uvicorn_protocol import (
    CONNECTIONS,
    LimitedProtocol,
    StoppingServer,
)
from blog_search_mcp.server.protocol.app import CallLog, build_server
from blog_search_mcp.server.settings import Address, Settings
from blog_search_mcp.server.tools.registry import TOOLSETS
from blog_search_mcp.server.usage import UsageLog

log = logging.getLogger(__name__)


def serve_http(settings: Settings, address: Address) -> int:
    """Serve until a signal; return the exit status. Exits with 1 if the port is taken."""
    engine = engine_for(settings)
    logs: list[CallLog] = [UsageLog(settings.usage_log)] if settings.usage_log else []
    server = build_server(engine, TOOLSETS[settings.toolset], logs, STREAMS)
    stopping = threading.Event()
    app = build_app(engine, address, settings.access, server, stopping.is_set)

    def on_stop() -> None:
        stopping.set()
        server.notifier.close()

    try:
        return serve(app, address, engine.warm_up, on_stop)
    except PortUnusable as error:
        sys.stderr.write(f"{error}\n")
        return 1


def serve(
    app: ASGIApp, address: Address, on_bound: Callable[[], None], on_stop: Callable[[], None]
) -> int:
    """Serve `app`.

    `on_bound` is called once the port is taken; `on_stop` when a signal asks to stop, and then
    until nothing is in flight.
    """
    config = uvicorn.Config(
        app,
        host=address.host,
        port=address.port,
        http=LimitedProtocol,
        ws="none",
        backlog=CONNECTIONS,
        log_level="warning",
        server_header=False,
    )
    bound = _bind(address)
    _allow_files(3 * CONNECTIONS)
    server = StoppingServer(config, on_stop)
    on_bound()
    log.setLevel(logging.INFO)
    place = f"http://{address.url_host}:{address.port}"
    log.info("Serving on %s%s, a search page on %s/; stop with Ctrl-C.", place, PATH, place)
    server.run(sockets=[bound])
    return 0


def _allow_files(number: int) -> None:
    """Let this process open so many files, or as many as it may: macOS starts with 256.

    CONNECTIONS are open and as many accepted at once before any is closed.
    """
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    soft, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = number if most == resource.RLIM_INFINITY else min(number, most)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


def _bind(address: Address) -> socket.socket:
    """Take the port. Raises PortUnusable."""
    place = f"{address.url_host}:{address.port}"
    try:
        [(family, *_), *_] = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
        bound = socket.socket(family)
        if os.name != "nt":  # there it would let two programs have the same port
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((address.host, address.port))
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
        is_taken = error.errno == errno.EADDRINUSE
        raise PortUnusable(
            f"{place} is used by another program, perhaps by this server, started before. Stop "
            "that one, or choose another port: --http HOST:PORT."
            if is_taken
            else f"{address.host} is no address of this machine. Use 127.0.0.1."
        ) from error
    bound.set_inheritable(True)
    return bound
