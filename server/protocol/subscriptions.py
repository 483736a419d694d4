"""Tell clients of 2026-07-28 that the index changed, on their streams of `subscriptions/listen`.

Earlier clients are not told: the SDK gives no public way to a connection that outlives a request.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from mcp.server import ServerRequestContext, subscriptions
from mcp.types import SubscriptionsListenRequestParams, SubscriptionsListenResult

from blog_search_mcp.index.store.disk import Stamp

PAUSE = 1.0
"""Seconds between two reads of the stamp, once somebody listens."""


class ChangeStreams(subscriptions.ListenHandler):
    """The streams of all clients of one server; `stamp` identifies the live generation."""

    def __init__(self, stamp: Callable[[], Stamp | None]) -> None:
        self._stamp, self._changes = stamp, subscriptions.InMemorySubscriptionBus()
        super().__init__(self._changes)
        self._followed: set[str] = set()
        self._watching: asyncio.Task[None] | None = None

    async def __call__(
        self, ctx: ServerRequestContext[Any, Any], params: SubscriptionsListenRequestParams
    ) -> SubscriptionsListenResult:
        """Serve one stream until either side ends it; the first begins to watch."""
        self._followed.update(params.notifications.resource_subscriptions or ())
        self._watching = self._watching or asyncio.create_task(self._watch())
        return await super().__call__(ctx, params)

    async def _watch(self) -> None:
        before = await asyncio.to_thread(self._stamp)
        while True:
            await asyncio.sleep(PAUSE)
            now = await asyncio.to_thread(self._stamp)
            if now not in (None, before):  # `None` also while a server cannot be reached
                before = now
                await self._changes.publish(subscriptions.ResourcesListChanged())
                for uri in sorted(self._followed):
                    await self._changes.publish(subscriptions.ResourceUpdated(uri))
