"""Build the ASGI application: MCP, the API and the search page behind the guards.

A request passes the guards in this order. Names come first: a page that rebound its name learns
nothing else. CORS stands before those that refuse, so that a named page can read why. The rate
counts wrong tokens too.
"""

from __future__ import annotations

from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.middleware.body_limit import RequestBodyLimitMiddleware
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.responses import Response
from starlette.types import ASGIApp, Scope

from blog_search_mcp.server.engine import Engine
from blog_search_mcp.server.http.api import api_routes
from blog_search_mcp.server.http.guards import (
    origin_check,
    rate_check,
    refusal,
    token_check,
    with_check,
)
from blog_search_mcp.server.http.pages import health_route, page_routes
from blog_search_mcp.server.protocol.app import build_server
from blog_search_mcp.server.settings import MESSAGE_BYTES, Access, Address

PATH = "/mcp"


def build_app(
    engine: Engine, address: Address, access: Access, server: Server[Any] | None = None
) -> ASGIApp:
    """Build the application for `address`, open to those whom `access` admits.

    `server` answers at `/mcp`; by default one with the core tools that logs nothing.
    """
    open_routes = [health_route(engine), *page_routes()]
    server = server or build_server(engine)
    app: ASGIApp = server.streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        stateless_http=True,
        max_request_body_size=MESSAGE_BYTES,
        # The SDK's own check refuses `Host: localhost`, and would guard /mcp alone.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        custom_starlette_routes=[*open_routes, *api_routes(engine)],
    )
    app = RequestBodyLimitMiddleware(with_check(app, _check_method), MESSAGE_BYTES)
    if access.token:
        open_paths = frozenset(route.path for route in open_routes)
        app = with_check(app, token_check(access.token, open_paths))
    app = with_check(app, rate_check())
    if access.origins:
        app = CORSMiddleware(
            app,
            allow_origins=access.origins,
            allow_methods=("GET", "POST"),
            allow_headers=("*",),
            expose_headers=("Retry-After", "WWW-Authenticate"),
        )
    app = with_check(app, origin_check(access.origins))
    # Every address has no name of its own; whoever asks there needs the token.
    names = ("127.0.0.1", "localhost", "[::1]", address.url_host, *access.names)
    return TrustedHostMiddleware(app, ["*"] if address.is_any else names, www_redirect=False)


def _check_method(scope: Scope) -> Response | None:
    """Refuse what is no POST at PATH: the SDK would hold a stream open on which nothing comes."""
    if scope["path"] != PATH or scope["method"] in {"POST", "OPTIONS"}:
        return None
    return refusal(405, "Messages are sent by POST.", {"Allow": "POST"})
