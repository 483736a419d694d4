"""Notify connected clients that the index or the list of tools changed.

Since 2026-07-28 a client is notified of exactly what it subscribed to with
`subscriptions/listen`; for earlier protocols see `legacy_sessions`. Either way the one thing
watched is the folder's CURRENT, and only while there is somebody to notify.
"""

from __future__ import annotations

import logging
from collections import Counter
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio
from anyio.to_thread import run_sync
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    ResourcesListChanged,
    ResourceUpdated,
    ToolsListChanged,
)

from blog_search_mcp.index.errors import BlogSearchError
from blog_search_mcp.server.protocol.legacy_sessions import LegacySessions
from blog_search_mcp.server.protocol.uris import PostsAddress, parse_uri

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Collection

    from mcp.server import ServerRequestContext
    from mcp.types import (
        NotificationParams,
        SubscriptionsListenRequestParams,
        SubscriptionsListenResult,
    )

    from blog_search_mcp.server.engine import IndexFolder, Stamp

PAUSE = 1.0
"""Seconds between two reads of CURRENT, which is one line."""

log = logging.getLogger(__name__)


class ChangeNotifier:
    """Watches one index folder, and what tools there are, for all clients of one server."""

    def __init__(self, folder: IndexFolder, tools: Callable[[], object], streams: int) -> None:
        """Watch `folder`, and `tools`, whose value changes with the list of tools.

        `streams` is how many listen streams may be open.
        """
        self.legacy = LegacySessions()
        self._folder = folder
        self._tools = tools
        self._bus = InMemorySubscriptionBus()
        self._streams = ListenHandler(self._bus, max_subscriptions=streams)
        self._listeners = 0
        self._listened: Counter[str] = Counter()
        self._known: tuple[Stamp, object] = (None, None)

    @asynccontextmanager
    async def lifespan(self, _server: object) -> AsyncIterator[None]:
        """Watch while the server runs."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._watch)
            yield
            tasks.cancel_scope.cancel()

    def close(self) -> None:
        """End every listen stream with its result."""
        self._streams.close()

    async def listen(
        self, context: ServerRequestContext[Any], params: SubscriptionsListenRequestParams
    ) -> SubscriptionsListenResult:
        """Serve one stream until either side ends it."""
        uris = Counter(set(params.notifications.resource_subscriptions or ()))
        self._begin()
        self._listeners += 1
        self._listened += uris
        try:
            return await self._streams(context, params)
        finally:
            self._listeners -= 1
            self._listened -= uris

    async def connected(
        self, context: ServerRequestContext[Any], _params: NotificationParams
    ) -> None:
        """Notify a client of an earlier protocol of changes from now on."""
        self._begin()
        self.legacy.add(context)

    def _has_clients(self) -> bool:
        return bool(self._listeners or len(self.legacy))

    def _begin(self) -> None:
        """Take what there is as known, if this client is the first."""
        if not self._has_clients():
            self._known = self._now()

    def _now(self) -> tuple[Stamp, object]:
        return self._folder.stamp(), self._tools()

    async def _watch(self) -> None:
        while True:
            await anyio.sleep(PAUSE)
            if self._has_clients():
                known, now = self._known, await run_sync(self._now, abandon_on_cancel=True)
                self._known = now
                await self._notify(known, now)

    async def _notify(self, known: tuple[Stamp, object], now: tuple[Stamp, object]) -> None:
        if known[0] != now[0]:
            changed = await run_sync(self._changed, known[0], now[0], abandon_on_cancel=True)
            await self._notify_resources(partial(is_affected_by, changed))
        if known[1] != now[1]:
            await self._bus.publish(ToolsListChanged())
            await self.legacy.notify_tools()

    async def _notify_resources(self, is_affected: Callable[[str], bool]) -> None:
        await self._bus.publish(ResourcesListChanged())
        for uri in sorted(filter(is_affected, self._listened)):
            await self._bus.publish(ResourceUpdated(uri))
        await self.legacy.notify_resources(is_affected)

    def _changed(self, before: Stamp, now: Stamp) -> Collection[str] | None:
        try:
            return self._folder.changed(before, now)
        except BlogSearchError as error:
            log.info("The changed posts are not known: %s", error)
            return None


def is_affected_by(changed: Collection[str] | None, uri: str) -> bool:
    """Whether a resource may have changed when these sources did; `None` stands for any."""
    address = parse_uri(uri)
    if address is None:
        return False
    return changed is None or isinstance(address, PostsAddress) or address.source in changed
