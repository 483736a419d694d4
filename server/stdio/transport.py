"""Serving one client over stdin and stdout: the process's two pipes come in, replies go out.

The pipes are taken from the process for the protocol alone: what anything else prints
goes to stderr. The transport between them and the SDK's server is ours because the SDK's
own leaves lines unanswered, has no bound on a line nor on the calls it takes at once, and
cannot say when the first reply has left, which is when the index opens.
"""

from __future__ import annotations

import gc
import logging
import os
from typing import TYPE_CHECKING, BinaryIO, cast

import anyio
from anyio.to_thread import run_sync
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp.types import JSONRPCError, JSONRPCRequest, JSONRPCResponse

from blog_search_mcp.server.engine import engine_for
from blog_search_mcp.server.protocol.app import BlogServer, build_server
from blog_search_mcp.server.stdio.json_rpc import MESSAGE_BYTES, Incoming, Messages, Refusal
from blog_search_mcp.server.tools.registry import switchable
from blog_search_mcp.server.usage import usage_log_for

if TYPE_CHECKING:
    from collections.abc import Callable

    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

    from blog_search_mcp.server.settings import Settings

MOST = 64
"""Places: more than the 40 threads that work on calls, so that none of them idles. What is
sent beyond them is not read yet, a cancellation included."""

GRACE = 10.0
"""Seconds that calls may take to end after the client has closed its end."""


class InFlight:
    """The messages of one client that were read and not yet answered."""

    def __init__(self) -> None:
        self._places = anyio.Semaphore(MOST)

    async def begin(self) -> None:
        """Take a place for a message that is owed an answer; wait until there is one."""
        await self._places.acquire()

    async def end(self) -> None:
        """Give a place back: the answer has left, or there will be none."""
        self._places.release()

    async def settled(self) -> None:
        """Return once nothing waits, or after GRACE; nothing may begin after it."""
        with anyio.move_on_after(GRACE):
            for _ in range(MOST):
                await self._places.acquire()


log = logging.getLogger(__name__)


def serve_stdio(settings: Settings) -> int:
    """Serve until the client closes stdin; returns the exit status."""
    engine = engine_for(settings)
    server = build_server(engine, switchable(settings.extended), usage_log_for(settings))
    requests = taken(0, "rb", os.open(os.devnull, os.O_RDONLY))
    replies = taken(1, "wb", os.dup(2))

    def on_first() -> None:
        engine.warm_up(then=collect_again)

    try:
        anyio.run(serve, server, requests, replies, on_first)
    except* BrokenPipeError:
        log.info("The client went away without closing stdin.")
    return 0


def collect_again() -> None:
    """Let garbage be collected, but not be looked for among what is there by now, which stays."""
    gc.freeze()
    gc.enable()


async def serve(
    server: BlogServer, requests: BinaryIO, replies: BinaryIO, on_first: Callable[[], None]
) -> None:
    """Serve until `requests` end; `on_first` is called once the first reply has left."""
    in_flight = InFlight()
    to_server, received = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    to_client, answered = anyio.create_memory_object_stream[SessionMessage](0)
    async with anyio.create_task_group() as pipes:
        pipes.start_soon(
            _read, requests, in_flight, to_server, to_client.clone(), server.notifier.close
        )
        pipes.start_soon(_write, answered, in_flight, replies, on_first)
        await server.run(received, to_client, server.create_initialization_options())


async def _read(
    pipe: BinaryIO,
    in_flight: InFlight,
    to_server: MemoryObjectSendStream[SessionMessage | Exception],
    to_client: MemoryObjectSendStream[SessionMessage],
    on_end: Callable[[], None],
) -> None:
    messages, one = Messages(), anyio.CapacityLimiter(1)
    async with to_server, to_client:
        while line := await run_sync(next_line, pipe, abandon_on_cancel=True, limiter=one):
            for message in messages.of(line):
                if is_owed_an_answer(message):
                    await in_flight.begin()
                if isinstance(message, Refusal):
                    await to_client.send(SessionMessage(message.reply))
                else:
                    unanswered = ServerMessageMetadata(on_request_unanswered=in_flight.end)
                    await to_server.send(SessionMessage(message, unanswered))
        on_end()
        await in_flight.settled()


async def _write(
    answered: MemoryObjectReceiveStream[SessionMessage],
    in_flight: InFlight,
    pipe: BinaryIO,
    on_first: Callable[[], None],
) -> None:
    announce: Callable[[], None] | None = on_first
    one = anyio.CapacityLimiter(1)
    async with answered:
        async for item in answered:
            line = item.message.model_dump_json(by_alias=True, exclude_unset=True).encode()
            await run_sync(send, pipe, line + b"\n", abandon_on_cancel=True, limiter=one)
            if announce is not None:
                announce()
                announce = None
            if isinstance(item.message, JSONRPCResponse | JSONRPCError):
                await in_flight.end()


def is_owed_an_answer(message: Incoming) -> bool:
    """Whether exactly one reply will be written for it, unless it is cancelled."""
    return isinstance(message, JSONRPCRequest | Refusal)


def next_line(pipe: BinaryIO) -> bytes:
    """Return the next line, empty at the end; of one above MESSAGE_BYTES only the beginning.

    The rest of such a line is read and forgotten; what is returned is too long by one byte.
    """
    line = rest = pipe.readline(MESSAGE_BYTES + 1)
    while len(line) > MESSAGE_BYTES and rest and not rest.endswith(b"\n"):
        rest = pipe.readline(MESSAGE_BYTES)
    return line


def send(pipe: BinaryIO, line: bytes) -> None:
    """Write `line`, and return once it has left."""
    pipe.write(line)
    pipe.flush()


def taken(descriptor: int, mode: str, instead: int) -> BinaryIO:
    """Take the pipe behind `descriptor`, which from now on leads to `instead`."""
    pipe = os.fdopen(os.dup(descriptor), mode)
    os.dup2(instead, descriptor)
    os.close(instead)
    return cast("BinaryIO", pipe)
