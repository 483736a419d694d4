"""Build the ASGI application: MCP, the API and the search page behind the guards.

A request passes the guards in this order. Names come first: a page that rebound its name learns
nothing else. CORS stands before those that refuse, so that a named page can read why. The rate
counts wrong tokens too. A body is read last.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mcp.server.transport_security import TransportSecuritySettings
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from blog_search_mcp.server.engine import Served
from blog_search_mcp.server.http.api import api_routes
from blog_search_mcp.server.http.guards import allowed_names, token_check, with_check
from blog_search_mcp.server.http.limits import RateLimit, limit_bodies
from blog_search_mcp.server.http.pages import health_route, page_routes
from blog_search_mcp.server.http.uvicorn_protocol import end_streams
from blog_search_mcp.server.protocol.app import build_server
from blog_search_mcp.server.settings import Access, Address
from blog_search_mcp.server.tools.registry import switchable
from blog_search_mcp.server.usage import UsageLog

PATH = "/mcp"
SESSIONS = 512
"""Clients of the older protocol that are remembered at the same time."""
STREAMS = 1_000
"""Clients that may wait for changes at a time."""


@dataclass(frozen=True, slots=True)
class Application:
    """The ASGI application, and how to end its streams."""

    app: ASGIApp
    close: Callable[[], None]
    """End each stream that waits for changes with its result; return at once."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        await self.app(scope, receive, send)


def build_app(
    searcher: Served,
    address: Address,
    access: Access,
    extended: bool = False,
    usage: UsageLog | None = None,
) -> Application:
    """Build the application for `address`, open to those whom `access` admits."""
    open_routes = [health_route(searcher), *page_routes()]
    server = build_server(searcher, switchable(extended), usage, STREAMS)
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        max_sessions=SESSIONS,
        # The SDK's own check refuses `Host: localhost`, and would guard /mcp alone.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        custom_starlette_routes=[*open_routes, *api_routes(searcher)],
    )
    open_paths = frozenset(route.path for route in open_routes)
    return Application(guarded(app, address, access, open_paths), server.notifier.close)


def guarded(
    app: ASGIApp, address: Address, access: Access, open_paths: frozenset[str] = frozenset()
) -> ASGIApp:
    """Put the guards before `app`; `open_paths` need no token."""
    inner = limit_bodies(end_streams(app))
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
    inner = with_check(inner, allowed_names(address, access).check)

    async def dispatch(scope: Scope, receive: Receive, send: Send) -> None:
        await (app if scope["type"] == "lifespan" else inner)(scope, receive, send)

    return dispatch
