"""Serve HTTP until a signal.

uvicorn finishes what is in flight and then raises the signal once more; the command line's own
handler takes the second one and ends the process with status 0.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

import uvicorn
from starlette.types import ASGIApp

from blog_search_mcp.server.engine import engine_for
from blog_search_mcp.server.http.app import PATH, STREAMS, build_app
from blog_search_mcp.server.http.uvicorn_protocol import LimitedProtocol, StoppingServer
from blog_search_mcp.server.protocol.app import build_server
from blog_search_mcp.server.settings import Address, Settings
from blog_search_mcp.server.tools.registry import switchable
from blog_search_mcp.server.usage import UsageLog

GRACE = 10
"""Seconds that requests in flight may take to end once the process gets a signal to stop."""

log = logging.getLogger(__name__)


def serve_http(settings: Settings, address: Address) -> int:
    """Serve until a signal; return the exit status. Exits with 1 if the port is taken."""
    engine = engine_for(settings)
    usage = UsageLog(settings.usage_log) if settings.usage_log else None
    server = build_server(engine, switchable(settings.extended), usage, STREAMS)
    app = build_app(engine, address, settings.access, server)
    return serve(app, address, engine.warm_up, server.notifier.close)


def serve(
    app: ASGIApp, address: Address, on_bound: Callable[[], None], on_stop: Callable[[], None]
) -> int:
    """Serve `app`.

    `on_bound` is called once the port is taken, `on_stop` once a signal asks to stop.
    """
    config = uvicorn.Config(
        app,
        host=address.host,
        port=address.port,
        http=LimitedProtocol,
        ws="none",
        log_level="warning",
        server_header=False,
        timeout_graceful_shutdown=GRACE,
    )
    bound = config.bind_socket()
    on_bound()
    log.setLevel(logging.INFO)
    place = f"http://{address.url_host}:{address.port}"
    log.info("Serving on %s%s, a search page on %s/; stop with Ctrl-C.", place, PATH, place)
    StoppingServer(config, on_stop).run(sockets=[bound])
    return 0
