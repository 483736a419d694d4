"""Serve one client over stdin and stdout.

The process's two pipes are kept for the protocol alone: what anything else prints goes to stderr.
The SDK's own transport leaves lines unanswered, has no bound on a line nor on the calls it takes at
once, and does not report when the first reply has left, which is when the index opens.
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
from blog_search_mcp.server.stdio.json_rpc import MESSAGE_BYTES, LineParser, Refusal
from blog_search_mcp.server.tools.registry import switchable
from blog_search_mcp.server.usage import usage_log_for

if TYPE_CHECKING:
    from collections.abc import Callable

    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

    from blog_search_mcp.server.settings import Settings

MAX_IN_FLIGHT = 64
"""Messages that were read and not yet answered: more than the 40 threads that work on calls, so
that none of them idles. What is sent beyond them is not read yet, a cancellation included."""
GRACE = 10.0
"""Seconds that calls may take to end after the client has closed its end."""

log = logging.getLogger(__name__)


def serve_stdio(settings: Settings) -> int:
    """Serve until the client closes stdin; return the exit status."""
    engine = engine_for(settings)
    server = build_server(engine, switchable(settings.extended), usage_log_for(settings))
    requests = take_descriptor(0, "rb", os.open(os.devnull, os.O_RDONLY))
    replies = take_descriptor(1, "wb", os.dup(2))

    def on_first_reply() -> None:
        engine.warm_up(then=enable_gc)

    try:
        anyio.run(serve, server, requests, replies, on_first_reply)
    except* BrokenPipeError:
        log.info("The client went away without closing stdin.")
    return 0


def enable_gc() -> None:
    """Enable the garbage collector, but exempt what exists by now from its searches."""
    gc.freeze()
    gc.enable()


async def serve(
    server: BlogServer, requests: BinaryIO, replies: BinaryIO, on_first_reply: Callable[[], None]
) -> None:
    """Serve until `requests` end; call `on_first_reply` once the first reply has left."""
    in_flight = anyio.Semaphore(MAX_IN_FLIGHT)
    to_server, received = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    to_client, answered = anyio.create_memory_object_stream[SessionMessage](0)
    async with anyio.create_task_group() as pipes:
        pipes.start_soon(
            _read, requests, in_flight, to_server, to_client.clone(), server.notifier.close
        )
        pipes.start_soon(_write, answered, in_flight, replies, on_first_reply)
        await server.run(received, to_client, server.create_initialization_options())


async def _read(
    pipe: BinaryIO,
    in_flight: anyio.Semaphore,
    to_server: MemoryObjectSendStream[SessionMessage | Exception],
    to_client: MemoryObjectSendStream[SessionMessage],
    on_end: Callable[[], None],
) -> None:
    async def release() -> None:
        in_flight.release()

    parser, one = LineParser(), anyio.CapacityLimiter(1)
    async with to_server, to_client:
        while line := await run_sync(read_line, pipe, abandon_on_cancel=True, limiter=one):
            for message in parser.parse(line):
                if isinstance(message, JSONRPCRequest | Refusal):
                    await in_flight.acquire()
                if isinstance(message, Refusal):
                    await to_client.send(SessionMessage(message.reply))
                else:
                    unanswered = ServerMessageMetadata(on_request_unanswered=release)
                    await to_server.send(SessionMessage(message, unanswered))
        on_end()
        with anyio.move_on_after(GRACE):
            for _ in range(MAX_IN_FLIGHT):
                await in_flight.acquire()


async def _write(
    answered: MemoryObjectReceiveStream[SessionMessage],
    in_flight: anyio.Semaphore,
    pipe: BinaryIO,
    on_first_reply: Callable[[], None],
) -> None:
    is_first, one = True, anyio.CapacityLimiter(1)
    async with answered:
        async for item in answered:
            line = item.message.model_dump_json(by_alias=True, exclude_unset=True).encode()
            await run_sync(write_line, pipe, line + b"\n", abandon_on_cancel=True, limiter=one)
            if is_first:
                on_first_reply()
                is_first = False
            if isinstance(item.message, JSONRPCResponse | JSONRPCError):
                in_flight.release()


def read_line(pipe: BinaryIO) -> bytes:
    """Return the next line, empty at the end; of one above MESSAGE_BYTES only the beginning.

    The rest of such a line is read and discarded; what is returned is too long by one byte.
    """
    line = rest = pipe.readline(MESSAGE_BYTES + 1)
    while len(line) > MESSAGE_BYTES and rest and not rest.endswith(b"\n"):
        rest = pipe.readline(MESSAGE_BYTES)
    return line


def write_line(pipe: BinaryIO, line: bytes) -> None:
    """Write `line`, and return once it has left."""
    pipe.write(line)
    pipe.flush()


def take_descriptor(descriptor: int, mode: str, replacement: int) -> BinaryIO:
    """Return the pipe behind `descriptor`, which leads to `replacement` from now on."""
    pipe = os.fdopen(os.dup(descriptor), mode)
    os.dup2(replacement, descriptor)
    os.close(replacement)
    return cast("BinaryIO", pipe)
