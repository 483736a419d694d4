"""Refuse requests by another Host or Origin, without the token, or that come too fast.

A page that the user opens can send requests to this machine, and by pointing its own name here (DNS
rebinding) it could read the answers. Its requests carry that name as Host, so only our own names
are answered. A page of another origin is refused unless it was named. Where a token is needed, only
what holds no post is given without it.
"""

from __future__ import annotations

import hmac
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from blog_search_mcp.server.settings import Access, Address, parse_ip

RATE = 100.0
"""Requests a second that may go on coming: one core answers some 50 searches a second."""
BURST = 1_000.0
"""Requests that may come at once, after as many seconds without one as fill it."""
LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")

_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+?)\.?(?::([0-9]{1,5}))?")


def refusal(status: int, sentence: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """Return the response `{"error": sentence}`."""
    return JSONResponse({"error": sentence}, status, headers=headers)


def with_check(app: ASGIApp, check: Callable[[Scope], Response | None]) -> ASGIApp:
    """Put `check` before `app`; a response that it returns is sent instead."""

    async def checked(scope: Scope, receive: Receive, send: Send) -> None:
        refused = check(scope) if scope["type"] == "http" else None
        await (refused or app)(scope, receive, send)

    return checked


@dataclass(frozen=True, slots=True)
class AllowedNames:
    """The hosts and origins that are answered."""

    hosts: frozenset[str]
    """In lower case; an IPv6 address in brackets."""
    any_address: bool
    """Whether every numeric address is ours: a rebound name is none."""
    origins: frozenset[str]
    """Of other sites, in lower case."""

    def check(self, scope: Scope) -> Response | None:
        """Refuse another Host with 421 and another Origin with 403."""
        headers = Headers(scope=scope)
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or not self.allows_host(hosts[0]):
            return refusal(421, "This server does not go by that Host.")
        if origins and (len(origins) > 1 or not self.allows_origin(origins[0], hosts[0])):
            return refusal(403, "This server answers no page of that Origin.")
        return None

    def allows_host(self, host: str) -> bool:
        """Whether a Host header, with a port or without, names this server."""
        found = _HOST.fullmatch(host.lower())
        return found is not None and (
            found[1] in self.hosts or (self.any_address and parse_ip(found[1]) is not None)
        )

    def allows_origin(self, origin: str, host: str) -> bool:
        """Whether an Origin is a page of ours, at the port of `host`, or a named one."""
        scheme, _, place = origin.lower().partition("://")
        if origin.lower() in self.origins:
            return True
        page, server = _HOST.fullmatch(place), _HOST.fullmatch(host.lower())
        if scheme not in {"http", "https"} or page is None or server is None:
            return False
        return page[2] == server[2] and (page[1] == server[1] or page[1] in self.hosts)


def allowed_names(address: Address, access: Access) -> AllowedNames:
    """Return the names of a server at `address`."""
    hosts = frozenset({*LOOPBACK_NAMES, address.url_host, *access.names})
    return AllowedNames(hosts, address.is_any, frozenset(access.origins))


class RateLimit:
    """A token bucket that all clients share."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        """Begin with a full bucket; `now` gives seconds that never run back."""
        self._now = now
        self._left = BURST
        self._at = now()

    def check(self, _scope: Scope) -> Response | None:
        """Refuse a request that comes too fast with 429; it does not count."""
        now = self._now()
        self._left = min(BURST, self._left + (now - self._at) * RATE)
        self._at = now
        if self._left >= 1:
            self._left -= 1
            return None
        wait = str(ceil((1 - self._left) / RATE))
        return refusal(429, "Too many requests; ask more slowly.", {"Retry-After": wait})


def token_check(token: str, open_paths: frozenset[str]) -> Callable[[Scope], Response | None]:
    """Refuse requests without `token` with 401, but those for `open_paths`."""

    def check(scope: Scope) -> Response | None:
        if scope["path"] in open_paths:
            return None
        header = Headers(scope=scope).get("authorization")
        scheme, _, sent = (header or "").partition(" ")
        # In a time that does not depend on how much of the token is right.
        same = hmac.compare_digest(sent.strip().encode(), token.encode())
        if same and scheme.lower() == "bearer":
            return None
        # RFC 6750 names an error only where a token was sent.
        if header is None:
            sentence = "This server needs a token: send it as Authorization: Bearer TOKEN."
            return refusal(401, sentence, {"WWW-Authenticate": 'Bearer realm="blog"'})
        challenge = 'Bearer realm="blog", error="invalid_token"'
        return refusal(401, "The token is not this server's.", {"WWW-Authenticate": challenge})

    return check
