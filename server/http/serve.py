"""Serve HTTP until a signal.

uvicorn finishes what is in flight and then raises the signal once more; the command line's own
handler takes the second one and ends the process with status 0.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

import uvicorn

from blog_search_mcp.server.engine import engine_for
from blog_search_mcp.server.http.app import PATH, Application, build_app
from blog_search_mcp.server.http.uvicorn_protocol import LimitedProtocol, StoppingServer
from blog_search_mcp.server.settings import Address, Settings
from blog_search_mcp.server.usage import UsageLog

GRACE = 10
"""Seconds that requests in flight may take to end once the process gets a signal to stop."""

log = logging.getLogger(__name__)


def serve_http(settings: Settings, address: Address) -> int:
    """Serve until a signal; return the exit status. Exits with 1 if the port is taken."""
    engine = engine_for(settings)
    usage = UsageLog(settings.usage_log) if settings.usage_log else None
    app = build_app(engine, address, settings.access, settings.extended, usage)
    return serve(app, address, engine.warm_up)


def serve(app: Application, address: Address, on_bound: Callable[[], None]) -> int:
    """Serve `app`; `on_bound` is called once the port is taken."""
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
    StoppingServer(config, app.close).run(sockets=[bound])
    return 0
