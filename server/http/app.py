"""Build the ASGI application: MCP, the API and the search page behind the guards.

A request passes the guards in this order. Names come first: a page that rebound its name learns
nothing else. An ambiguous head is next, since it could make up the address that is counted. CORS
stands before those that refuse, so that a named page can read why. The rate counts wrong tokens
too. A body is read before the request waits for its client's others.
"""

from __future__ import annotations

from collections.abc import Callable

from mcp.server.transport_security import TransportSecuritySettings
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from blog_search_mcp.server.engine import Engine
from blog_search_mcp.server.http.api import api_routes
from blog_search_mcp.server.http.guards import allowed_names, head_check, token_check, with_check
from blog_search_mcp.server.http.limits import (
    RateLimit,
    limit_bodies,
    share_sessions,
    share_threads,
)
from blog_search_mcp.server.http.pages import health_route, page_routes
from blog_search_mcp.server.http.uvicorn_protocol import end_streams
from blog_search_mcp.server.protocol.app import BlogServer, build_server
from blog_search_mcp.server.settings import Access, Address

PATH = "/mcp"
SESSIONS = 512
"""Clients of the older protocol that are remembered at the same time."""
STREAMS = 1_000
"""Clients that may wait for changes at a time."""


def build_app(
    searcher: Engine,
    address: Address,
    access: Access,
    server: BlogServer | None = None,
    is_stopping: Callable[[], bool] = lambda: False,
) -> ASGIApp:
    """Build the application for `address`, open to those whom `access` admits.

    `server` answers at `/mcp`; by default one with the core tools that logs nothing.
    While the server `is_stopping`, the health is 503.
    """
    open_routes = [health_route(searcher, is_stopping), *page_routes()]
    server = server or build_server(searcher, streams=STREAMS)
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        max_sessions=SESSIONS,
        # The SDK's own check refuses `Host: localhost`, and would guard /mcp alone.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        custom_starlette_routes=[*open_routes, *api_routes(searcher)],
    )
    open_paths = frozenset(route.path for route in open_routes)
    return guarded(share_sessions(app, PATH), address, access, open_paths)


def guarded(
    app: ASGIApp, address: Address, access: Access, open_paths: frozenset[str] = frozenset()
) -> ASGIApp:
    """Put the guards before `app`; `open_paths` need no token."""
    inner = limit_bodies(share_threads(end_streams(app)))
    if access.token:
        inner = with_check(inner, token_check(access.token, open_paths))
    inner = with_check(inner, RateLimit().check)
    if access.origins:
        inner = CORSMiddleware(
            inner,
            allow_origins=access.origins,
            allow_methods=("GET", "POST", "DELETE"),
            allow_headers=("*",),
            expose_headers=("Mcp-Session-Id", "Retry-After", "WWW-Authenticate"),
        )
    inner = with_check(inner, head_check(access))
    inner = with_check(inner, allowed_names(address, access).check)

    async def dispatch(scope: Scope, receive: Receive, send: Send) -> None:
        await (app if scope["type"] == "lifespan" else inner)(scope, receive, send)

    return dispatch
