"""How much is answered: requests come in and go on, or are told when to come again.

A client that loops must not keep the others from being answered. It has a bucket of tokens
that fills at a steady rate; a request takes one. All requests together have so many places.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import dataclass
from ipaddress import IPv6Address, IPv6Network, ip_address
from math import ceil
from typing import TYPE_CHECKING

from blog_search_mcp.server.http.guards import refusal

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp, Receive, Scope, Send

RATE = 20.0
"""Requests a second that one client may go on sending: a person who types sends 5."""
BURST = 100.0
"""Requests that it may send at once, after having sent none."""
LOCAL_CLIENTS = 64.0
"""Clients that this machine's own address counts as, since all of them share it."""
REMEMBERED = 4_096
"""Clients whose buckets are kept, the latest; one that is forgotten begins with a full one."""

AT_ONCE = 128
"""Requests that are worked on at the same time, waiting streams included: 64 clients that
each keep a stream open and ask."""
COME_AGAIN = 1
"""Seconds after which a place may be free."""


@dataclass(slots=True)
class _Bucket:
    tokens: float
    """1 is one request of a client; of this machine's, part of one."""
    at: float


class Buckets:
    """One bucket for each client."""

    def __init__(
        self, now: Callable[[], float] = time.monotonic, rate: float = RATE, burst: float = BURST
    ) -> None:
        """Fill by `rate` a second, up to `burst`."""
        self._now = now
        self._rate = rate
        self._burst = burst
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def take(self, client: str) -> float:
        """Take one request's worth, 0 if it was there, else the seconds until it will be."""
        now = self._now()
        key, price = _share(client)
        bucket = self._buckets.pop(key, None) or _Bucket(self._burst, now)
        bucket.tokens = min(self._burst, bucket.tokens + (now - bucket.at) * self._rate)
        bucket.at = now
        self._buckets[key] = bucket
        if len(self._buckets) > REMEMBERED:
            self._buckets.popitem(last=False)
        if bucket.tokens < price:
            return (price - bucket.tokens) / self._rate
        bucket.tokens -= price
        return 0.0


class RateGuard:
    """Refuses with 429 what comes too fast."""

    def __init__(self, app: ASGIApp, buckets: Buckets) -> None:
        """Guard `app`."""
        self._app = app
        self._buckets = buckets

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let one request through or refuse it."""
        app = self._app
        if scope["type"] != "lifespan":
            client = scope.get("client")
            wait = self._buckets.take(client[0] if client else "")
            if wait:
                again = {"Retry-After": str(ceil(wait))}
                app = refusal(429, "Too many requests from this client; ask more slowly.", again)
        await app(scope, receive, send)


class PlacesGuard:
    """Refuses with 503 what finds every place taken."""

    def __init__(self, app: ASGIApp, places: int = AT_ONCE) -> None:
        """Guard `app`, which works on `places` requests at most."""
        self._app = app
        self._free = places

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let one request through or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif not self._free:
            full = refusal(503, "The server is busy; ask again.", {"Retry-After": str(COME_AGAIN)})
            await full(scope, receive, send)
        else:
            self._free -= 1
            try:
                await self._app(scope, receive, send)
            finally:
                self._free += 1


def _share(client: str) -> tuple[str, float]:
    """Say whose bucket a client's address takes from, and how much.

    An IPv6 client owns a whole network of 64 bits and may use any address in it.
    """
    try:
        found = ip_address(client)
    except ValueError:
        return client, 1.0
    if found.is_loopback:
        return "this machine", 1.0 / LOCAL_CLIENTS
    if isinstance(found, IPv6Address):
        return str(IPv6Network((found, 64), strict=False)), 1.0
    return str(found), 1.0
