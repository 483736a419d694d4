"""What is served over HTTP, and its guards: a Searcher comes in, an ASGI application goes out.

A request meets the guards in this order. Names come first, since nothing else may tell a
rebound page anything. CORS stands before those that refuse, so that a named page can read
why. The rate counts wrong tokens too. A body is read once a request has a place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp.server.transport_security import TransportSecuritySettings
from starlette.middleware.cors import CORSMiddleware

from server.app import build_server
from server.http_api import api_routes
from server.http_body import BodyGuard
from server.http_guard import NamesGuard, TokenGuard, names_of
from server.http_health import health_route
from server.http_rate import Buckets, PlacesGuard, RateGuard
from server.messages import MESSAGE_BYTES
from server.toolset import switchable

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from server.engine import Served
    from server.http_settings import Access, Address
    from server.usage import UsageLog

PATH = "/mcp"
SESSIONS = 512
"""Clients of the older protocol that are remembered at the same time."""
STREAMS = 1_000
"""Clients that may wait for changes at a time."""


def build_app(
    searcher: Served,
    address: Address,
    access: Access,
    extended: bool = False,
    usage: UsageLog | None = None,
) -> ASGIApp:
    """Build the application that answers at `address` those whom `access` lets ask."""
    open_routes = [health_route(searcher)]
    app: ASGIApp = build_server(searcher, switchable(extended), usage, STREAMS).streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        max_request_body_size=MESSAGE_BYTES,
        max_sessions=SESSIONS,
        # The SDK's own check refuses `Host: localhost`, and would guard /mcp alone.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        custom_starlette_routes=[*open_routes, *api_routes(searcher)],
    )
    without_token = frozenset(route.path for route in open_routes)
    app = TokenGuard(BodyGuard(app), access.token, without_token)
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
