"""Build the ASGI application: MCP, the API and the search page behind the guards.

A page that the user opens can send requests to this machine. By pointing its own name here (DNS
rebinding) it could read the answers, but then its requests carry that name as Host, which
Starlette's TrustedHostMiddleware refuses before all else.
"""

from __future__ import annotations

import hmac
from collections.abc import Container
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
from blog_search_mcp.server.settings import MESSAGE_BYTES, Address

PATH = "/mcp"


def build_app(engine: Engine, address: Address, server: Server[Any] | None = None) -> ASGIApp:
    """Build the application for `address`, open to those whom it admits.

    `server` answers at `/mcp`; by default one with the core tools that logs nothing.
    """
    without_token = open_routes(engine)
    app = (server or build_server(engine)).streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        stateless_http=True,
        # The SDK's own check refuses `Host: localhost`, and would guard /mcp alone.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        custom_starlette_routes=[*without_token, api_route(engine)],
    )
    limited = RequestBodyLimitMiddleware(app, MESSAGE_BYTES)
    open_paths = {route.path for route in without_token}

    async def guard(scope: Scope, receive: Receive, send: Send) -> None:
        is_request = scope["type"] == "http"
        refused = refuse(scope, address.token, open_paths) if is_request else None
        await (refused or limited)(scope, receive, send)

    # Every address has no name of its own; whoever asks there needs the token.
    names = ("127.0.0.1", "localhost", "[::1]", address.url_host, *address.names)
    return TrustedHostMiddleware(guard, ["*"] if address.is_any else names, www_redirect=False)


def refuse(scope: Scope, token: str, open_paths: Container[str]) -> Response | None:
    """Return the response of a request that is refused; `open_paths` need no token."""
    path, headers = scope["path"], Headers(scope=scope)
    host = headers.get("host", "").lower()
    origins = map(str.lower, headers.getlist("origin"))
    if not {f"http://{host}", f"https://{host}"}.issuperset(origins):
        return refusal(403, "This server answers no page of that Origin.")
    if path not in open_paths and token and not _has_token(headers, token):
        sentence = "The token is missing or wrong: send it as Authorization: Bearer TOKEN."
        return refusal(401, sentence, {"WWW-Authenticate": 'Bearer realm="blog"'})
    if path == PATH and scope["method"] != "POST":
        # The SDK would hold a stream open on which nothing comes.
        return refusal(405, "Messages are sent by POST.", {"Allow": "POST"})
    return None


def _has_token(headers: Headers, token: str) -> bool:
    """Compare in a time that does not depend on how much of the token is right."""
    scheme, _, sent = headers.get("authorization", "").partition(" ")
    is_same = hmac.compare_digest(sent.strip().encode(), token.encode())
    return is_same and scheme.lower() == "bearer"
