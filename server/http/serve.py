"""Serve HTTP until a signal.

What is in flight has some seconds to finish, then uvicorn raises the signal once more; the command
line's own handler takes the second one and ends the process with status 0.
"""

from __future__ import annotations

import logging
import socket
from contextlib import suppress

import uvicorn

from blog_search_mcp.index.commands import PACKAGE
from blog_search_mcp.server.engine import Engine, engine_for
from blog_search_mcp.server.http.app import PATH, build_app
from blog_search_mcp.server.protocol.app import BlogServer, build_server
from blog_search_mcp.server.settings import Address, Settings

CONNECTIONS = 512
"""Open at the same time: half of the files that a process may have open on most systems. Whoever
comes then is answered with 503."""
GRACE = 10
"""Seconds that requests in flight may take to end after a signal."""

log = logging.getLogger(__name__)


def serve_http(settings: Settings, address: Address) -> int:
    """Serve until a signal; return the exit status, 1 if the port cannot be had."""
    engine = engine_for(settings)
    mcp = build_server(engine, settings.toolset, settings.usage_log)
    config = uvicorn.Config(
        build_app(engine, address, mcp),
        host=address.host,
        port=address.port,
        ws="none",
        backlog=CONNECTIONS,
        limit_concurrency=CONNECTIONS,
        timeout_graceful_shutdown=GRACE,
        log_level="warning",
        server_header=False,
    )
    place = f"{address.url_host}:{address.port}"
    server = _Server(config, address, engine, mcp)
    try:
        server.run()
    except SystemExit:  # uvicorn has said why
        log.error("%s cannot be served on; choose another place: --http HOST:PORT.", place)
    return 0 if server.started else 1


def _find_host() -> str:
    """Return this machine's address on its network, else its name; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, suppress(OSError):
        probe.connect(("192.0.2.1", 9))
        return str(probe.getsockname()[0])
    return socket.gethostname()


class _Server(uvicorn.Server):
    """Opens the index and says where it serves once the port is taken; ends streams at a signal."""

    def __init__(
        self, config: uvicorn.Config, address: Address, engine: Engine, mcp: BlogServer
    ) -> None:
        super().__init__(config)
        host = _find_host() if address.is_any else address.url_host
        self._url, self._address = f"http://{host}:{address.port}", address
        self._engine, self._changes = engine, mcp.changes

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Take the port."""
        await super().startup(sockets)
        self._engine.warm_up()
        log.setLevel(logging.INFO)
        said = "Serving on %s%s, a search page on %s/; stop with Ctrl-C."
        log.info(said, self._url, PATH, self._url)
        if not self._address.is_local:
            word = f"{PACKAGE} install CLIENT --url {self._url}{PATH} --token-file FILE"
            log.info("Whoever shall ask it writes an entry: %s", word)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams, which would last as long as the grace, and wait for the rest."""
        self._changes.close()
        await super().shutdown(sockets)
