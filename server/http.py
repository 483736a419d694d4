"""Serving many clients of this machine over streamable HTTP, at /mcp."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings

from server.app import build_server
from server.engine import engine_for
from server.messages import MESSAGE_BYTES
from server.toolset import switchable

if TYPE_CHECKING:
    from server.settings import Address, Settings

PATH = "/mcp"
STREAMS = 1_000
"""Clients that may wait for changes at a time."""
GRACE = 2
"""Seconds that calls in flight may take to end once the process is asked to stop."""

log = logging.getLogger(__name__)


def serve_http(settings: Settings, address: Address) -> int:
    """Serve until a signal; returns the exit status. Exits with 1 if the port is taken."""
    engine = engine_for(settings)
    app = build_server(engine, switchable(settings.extended), STREAMS).streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        max_request_body_size=MESSAGE_BYTES,
        host=address.host,
        transport_security=local_names(address),
    )
    config = uvicorn.Config(
        app,
        host=address.host,
        port=address.port,
        log_level="warning",
        timeout_graceful_shutdown=GRACE,
    )
    bound = config.bind_socket()
    engine.warm_up()
    log.setLevel(logging.INFO)
    log.info("Serving on http://%s%s; stop with Ctrl-C.", authority(address), PATH)
    uvicorn.Server(config).run(sockets=[bound])
    return 0


def authority(address: Address) -> str:
    """Write `host:port` as it stands in a URL."""
    host = f"[{address.host}]" if ":" in address.host else address.host
    return f"{host}:{address.port}"


def local_names(address: Address) -> TransportSecuritySettings:
    """Allow the names of this machine; any other Host is a page that rebinds its DNS name."""
    hosts = sorted({"127.0.0.1", "localhost", "[::1]", authority(address).rpartition(":")[0]})
    ports = [f"{host}:*" for host in hosts]
    return TransportSecuritySettings(
        allowed_hosts=[*hosts, *ports],
        allowed_origins=[f"http://{host}" for host in [*hosts, *ports]],
    )
