"""What is served over HTTP, and its guards: a Searcher comes in, an ASGI application goes out.

A request meets the guards in this order. Names come first, since nothing else may tell a
rebound page anything. CORS stands before those that refuse, so that a named page can read
why. The rate counts wrong tokens too. A body is read once a request has a place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mcp.server.transport_security import TransportSecuritySettings
from starlette.middleware.cors import CORSMiddleware

from blog_search_mcp.server.http.api import api_routes
from blog_search_mcp.server.http.body_limit import BodyGuard
from blog_search_mcp.server.http.guards import NamesGuard, TokenGuard, names_of
from blog_search_mcp.server.http.pages import health_route, page_routes
from blog_search_mcp.server.http.rate_limit import Buckets, PlacesGuard, RateGuard
from blog_search_mcp.server.http.uvicorn_protocol import WholeStreams
from blog_search_mcp.server.protocol.app import build_server
from blog_search_mcp.server.stdio.json_rpc import MESSAGE_BYTES
from blog_search_mcp.server.tools.registry import switchable

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp, Receive, Scope, Send

    from blog_search_mcp.server.engine import Served
    from blog_search_mcp.server.settings import Access, Address
    from blog_search_mcp.server.usage import UsageLog

PATH = "/mcp"
SESSIONS = 512
"""Clients of the older protocol that are remembered at the same time."""
STREAMS = 1_000
"""Clients that may wait for changes at a time."""


@dataclass(frozen=True, slots=True)
class Application:
    """What answers every request, and how to end what waits for changes."""

    answer: ASGIApp
    close: Callable[[], None]
    """Ends each stream with its result; returns at once."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        await self.answer(scope, receive, send)


def build_app(
    searcher: Served,
    address: Address,
    access: Access,
    extended: bool = False,
    usage: UsageLog | None = None,
) -> Application:
    """Build the application that answers at `address` those whom `access` lets ask."""
    open_routes = [health_route(searcher), *page_routes()]
    server = build_server(searcher, switchable(extended), usage, STREAMS)
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        max_request_body_size=MESSAGE_BYTES,
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
    """Put the guards before `app`; `open_paths` are given without a token."""
    app = TokenGuard(BodyGuard(WholeStreams(app)), access.token, open_paths)
    app = RateGuard(PlacesGuard(app), Buckets())
    if access.origins:
        app = _readable_by(app, access.origins)
    return NamesGuard(app, names_of(address, access))


def _readable_by(app: ASGIApp, origins: tuple[str, ...]) -> ASGIApp:
    return CORSMiddleware(
        app,
        allow_origins=origins,
        allow_methods=("GET", "POST", "DELETE"),
        allow_headers=("*",),
        expose_headers=("Mcp-Session-Id", "Retry-After", "WWW-Authenticate"),
    )
