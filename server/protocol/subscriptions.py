"""Notify connected clients that the index changed.

Since 2026-07-28 a client is notified of exactly what it subscribed to with
`subscriptions/listen`. An earlier one is notified of every change of a list once it has
connected, and of a resource if it subscribed to it. Either way the one thing watched is the
index's CURRENT, and only while there is somebody to notify.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import anyio
from anyio.to_thread import run_sync
from mcp.server import ServerRequestContext
from mcp.server.connection import Connection
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    ResourcesListChanged,
    ResourceUpdated,
)
from mcp.types import (
    EmptyResult,
    NotificationParams,
    SubscribeRequestParams,
    SubscriptionsListenRequestParams,
    SubscriptionsListenResult,
    UnsubscribeRequestParams,
)

from blog_search_mcp.index.errors import BlogSearchError
from blog_search_mcp.index.stores import Stamp
from blog_search_mcp.server.engine import IndexStatus
from blog_search_mcp.server.protocol.errors import invalid_params
from blog_search_mcp.server.protocol.resources import parse_uri

PAUSE = 1.0
"""Seconds between two reads of CURRENT, which is one line."""
SEND_TIMEOUT = 5.0
"""Seconds that one earlier client may take to read one round of notifications."""
SUBSCRIPTIONS = 1_000
"""Most resources that one earlier client may subscribe to."""

log = logging.getLogger(__name__)


class ChangeNotifier:
    """Watches the index for all clients of one server."""

    def __init__(self, status: IndexStatus, streams: int) -> None:
        """Watch what `status` tells; `streams` is how many listen streams may be open."""
        self._status = status
        self._bus = InMemorySubscriptionBus()
        self._streams = ListenHandler(self._bus, max_subscriptions=streams)
        self._listened: list[set[str]] = []
        """By listen stream, the resources that it is notified of."""
        self._legacy: set[Connection] = set()
        """Clients of earlier protocols."""
        self._known: Stamp | None = None

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
        uris = set(params.notifications.resource_subscriptions or ())
        self._begin()
        self._listened.append(uris)
        try:
            return await self._streams(context, params)
        finally:
            self._listened.remove(uris)

    async def connected(
        self, context: ServerRequestContext[Any], _params: NotificationParams
    ) -> None:
        """Notify a client of an earlier protocol of changes from now on."""
        self._begin()
        connection = _connection(context)
        if connection not in self._legacy:
            self._legacy.add(connection)
            connection.exit_stack.callback(self._legacy.discard, connection)

    async def subscribe(
        self, context: ServerRequestContext[Any], params: SubscribeRequestParams
    ) -> EmptyResult:
        """Subscribe an earlier client to a resource. Raises MCPError beyond SUBSCRIPTIONS."""
        uris = _subscriptions_of(_connection(context))
        if len(uris) >= SUBSCRIPTIONS:
            raise invalid_params(
                f"A client may subscribe to {SUBSCRIPTIONS:,} resources; unsubscribe from some."
            )
        uris.add(params.uri)
        return EmptyResult()

    async def unsubscribe(
        self, context: ServerRequestContext[Any], params: UnsubscribeRequestParams
    ) -> EmptyResult:
        """End a subscription of an earlier client."""
        _subscriptions_of(_connection(context)).discard(params.uri)
        return EmptyResult()

    def _begin(self) -> None:
        """Take what there is as known, if this client is the first."""
        if not (self._listened or self._legacy):
            self._known = self._status.stamp()

    async def _watch(self) -> None:
        while True:
            await anyio.sleep(PAUSE)
            if self._listened or self._legacy:
                known = self._known
                self._known = now = await run_sync(self._status.stamp, abandon_on_cancel=True)
                if known != now:
                    changed = partial(self._changed, known, now)
                    await self._notify_resources(await run_sync(changed, abandon_on_cancel=True))

    async def _notify_resources(self, changed: Collection[str] | None) -> None:
        async def send(connection: Connection) -> None:
            await connection.send_resource_list_changed()
            for uri in sorted(_subscriptions_of(connection)):
                if is_affected_by(changed, uri):
                    await connection.send_resource_updated(uri)

        await self._bus.publish(ResourcesListChanged())
        for uri in sorted(set().union(*self._listened)):
            if is_affected_by(changed, uri):
                await self._bus.publish(ResourceUpdated(uri))
        await self._notify_legacy(send)

    async def _notify_legacy(self, send: Callable[[Connection], Awaitable[None]]) -> None:
        """Notify all at the same time: one that does not read keeps no other waiting."""

        async def send_in_time(connection: Connection) -> None:
            with anyio.move_on_after(SEND_TIMEOUT):
                await send(connection)

        async with anyio.create_task_group() as tasks:
            for connection in self._legacy:
                tasks.start_soon(send_in_time, connection)

    def _changed(self, before: Stamp | None, now: Stamp | None) -> Collection[str] | None:
        try:
            return self._status.changed(before, now)
        except BlogSearchError as error:
            log.info("The changed posts are not known: %s", error)
            return None


def is_affected_by(changed: Collection[str] | None, uri: str) -> bool:
    """Whether a resource may have changed when these sources did; `None` stands for any."""
    address = parse_uri(uri)
    if address is None:
        return False
    return changed is None or address.source is None or address.source in changed


def _connection(context: ServerRequestContext[Any]) -> Connection:
    # mcp 2.3 gives handlers no public way to the connection, which alone outlives the request.
    return context.session._connection


def _subscriptions_of(connection: Connection) -> set[str]:
    uris: set[str] = connection.state.setdefault("blog resources", set())
    return uris
