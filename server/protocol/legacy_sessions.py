"""Sessions of clients before the protocol of 2026-07-28, and what each subscribed to.

Such a client is notified of every change of a list once it has connected, and of a resource if
it subscribed to it. All are notified at the same time, so that one that does not read keeps no
other waiting.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anyio
from mcp import MCPError
from mcp.types import INVALID_PARAMS, EmptyResult

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from mcp.server import ServerRequestContext
    from mcp.server.connection import Connection
    from mcp.types import SubscribeRequestParams, UnsubscribeRequestParams

SEND_TIMEOUT = 5.0
"""Seconds that one client may take to read one round of notifications."""
SUBSCRIPTIONS = 1_000
"""Most resources that one client may subscribe to."""

_SUBSCRIBED = "blog resources"


class LegacySessions:
    """The sessions of one server."""

    def __init__(self) -> None:
        self._connections: set[Connection] = set()

    def __len__(self) -> int:
        return len(self._connections)

    def add(self, context: ServerRequestContext[Any]) -> None:
        """Keep a client's connection until it ends."""
        connection = _connection(context)
        if connection not in self._connections:
            self._connections.add(connection)
            connection.exit_stack.callback(self._connections.discard, connection)

    async def subscribe(
        self, context: ServerRequestContext[Any], params: SubscribeRequestParams
    ) -> EmptyResult:
        """Subscribe the client to a resource. Raises MCPError beyond SUBSCRIPTIONS."""
        uris = _subscriptions_of(_connection(context))
        if len(uris) >= SUBSCRIPTIONS:
            raise MCPError(
                INVALID_PARAMS,
                f"A client may subscribe to {SUBSCRIPTIONS:,} resources; unsubscribe from some.",
            )
        uris.add(params.uri)
        return EmptyResult()

    async def unsubscribe(
        self, context: ServerRequestContext[Any], params: UnsubscribeRequestParams
    ) -> EmptyResult:
        """End a subscription of the client."""
        _subscriptions_of(_connection(context)).discard(params.uri)
        return EmptyResult()

    async def notify_resources(self, is_affected: Callable[[str], bool]) -> None:
        """Notify of a changed list of resources, and of each subscribed one that `is_affected`."""

        async def send(connection: Connection) -> None:
            await connection.send_resource_list_changed()
            for uri in sorted(uri for uri in _subscriptions_of(connection) if is_affected(uri)):
                await connection.send_resource_updated(uri)

        await self._each(send)

    async def notify_tools(self) -> None:
        """Notify of a changed list of tools."""

        async def send(connection: Connection) -> None:
            await connection.send_tool_list_changed()

        await self._each(send)

    async def _each(self, send: Callable[[Connection], Awaitable[None]]) -> None:
        async def send_in_time(connection: Connection) -> None:
            with anyio.move_on_after(SEND_TIMEOUT):
                await send(connection)

        async with anyio.create_task_group() as tasks:
            for connection in self._connections:
                tasks.start_soon(send_in_time, connection)


def _connection(context: ServerRequestContext[Any]) -> Connection:
    # mcp 2.3 gives handlers no public way to the connection, which alone outlives the request.
    return context.session._connection


def _subscriptions_of(connection: Connection) -> set[str]:
    uris: set[str] = connection.state.setdefault(_SUBSCRIBED, set())
    return uris
