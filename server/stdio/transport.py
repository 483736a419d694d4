"""Serve one client over stdin and stdout.

The process's two pipes are kept for the protocol alone: what anything else prints goes to stderr.
The SDK's own transport has no bound on a line nor on the calls it takes at once, and does not
report when the first reply has left, which is when the index opens. It drops a line that is none
of its message models, and the client then waits for ever; JSON-RPC 2.0 has an answer for each.
"""

from __future__ import annotations

import gc
import logging
import os
import re
import select
import sys
import threading
from collections.abc import Callable
from typing import Any, BinaryIO, TypeAlias, cast

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from anyio.to_thread import run_sync
from mcp import MCPError
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp.types import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    PARSE_ERROR,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError
from pydantic_core import from_json

from blog_search_mcp.server.engine import engine_for
from blog_search_mcp.server.protocol.app import BlogServer, build_server
from blog_search_mcp.server.settings import MESSAGE_BYTES, Settings
from blog_search_mcp.server.tools.registry import TOOLSETS
from blog_search_mcp.server.usage import UsageLog

MAX_IN_FLIGHT = 64
"""Messages that were read and not yet answered: more than the 40 threads that work on calls, so
that none of them idles. What is sent beyond them is not read yet, a cancellation included."""
GRACE = 10.0
"""Seconds that calls may take to end after the client has closed its end."""
STUCK = 15.0
"""Seconds without a reply that leaves, after which a client that closed its end counts as not
reading either. Longer than GRACE, by which calls that take too long have been answered."""
BATCHING = "2025-03-26"
"""The one protocol version with JSON-RPC batches; the next, 2025-06-18, took them out."""

_ENVELOPE = (
    'A message is an object with "jsonrpc": "2.0" and a method; '
    "a request's id is a string or a whole number."
)
_ESCAPE = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|(?P<lone>\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
    r"|\\."
)

log = logging.getLogger(__name__)


def serve_stdio(settings: Settings) -> int:
    """Serve until the client closes stdin; return the exit status."""
    engine = engine_for(settings)
    logs = [UsageLog(settings.usage_log)] if settings.usage_log else []
    server = build_server(engine, TOOLSETS[settings.toolset], logs)
    requests = take_descriptor(0, "rb", os.open(os.devnull, os.O_RDONLY))
    replies = take_descriptor(1, "wb", os.dup(2))

    left = threading.Event()
    threading.Thread(target=end_when_stuck, args=(requests.fileno(), left), daemon=True).start()

    def on_reply(is_first: bool) -> None:
        left.set()
        if is_first:
            engine.warm_up(then=enable_gc)

    try:
        anyio.run(serve, server, requests, replies, on_reply)
    except* BrokenPipeError:
        log.info("The client went away without closing stdin.")
    return 0


def end_when_stuck(descriptor: int, left: threading.Event) -> None:
    """End the process once its client has closed `descriptor` and takes no reply for STUCK seconds.

    `left` is set for each reply that leaves. The last lines may still be unread, since no more are
    read than can be answered. Windows does not tell when a pipe is closed.
    """
    if sys.platform == "win32":
        return
    closed = select.poll()
    closed.register(descriptor, 0)
    closed.poll()
    while left.wait(STUCK):
        left.clear()
    os._exit(0)


def enable_gc() -> None:
    """Enable the garbage collector, but exempt what exists by now from its searches."""
    gc.freeze()
    gc.enable()


async def serve(
    server: BlogServer,
    requests: BinaryIO,
    replies: BinaryIO,
    on_reply: Callable[[bool], None],
) -> None:
    """Serve until `requests` end; tell `on_reply` of each reply, and if it is the first."""
    in_flight = anyio.Semaphore(MAX_IN_FLIGHT)
    to_server, received = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    to_client, answered = anyio.create_memory_object_stream[SessionMessage](0)
    async with anyio.create_task_group() as pipes:
        pipes.start_soon(
            _read, requests, in_flight, to_server, to_client.clone(), server.notifier.close
        )
        pipes.start_soon(_write, answered, in_flight, replies, on_reply)
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
                    await to_client.send(SessionMessage(message))
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
    on_reply: Callable[[bool], None],
) -> None:
    is_first, one = True, anyio.CapacityLimiter(1)
    async with answered:
        async for item in answered:
            line = item.message.model_dump_json(by_alias=True, exclude_unset=True).encode()
            await run_sync(write_line, pipe, line + b"\n", abandon_on_cancel=True, limiter=one)
            on_reply(is_first)
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


class Refusal(JSONRPCError):
    """What the sender of a message gets that is not passed on."""


Incoming: TypeAlias = JSONRPCMessage | Refusal


class LineParser:
    """Parse the lines of one connection, which may agree on a version that has batches."""

    def __init__(self) -> None:
        self._batching = False

    def parse(self, line: bytes) -> list[Incoming]:
        """Return the line's messages: none if it is blank, several only for a batch."""
        if not line.strip():
            return []
        try:
            value = parse_json(line)
        except MCPError as error:
            return [_refuse(None, error)]
        is_batch = self._batching and isinstance(value, list) and bool(value)
        return [self._validate(each) for each in (value if is_batch else [value])]

    def _validate(self, value: Any) -> Incoming:
        try:
            message = validate_message(value)
        except MCPError as error:
            return _refuse(value, error)
        if isinstance(message, JSONRPCRequest) and message.method == "initialize":
            self._batching = (message.params or {}).get("protocolVersion") == BATCHING
        return message


def parse_json(line: bytes) -> Any:
    """Return the JSON value in the line, which may begin with a byte order mark.

    Invalid UTF-8 and halves of surrogate pairs are replaced. Raises MCPError for what is not JSON,
    nested more than 200 deep (pydantic's limit) or longer than MESSAGE_BYTES.
    """
    if len(line) > MESSAGE_BYTES:
        raise MCPError(INVALID_REQUEST, f"A message may have at most {MESSAGE_BYTES:,} bytes.")
    text = replace_lone_surrogates(line.decode("utf-8-sig", "replace"))
    try:
        return from_json(text, allow_inf_nan=False)
    except ValueError as error:
        raise MCPError(PARSE_ERROR, f"Not a line of JSON: {error}.") from None


def validate_message(value: Any) -> JSONRPCMessage:
    """Return `value` as a message. Raises MCPError.

    The SDK's union of models takes a request whose id is null or a fraction for a notification,
    which is never answered, so the model of a request is chosen here.
    """
    if isinstance(value, list):
        raise MCPError(
            INVALID_REQUEST, f"Only version {BATCHING} has batches; send one message per line."
        )
    try:
        if not isinstance(value, dict) or "method" not in value:
            return jsonrpc_message_adapter.validate_python(value, by_name=False)
        kind = JSONRPCRequest if "id" in value else JSONRPCNotification
        return kind.model_validate(value, by_name=False)
    except ValidationError as error:
        if {wrong["loc"] for wrong in error.errors()} == {("params",)}:
            raise MCPError(INVALID_PARAMS, "params must be an object.") from None
        raise MCPError(INVALID_REQUEST, _ENVELOPE) from None


def replace_lone_surrogates(text: str) -> str:
    """Replace escaped halves of surrogate pairs by `?`: UTF-8 cannot encode them."""
    return _ESCAPE.sub(lambda found: "?" if found["lone"] else found[0], text)


def _refuse(value: Any, error: MCPError) -> Refusal:
    """Answer a malformed request by its id, if it has a valid one; a response's is the server's."""
    is_request = isinstance(value, dict) and not {"result", "error"} & value.keys()
    found = value.get("id") if is_request else None
    is_valid = isinstance(found, str) or type(found) is int
    return Refusal(jsonrpc="2.0", id=found if is_valid else None, error=error.error)
