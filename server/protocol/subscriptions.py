"""Notify clients of 2026-07-28 that the index changed, on their streams of `subscriptions/listen`.

The SDK serves the streams. The one thing watched is the index's CURRENT, and only while somebody
listens. Earlier clients are not notified: the SDK gives no public way to a connection that
outlives the request.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
from anyio.to_thread import run_sync
from mcp.server import ServerRequestContext
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    ResourcesListChanged,
    ResourceUpdated,
)
from mcp.types import SubscriptionsListenRequestParams, SubscriptionsListenResult

from blog_search_mcp.index.store.disk import Stamp
from blog_search_mcp.server.engine import IndexStatus

PAUSE = 1.0
"""Seconds between two reads of CURRENT, which is one line."""


class ChangeNotifier:
    """Watches the index for all clients of one server."""

    def __init__(self, status: IndexStatus, streams: int) -> None:
        """Watch what `status` tells; `streams` is how many may be open."""
        self._status = status
        self._bus = InMemorySubscriptionBus()
        self._streams = ListenHandler(self._bus, max_subscriptions=streams)
        self._followed: list[set[str]] = []
        """By stream, the resources that it is notified of."""
        self._listened = anyio.Event()
        """Set while there may be a stream."""

    @asynccontextmanager
    async def lifespan(self, _server: object) -> AsyncIterator[None]:
        """Watch while the server runs."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._watch)
            yield
            tasks.cancel_scope.cancel()

    def close(self) -> None:
        """End every stream with its result."""
        self._streams.close()

    async def listen(
        self, context: ServerRequestContext[Any], params: SubscriptionsListenRequestParams
    ) -> SubscriptionsListenResult:
        """Serve one stream until either side ends it."""
        uris = set(params.notifications.resource_subscriptions or ())
        self._followed.append(uris)
        self._listened.set()
        try:
            return await self._streams(context, params)
        finally:
            self._followed.remove(uris)

    async def _stamp(self) -> Stamp | None:
        return await run_sync(self._status.stamp, abandon_on_cancel=True)

    async def _watch(self) -> None:
        while True:
            await self._listened.wait()
            before = await self._stamp()
            while self._followed:
                await anyio.sleep(PAUSE)
                if (now := await self._stamp()) != before:
                    before = now
                    await self._bus.publish(ResourcesListChanged())
                    for uri in sorted(set().union(*self._followed)):
                        await self._bus.publish(ResourceUpdated(uri))
            self._listened = anyio.Event()
