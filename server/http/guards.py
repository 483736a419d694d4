"""Refuse requests of another site's page, without the token, or that come too fast.

A page that the user opens can send requests to this machine. By pointing its own name here (DNS
rebinding) it could read the answers, but then its requests carry that name as Host, which
Starlette's TrustedHostMiddleware refuses. A page of another origin is refused here unless it was
named. Where a token is needed, only what holds no post is given without it.
"""

from __future__ import annotations

import hmac
import time
from collections.abc import Callable, Mapping
from math import ceil

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

Check = Callable[[Scope], Response | None]
"""Returns the response of a request that is refused."""

RATE = 100.0
"""Requests a second that may go on coming: one core answers some 50 searches a second."""
BURST = 1_000.0
"""Requests that may come at once, after as many seconds without one as fill it."""


def refusal(status: int, sentence: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """Return the response `{"error": sentence}`."""
    return JSONResponse({"error": sentence}, status, headers=headers)


def with_check(app: ASGIApp, check: Check) -> ASGIApp:
    """Put `check` before `app`; a response that it returns is sent instead."""

    async def checked(scope: Scope, receive: Receive, send: Send) -> None:
        refused = check(scope) if scope["type"] == "http" else None
        await (refused or app)(scope, receive, send)

    return checked


def origin_check(named: tuple[str, ...]) -> Check:
    """Refuse with 403 what a page sends that is neither of this server nor of an origin `named`."""

    def check(scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "").lower()
        allowed = {*named, f"http://{host}", f"https://{host}"}
        if allowed.issuperset(map(str.lower, headers.getlist("origin"))):
            return None
        return refusal(403, "This server answers no page of that Origin.")

    return check


def rate_check(now: Callable[[], float] = time.monotonic) -> Check:
    """Refuse requests that come too fast with 429, by a token bucket that all clients share.

    What is refused does not count. `now` gives seconds that never run back.
    """
    left, at = BURST, now()

    def check(_scope: Scope) -> Response | None:
        nonlocal left, at
        seconds = now() - at
        left, at = min(BURST, left + seconds * RATE), at + seconds
        if left >= 1:
            left -= 1
            return None
        wait = str(ceil((1 - left) / RATE))
        return refusal(429, "Too many requests; ask more slowly.", {"Retry-After": wait})

    return check


def token_check(token: str, open_paths: frozenset[str]) -> Check:
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
