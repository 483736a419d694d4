"""Whose requests are answered: a request comes in and goes on, or a refusal goes out.

A page that the user opens can send requests to this machine, and by pointing its own name
here (DNS rebinding) it could read the answers. Its requests carry that name as Host, so only
our own names are answered. A page of another origin is refused unless it was named. Where a
token is asked for, only what holds no post is given without it.
"""

from __future__ import annotations

import hmac
import re
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING

from starlette.datastructures import Headers
from starlette.responses import JSONResponse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.types import ASGIApp, Receive, Scope, Send

    from blog_search_mcp.server.settings import Access, Address


def refusal(status: int, sentence: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """Make the answer `{"error": sentence}`."""
    return JSONResponse({"error": sentence}, status, headers=headers)


LOCAL = ("127.0.0.1", "localhost", "[::1]")

_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+?)\.?(?::([0-9]{1,5}))?")


@dataclass(frozen=True, slots=True)
class Names:
    """The hosts and origins that are answered."""

    hosts: frozenset[str]
    """In lower case; an IPv6 address in brackets."""
    numbers: bool
    """Whether every numeric address is ours: a rebound name is none."""
    origins: frozenset[str]
    """Of other sites, in lower case."""

    def knows(self, host: str) -> bool:
        """Whether a Host header, with a port or without, names this server."""
        found = _HOST.fullmatch(host.lower())
        return found is not None and (
            found[1] in self.hosts or (self.numbers and _is_number(found[1]))
        )

    def trusts(self, origin: str, host: str) -> bool:
        """Whether an Origin header is a page of ours, at the port asked, or a named one."""
        scheme, _, place = origin.lower().partition("://")
        if origin.lower() in self.origins:
            return True
        named, asked = _HOST.fullmatch(place), _HOST.fullmatch(host.lower())
        if scheme not in {"http", "https"} or named is None or asked is None:
            return False
        return named[2] == asked[2] and (named[1] == asked[1] or named[1] in self.hosts)


def names_of(address: Address, access: Access) -> Names:
    """Say by which names a server at `address` is asked."""
    own = f"[{address.host}]" if ":" in address.host else address.host
    return Names(frozenset({*LOCAL, own, *access.names}), address.is_any, frozenset(access.origins))


class NamesGuard:
    """Refuses another Host with 421 and another Origin with 403."""

    def __init__(self, app: ASGIApp, names: Names) -> None:
        """Guard `app`, which is asked by `names` alone."""
        self._app = app
        self._names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let one request through or refuse it."""
        app = self._app
        if scope["type"] != "lifespan":
            headers = Headers(scope=scope)
            hosts, origin = headers.getlist("host"), headers.get("origin")
            if len(hosts) != 1 or not self._names.knows(hosts[0]):
                app = refusal(421, "This server does not go by that Host.")
            elif origin is not None and not self._names.trusts(origin, hosts[0]):
                app = refusal(403, "This server answers no page of that Origin.")
        await app(scope, receive, send)


class TokenGuard:
    """Refuses with 401 what does not bring the token, unless it is open to all."""

    def __init__(self, app: ASGIApp, token: str, open_paths: frozenset[str]) -> None:
        """Guard all of `app` but `open_paths`; an empty token guards nothing."""
        self._app = app
        self._token = token.encode()
        self._open = open_paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let one request through or refuse it."""
        app = self._app
        if scope["type"] != "lifespan" and self._token and scope["path"] not in self._open:
            given = Headers(scope=scope).get("authorization")
            if not self._fits(given):
                app = refusal(401, _unauthorised(given), {"WWW-Authenticate": _challenge(given)})
        await app(scope, receive, send)

    def _fits(self, given: str | None) -> bool:
        scheme, _, token = (given or "").partition(" ")
        # Compared in a time that does not tell how much of it is right.
        same = hmac.compare_digest(token.strip().encode(), self._token)
        return same and scheme.lower() == "bearer"


def _unauthorised(given: str | None) -> str:
    if given is None:
        return "This server needs a token: send it as Authorization: Bearer TOKEN."
    return "The token is not this server's."


def _challenge(given: str | None) -> str:
    """Word it as RFC 6750 does: nothing is said to be wrong where no token was sent."""
    return 'Bearer realm="blog"' + ("" if given is None else ', error="invalid_token"')


def _is_number(host: str) -> bool:
    try:
        ip_address(host.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True
