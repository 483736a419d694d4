"""Serve one client over stdin and stdout.

The process's two pipes are kept for the protocol alone: what anything else prints goes to stderr.
The SDK's own transport has no bound on a line nor on the calls it takes at once, hangs on SIGINT
and where its client no longer reads, and drops the answer of a call that is running at the end of
input. It drops a line that is none of its message models, too, and the client then waits for ever;
JSON-RPC 2.0 has an answer for each.
"""

from __future__ import annotations

import gc
import json
import logging
import os
import select
import sys
import threading
from collections.abc import Callable
from functools import partial
from typing import Any, BinaryIO, cast

import anyio
from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp.types import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
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
from blog_search_mcp.server.format.results import replace_surrogates
from blog_search_mcp.server.protocol.app import BlogServer, build_server
from blog_search_mcp.server.settings import MESSAGE_BYTES, Settings
from blog_search_mcp.server.tools.registry import TOOLSETS
from blog_search_mcp.server.usage import UsageLog

MAX_IN_FLIGHT = 64
"""Messages that were read and not yet answered: more than the threads that work on calls, so that
none of them idles. What is sent beyond them is not read yet, a cancellation included."""
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

log = logging.getLogger(__name__)


def serve_stdio(settings: Settings) -> int:
    """Serve until the client closes stdin; return the exit status."""
    engine = engine_for(settings)
    logs = [UsageLog(settings.usage_log)] if settings.usage_log else []
    server = build_server(engine, TOOLSETS[settings.toolset], logs)
    requests = _take_descriptor(0, "rb", os.open(os.devnull, os.O_RDONLY))
    replies = _take_descriptor(1, "wb", os.dup(2))

    left = threading.Event()
    threading.Thread(target=end_when_stuck, args=(requests.fileno(), left), daemon=True).start()

    def on_reply(is_first: bool) -> None:
        left.set()
        if is_first:
            engine.warm_up(then=gc.enable)

    try:
        anyio.run(serve, server, requests, replies, on_reply)
    except* BrokenPipeError:
        log.info("The client went away without closing stdin.")
    return 0


def _take_descriptor(descriptor: int, mode: str, replacement: int) -> BinaryIO:
    """Return the pipe behind `descriptor`, which leads to `replacement` from now on."""
    pipe = os.fdopen(os.dup(descriptor), mode)
    os.dup2(replacement, descriptor)
    os.close(replacement)
    return cast("BinaryIO", pipe)


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


async def serve(
    server: BlogServer,
    requests: BinaryIO,
    replies: BinaryIO,
    on_reply: Callable[[bool], None],
) -> None:
    """Serve until `requests` end; tell `on_reply` of each reply, and if it is the first.

    Each pipe has a thread of its own: calls of tools may hold all others.
    """
    in_flight = anyio.Semaphore(MAX_IN_FLIGHT)
    to_server, received = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    to_client, answered = anyio.create_memory_object_stream[SessionMessage](0)
    refusals = to_client.clone()

    async def release() -> None:
        in_flight.release()

    async def read() -> None:
        unanswered, batching = ServerMessageMetadata(on_request_unanswered=release), False
        next_line = partial(
            run_sync, read_line, requests, abandon_on_cancel=True, limiter=CapacityLimiter(1)
        )
        async with to_server, refusals:
            while line := await next_line():
                for message in parse_line(line, batching):
                    if isinstance(message, JSONRPCRequest | Refusal):
                        await in_flight.acquire()
                    if isinstance(message, Refusal):
                        await refusals.send(SessionMessage(message))
                    else:
                        batching = agrees_on_batches(message, batching)
                        await to_server.send(SessionMessage(message, unanswered))
            server.notifier.close()
            with anyio.move_on_after(GRACE):
                for _ in range(MAX_IN_FLIGHT):
                    await in_flight.acquire()

    async def write() -> None:
        is_first, one = True, CapacityLimiter(1)
        async with answered:
            async for item in answered:
                line = write_message(item.message)
                await run_sync(write_line, replies, line, abandon_on_cancel=True, limiter=one)
                on_reply(is_first)
                is_first = False
                if isinstance(item.message, JSONRPCResponse | JSONRPCError):
                    in_flight.release()

    async with anyio.create_task_group() as pumps:
        pumps.start_soon(read)
        pumps.start_soon(write)
        await server.run(received, to_client, server.create_initialization_options())


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


def write_message(message: JSONRPCMessage) -> bytes:
    """Write a message as a line; UTF-8 cannot carry lone surrogates, which become `?`."""
    values = message.model_dump(by_alias=True, exclude_unset=True)
    return json.dumps(values, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


class Refusal(JSONRPCError):
    """What the sender of a message gets that is not passed on."""


def parse_line(line: bytes, batching: bool) -> list[JSONRPCMessage | Refusal]:
    """Return a line's messages: none if it is blank, several only for a batch.

    A line may begin with a byte order mark; invalid UTF-8 and halves of surrogate pairs are
    replaced. What is nested more than 200 deep, pydantic's limit, counts as no JSON.
    """
    if not line.strip():
        return []
    if len(line) > MESSAGE_BYTES:
        sentence = f"A message may have at most {MESSAGE_BYTES:,} bytes."
        return [_refuse(INVALID_REQUEST, sentence)]
    text = line.decode("utf-8-sig", "replace")
    try:
        if "\\ud" in text.lower():
            text = replace_surrogates(json.dumps(json.loads(text), ensure_ascii=False))
        value = from_json(text, allow_inf_nan=False)
    except (ValueError, RecursionError) as error:
        return [_refuse(PARSE_ERROR, f"Not a line of JSON: {error}.")]
    is_batch = batching and isinstance(value, list) and bool(value)
    return [_validate(each) for each in (value if is_batch else [value])]


def _validate(value: Any) -> JSONRPCMessage | Refusal:
    """Return `value` as a message, or what its sender gets.

    The SDK's union of models takes a request whose id is null or a fraction for a notification,
    which is never answered, so the model of a request is chosen here.
    """
    if isinstance(value, list):
        sentence = f"Only version {BATCHING} has batches; send one message per line."
        return _refuse(INVALID_REQUEST, sentence)
    try:
        if not isinstance(value, dict) or "method" not in value:
            return jsonrpc_message_adapter.validate_python(value, by_name=False)
        kind = JSONRPCRequest if "id" in value else JSONRPCNotification
        return kind.model_validate(value, by_name=False)
    except ValidationError as error:
        if {wrong["loc"] for wrong in error.errors()} == {("params",)}:
            return _refuse(INVALID_PARAMS, "params must be an object.", value)
        return _refuse(INVALID_REQUEST, _ENVELOPE, value)


def _refuse(code: int, sentence: str, value: Any = None) -> Refusal:
    """Answer a malformed request by its id, if it has a valid one; a response's is the server's."""
    is_request = isinstance(value, dict) and not {"result", "error"} & value.keys()
    given = value.get("id") if is_request else None
    is_valid = isinstance(given, str) or type(given) is int
    error = ErrorData(code=code, message=sentence)
    return Refusal(jsonrpc="2.0", id=given if is_valid else None, error=error)


def agrees_on_batches(message: JSONRPCMessage, so_far: bool) -> bool:
    """Whether the client may send batches from here on: `initialize` names its version."""
    if isinstance(message, JSONRPCRequest) and message.method == "initialize":
        return (message.params or {}).get("protocolVersion") == BATCHING
    return so_far
