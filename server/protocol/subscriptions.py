"""Telling connected clients that the index changed: subscriptions come in, notices go out.

Since 2026-07-28 a client is told of exactly what it asked for with `subscriptions/listen`; for
those of earlier eras see `older_clients`. Either way the one thing watched is the folder's
CURRENT, and only while there is somebody to tell.
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
from blog_search_mcp.server.protocol.legacy_clients import OlderClients
from blog_search_mcp.server.protocol.uris import PostsAddress, address_of

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
"""Seconds between two looks at CURRENT, each of which reads one line."""

log = logging.getLogger(__name__)


class Announcer:
    """Watches one index folder, and what tools there are, for all clients of one server."""

    def __init__(self, folder: IndexFolder, tools: Callable[[], object], streams: int) -> None:
        """Take the folder, what tells one list of tools from another, and a bound.

        `streams` is how many listen streams may be open.
        """
        self.older = OlderClients()
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
        """End every listen stream with its result: its client will say nothing more."""
        self._streams.close()

    async def listen(
        self, context: ServerRequestContext[Any], params: SubscriptionsListenRequestParams
    ) -> SubscriptionsListenResult:
        """Serve one stream of the newer era until either side ends it."""
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
        """Tell a client of an older era of changes from now on."""
        self._begin()
        self.older.add(context)

    def _anybody(self) -> bool:
        return bool(self._listeners or len(self.older))

    def _begin(self) -> None:
        """The first to be told knows what there is at this moment."""
        if not self._anybody():
            self._known = self._now()

    def _now(self) -> tuple[Stamp, object]:
        return self._folder.stamp(), self._tools()

    async def _watch(self) -> None:
        while True:
            await anyio.sleep(PAUSE)
            if self._anybody():
                known, now = self._known, await run_sync(self._now, abandon_on_cancel=True)
                self._known = now
                await self._tell(known, now)

    async def _tell(self, known: tuple[Stamp, object], now: tuple[Stamp, object]) -> None:
        if known[0] != now[0]:
            changed = await run_sync(self._changed, known[0], now[0], abandon_on_cancel=True)
            await self._tell_of_posts(partial(touches, changed))
        if known[1] != now[1]:
            await self._bus.publish(ToolsListChanged())
            await self.older.tell_of_tools()

    async def _tell_of_posts(self, touched: Callable[[str], bool]) -> None:
        await self._bus.publish(ResourcesListChanged())
        for uri in sorted(filter(touched, self._listened)):
            await self._bus.publish(ResourceUpdated(uri))
        await self.older.tell_of_posts(touched)

    def _changed(self, before: Stamp, now: Stamp) -> Collection[str] | None:
        try:
            return self._folder.changed(before, now)
        except BlogSearchError as error:
            log.info("Which posts have changed cannot be told: %s", error)
            return None


def touches(changed: Collection[str] | None, uri: str) -> bool:
    """Whether what `uri` names may be another when these sources changed; `None` is any."""
    address = address_of(uri)
    if address is None:
        return False
    return changed is None or isinstance(address, PostsAddress) or address.source in changed
