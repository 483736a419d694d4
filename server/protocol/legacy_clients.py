"""Clients of the eras before 2026-07-28: who is connected, and which resources each follows.

Such a client is told of every change of a list once it has connected, and of a resource if it
subscribed to it. All of them are told at the same time, so that one that does not read keeps
no other waiting.
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

PATIENCE = 5.0
"""Seconds that one client may take to read one round of notices."""
SUBSCRIPTIONS = 1_000
"""Most resources that one client may subscribe to."""

_FOLLOWED = "blog resources"


class OlderClients:
    """The connected clients of one server."""

    def __init__(self) -> None:
        self._connections: set[Connection] = set()

    def __len__(self) -> int:
        return len(self._connections)

    def add(self, context: ServerRequestContext[Any]) -> None:
        """Remember a client until its connection ends."""
        connection = _connection(context)
        if connection not in self._connections:
            self._connections.add(connection)
            connection.exit_stack.callback(self._connections.discard, connection)

    async def subscribe(
        self, context: ServerRequestContext[Any], params: SubscribeRequestParams
    ) -> EmptyResult:
        """Tell this client when the resource changes. Raises MCPError beyond SUBSCRIPTIONS."""
        uris = _followed(_connection(context))
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
        """Tell this client no more."""
        _followed(_connection(context)).discard(params.uri)
        return EmptyResult()

    async def tell_of_posts(self, touched: Callable[[str], bool]) -> None:
        """Say that the list of resources changed, and each followed one that is `touched`."""

        async def tell(connection: Connection) -> None:
            await connection.send_resource_list_changed()
            for uri in sorted(uri for uri in _followed(connection) if touched(uri)):
                await connection.send_resource_updated(uri)

        await self._each(tell)

    async def tell_of_tools(self) -> None:
        """Say that the list of tools changed."""

        async def tell(connection: Connection) -> None:
            await connection.send_tool_list_changed()

        await self._each(tell)

    async def _each(self, tell: Callable[[Connection], Awaitable[None]]) -> None:
        async def patiently(connection: Connection) -> None:
            with anyio.move_on_after(PATIENCE):
                await tell(connection)

        async with anyio.create_task_group() as tasks:
            for connection in self._connections:
                tasks.start_soon(patiently, connection)


def _connection(context: ServerRequestContext[Any]) -> Connection:
    # mcp 2.3 gives handlers no public way to the connection, which alone outlives the request.
    return context.session._connection


def _followed(connection: Connection) -> set[str]:
    uris: set[str] = connection.state.setdefault(_FOLLOWED, set())
    return uris
