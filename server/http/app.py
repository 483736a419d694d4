"""Build the ASGI application: MCP, the API and the search page behind the guards.

A page that the user opens can send requests to this machine. By pointing its own name here (DNS
rebinding) it could read the answers, but then its requests carry that name as Host, which
Starlette's TrustedHostMiddleware refuses before all else.
"""

from __future__ import annotations

import hmac
import time
from collections.abc import Callable, Container
from math import ceil
from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.middleware.body_limit import RequestBodyLimitMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from blog_search_mcp.server.engine import Engine
from blog_search_mcp.server.http.pages import api_route, open_routes, refusal
from blog_search_mcp.server.protocol.app import build_server
from blog_search_mcp.server.settings import MESSAGE_BYTES, Access, Address

PATH = "/mcp"
RATE = 100.0
"""Requests a second that may go on coming: one core answers some 50 searches a second."""
BURST = 1_000.0
"""Requests that may come at once, after as many seconds without one as fill it."""


def build_app(
    engine: Engine, address: Address, access: Access, server: Server[Any] | None = None
) -> ASGIApp:
    """Build the application for `address`, open to those whom `access` admits.

    `server` answers at `/mcp`; by default one with the core tools that logs nothing.
    """
    without_token = open_routes(engine)
    app: ASGIApp = (server or build_server(engine)).streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        stateless_http=True,
        # The SDK's own check refuses `Host: localhost`, and would guard /mcp alone.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        custom_starlette_routes=[*without_token, api_route(engine)],
    )
    app = RequestBodyLimitMiddleware(app, MESSAGE_BYTES)
    app = Guard(app, access, {route.path for route in without_token})
    # Every address has no name of its own; whoever asks there needs the token.
    names = ("127.0.0.1", "localhost", "[::1]", address.url_host, *access.names)
    return TrustedHostMiddleware(app, ["*"] if address.is_any else names, www_redirect=False)


class Guard:
    """Passes on to `app` the requests that `access` admits; `open_paths` need no token."""

    def __init__(
        self,
        app: ASGIApp,
        access: Access,
        open_paths: Container[str] = (),
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._app, self._access, self._open_paths = app, access, open_paths
        self._now, self._left, self._at = now, BURST, now()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or have `app` answer it."""
        refused = self.refuse(scope) if scope["type"] == "http" else None
        await (refused or self._app)(scope, receive, send)

    def refuse(self, scope: Scope) -> Response | None:
        """Return the response of a request that is refused; the rate counts wrong tokens too."""
        path, headers = scope["path"], Headers(scope=scope)
        host = headers.get("host", "").lower()
        origins = map(str.lower, headers.getlist("origin"))
        if not {f"http://{host}", f"https://{host}"}.issuperset(origins):
            return refusal(403, "This server answers no page of that Origin.")
        if wait := self._count():
            return refusal(429, "Too many requests; ask more slowly.", {"Retry-After": f"{wait}"})
        if path not in self._open_paths and not self._has_token(headers):
            sentence = "The token is missing or wrong: send it as Authorization: Bearer TOKEN."
            return refusal(401, sentence, {"WWW-Authenticate": 'Bearer realm="blog"'})
        if path == PATH and scope["method"] != "POST":
            # The SDK would hold a stream open on which nothing comes.
            return refusal(405, "Messages are sent by POST.", {"Allow": "POST"})
        return None

    def _count(self) -> int:
        """Return the seconds to wait, 0 for none: a token bucket that all clients share.

        What is refused does not count.
        """
        seconds = self._now() - self._at
        self._left, self._at = min(BURST, self._left + seconds * RATE), self._at + seconds
        if self._left < 1:
            return ceil((1 - self._left) / RATE)
        self._left -= 1
        return 0

    def _has_token(self, headers: Headers) -> bool:
        scheme, _, sent = headers.get("authorization", "").partition(" ")
        wanted = self._access.token
        # In a time that does not depend on how much of the token is right.
        is_same = hmac.compare_digest(sent.strip().encode(), wanted.encode())
        return not wanted or (is_same and scheme.lower() == "bearer")
