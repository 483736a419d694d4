"""Serve MCP, the API and the search page over HTTP, behind the guards, until a signal.

A web page that the user opens can send requests to this machine. If the page's host name resolves
to this machine (DNS rebinding), it could read the answers too. Its requests have that name as Host,
so they are refused. Without a token, an Origin (if sent, and except for open paths) must be the
request's Host or a name that the owner allows, since a proxy may change the Host.
"""

import asyncio
import hmac
import logging
import re
import socket
import time
from collections.abc import Container
from contextlib import suppress
from typing import Any
from urllib.parse import quote

import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.middleware.body_limit import RequestBodyLimitMiddleware
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from blog_search_mcp.index.invocation import PACKAGE
from blog_search_mcp.server.engine import Engine, engine_for
from blog_search_mcp.server.http.pages import api_route, open_routes, refusal
from blog_search_mcp.server.mcp.server import build_server
from blog_search_mcp.server.settings import MESSAGE_BYTES, Address, Settings

MCP_PATH = "/mcp"
MAX_CONNECTIONS = 512
"""Open connections at which each request gets a 503: half of most systems' limit of open files."""
ARRIVAL_SECONDS = 10
"""Seconds in which a request must arrive. Clients send it in a few packets; connections that send
nothing would otherwise use up all MAX_CONNECTIONS."""
SHUTDOWN_SECONDS = 10
"""Seconds that requests in flight have to finish after a signal. Uvicorn then raises the signal."""
ALLOW = "start it with --allow-host {}, or let the proxy pass the Host on."
log = logging.getLogger(__name__)


def build_app(engine: Engine, address: Address, server: Server[Any] | None = None) -> ASGIApp:
    """Build the application with the guards of `address`; `server` answers at `/mcp`."""
    without_token = open_routes(engine)
    app = (server or build_server(engine)).streamable_http_app(
        streamable_http_path=MCP_PATH,
        json_response=True,
        stateless_http=True,
        # The SDK's check refuses `Host: localhost`, and would guard only /mcp.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        custom_starlette_routes=[*without_token, api_route(engine)],
    )
    limited = RequestBodyLimitMiddleware(app, MESSAGE_BYTES)
    open_paths, logged = {route.path for route in without_token}, -1.0

    async def guard(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal logged
        is_request = scope["type"] == "http"
        if is_request:  # a redirect to the path without a slash would name the wrong scheme
            path = scope["path"].rstrip("/") or "/"
            scope = {**scope, "path": path, "raw_path": quote(path).encode()}
        refused = refuse(scope, address, open_paths) if is_request else None
        if refused and refused.status_code in (400, 401, 403) and time.monotonic() > logged + 1:
            logged = time.monotonic()  # at most one line per second, to spare the disk
            client = (scope["client"] or ["?"])[0]
            log.warning("%s got %d: %s", client, refused.status_code, bytes(refused.body).decode())
        with suppress(ClientDisconnect):  # nobody is left to answer
            await (refused or limited)(scope, receive, send)

    return guard


def refuse(scope: Scope, address: Address, open_paths: Container[str]) -> Response | None:
    """Return the response to a refused request, else `None`; `open_paths` need only a valid Host.

    A server that listens on every address accepts any Host: it always has a token.
    """
    path, headers = scope["path"], Headers(scope=scope)
    hosts, origins = headers.getlist("host"), headers.getlist("origin")
    names = {"127.0.0.1", "localhost", "[::1]", address.url_host, *address.names}
    for name in () if address.is_any else map(_find_name, hosts or [""]):
        if name not in names:
            return refusal(400, f"This server does not answer as {name!r}: {ALLOW.format(name)}")
    if "/.well-known/" in path:  # 401 would promise an authorization server
        return refusal(404, "There is nothing at this address.")
    if path in open_paths:
        return None
    if address.token and not _has_token(headers, address.read_token()):
        sentence = "The token is missing or wrong: send it as Authorization: Bearer TOKEN."
        return refusal(401, sentence, {"WWW-Authenticate": 'Bearer realm="blog"'})
    for origin in () if address.token else origins:
        scheme, _, host = origin.lower().partition("://")
        is_allowed = host in map(str.lower, hosts) or _find_name(host) in address.names
        if scheme not in ("http", "https") or not is_allowed:
            allow = ALLOW.format(_find_name(host) or "NAME")
            return refusal(403, f"This server answers no page at {origin!r}: {allow}")
    if path == MCP_PATH and scope["method"] != "POST":
        # The SDK would hold a stream open on which nothing is ever sent.
        return refusal(405, "Messages are sent by POST.", {"Allow": "POST"})
    return None


def _find_name(host: str) -> str:
    """Return HOST of `HOST:PORT` in lower case. An IPv6 address keeps its brackets."""
    return re.sub(r":\d*\Z", "", host.strip().lower())


def _has_token(headers: Headers, token: str) -> bool:
    """Whether a request has the token; the comparison takes constant time."""
    scheme, _, sent = headers.get("authorization", "").partition(" ")
    is_same = hmac.compare_digest(sent.strip().encode(), token.encode())
    return bool(token) and is_same and scheme.lower() == "bearer"


def is_worth_logging(record: logging.LogRecord) -> bool:
    """Whether to log a record: not if its error is a client that hung up, or an OSError."""
    error = record.exc_info[1] if record.exc_info else record.msg
    return not isinstance(error, ClientDisconnect | OSError)


class PromptProtocol(H11Protocol):
    """HTTP/1.1 that closes a connection if a request takes over ARRIVAL_SECONDS to arrive."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Set the deadline for the first request."""
        super().connection_made(transport)
        self._set_deadline()

    def data_received(self, data: bytes) -> None:
        """Start the deadline of the next request at its first byte; end it with the last byte."""
        super().data_received(data)
        self._set_deadline()

    def _set_deadline(self) -> None:
        if self.cycle is None or self.cycle.response_complete or self.cycle.more_body:
            after = self.loop.call_later
            self._deadline = self._deadline or after(ARRIVAL_SECONDS, self.transport.close)
        elif self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


def serve_http(settings: Settings, address: Address) -> int:
    """Serve until a signal; return the exit status, 1 if the port cannot be used."""
    engine = engine_for(settings)
    mcp = build_server(engine, settings.toolset)
    for handler in logging.getLogger().handlers:
        handler.addFilter(is_worth_logging)
    config = uvicorn.Config(
        build_app(engine, address, mcp),
        host=address.host,
        port=address.port,
        http=PromptProtocol,
        ws="none",
        backlog=MAX_CONNECTIONS,
        limit_concurrency=MAX_CONNECTIONS,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        log_level="error",  # anybody can cause its warnings
        log_config=None,  # keeps this program's logging and its filter
        server_header=False,
    )

    class Announced(uvicorn.Server):
        """A server that opens the index and logs its address once it listens."""

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            engine.warm_up()
            log.setLevel(logging.INFO)
            url = f"http://{_find_host() if address.is_any else address.url_host}:{address.port}"
            log.info("Serving on %s%s, a search page on %s/; stop with Ctrl-C.", url, MCP_PATH, url)
            if not address.is_local:
                word = f"{PACKAGE} install CLIENT --url {url}{MCP_PATH} --token-file FILE"
                log.info("To connect a client to it: %s", word)

    server = Announced(config)
    try:
        server.run()
    except SystemExit:
        sentence = "%s:%s is in use or not allowed; choose another place: --http HOST:PORT."
        log.error(sentence, address.url_host, address.port)
    return 0 if server.started else 1


def _find_host() -> str:
    """Return this machine's address on its network, else its host name. No packet is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, suppress(OSError):
        probe.connect(("192.0.2.1", 9))
        return str(probe.getsockname()[0])
    return socket.gethostname()
