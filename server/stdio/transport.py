"""Serve one client over stdin and stdout.

The SDK's transport keeps stdout for the protocol alone and has threads read and write. Put before
it is what it lacks: a bound on a line; an answer to a line that is none of its messages, which it
drops, so that the client waits for ever; and at the end of input the answers that are still due.
"""

from __future__ import annotations

import gc
import json
import logging
import sys
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any, BinaryIO, cast

import anyio
from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp.types import (
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

GRACE = 10.0
"""Seconds that calls may take to end after the client has closed its end."""
PAUSE = 0.02
"""Seconds after which a reply that was handed over has left."""

_ENVELOPE = (
    'A message is an object with "jsonrpc": "2.0" and a method; params are an object, '
    "a request's id is a string or a whole number, and each message has a line of its own."
)

log = logging.getLogger(__name__)


def serve_stdio(settings: Settings) -> int:
    """Serve until the client closes stdin; return the exit status."""
    engine = engine_for(settings)
    usage = UsageLog(settings.usage_log) if settings.usage_log else None
    server = build_server(engine, TOOLSETS[settings.toolset], usage)
    try:
        anyio.run(serve, server, sys.stdin.buffer, partial(engine.warm_up, then=gc.enable))
    except* (BrokenPipeError, anyio.BrokenResourceError):
        log.info("The client went away without closing stdin.")
    return 0


async def serve(server: BlogServer, requests: BinaryIO, on_first_reply: Callable[[], None]) -> None:
    """Serve until `requests` end and what was asked is answered, or GRACE is over."""
    unanswered: set[object] = set()
    to_client, replies = anyio.create_memory_object_stream[SessionMessage](0)
    refusals = to_client.clone()

    async def read() -> AsyncIterator[str]:
        """Yield a line for each message; what is none is refused."""
        one = CapacityLimiter(1)  # calls of tools may hold all other threads
        while line := await run_sync(read_line, requests, abandon_on_cancel=True, limiter=one):
            message = parse_line(line) if line.strip() else None
            if isinstance(message, Refusal):
                await refusals.send(SessionMessage(message))
            elif message is not None:
                if isinstance(message, JSONRPCRequest):
                    unanswered.add(message.id)
                elif isinstance(message, JSONRPCNotification) and message.params:
                    unanswered.discard(message.params.get("requestId"))  # of one cancelled
                yield message.model_dump_json(by_alias=True, exclude_unset=True)
        server.changes.close()
        with anyio.move_on_after(GRACE):
            while unanswered:
                await anyio.sleep(PAUSE)

    async def write(output: Any) -> None:
        is_first = True
        async with replies, output:
            async for reply in replies:
                await output.send(reply)
                if isinstance(reply.message, JSONRPCResponse | JSONRPCError):
                    unanswered.discard(reply.message.id)
                if is_first:
                    await anyio.sleep(PAUSE)
                    on_first_reply()
                is_first = False

    stdin = cast("anyio.AsyncFile[str]", read())
    async with stdio_server(stdin) as (received, output), anyio.create_task_group() as pumps:
        pumps.start_soon(write, output)
        await server.run(received, to_client, server.create_initialization_options())
        refusals.close()


def read_line(pipe: BinaryIO) -> bytes:
    """Return the next line, empty at the end; of one above MESSAGE_BYTES only the beginning.

    The rest of such a line is read and discarded; what is returned is too long by one byte.
    """
    line = rest = pipe.readline(MESSAGE_BYTES + 1)
    while len(line) > MESSAGE_BYTES and rest and not rest.endswith(b"\n"):
        rest = pipe.readline(MESSAGE_BYTES)
    return line


class Refusal(JSONRPCError):
    """What the sender of a message gets that is not passed on."""


def parse_line(line: bytes) -> JSONRPCMessage | Refusal:
    """Return the message of a line, or what its sender gets.

    A line may begin with a byte order mark; invalid UTF-8 and halves of surrogate pairs are
    replaced. What is nested more than 200 deep, pydantic's limit, counts as no JSON. The SDK's
    union of models takes a request whose id is null or a fraction for a notification, which is
    never answered, so the model of a request is chosen here.
    """
    if len(line) > MESSAGE_BYTES:
        return _refuse(INVALID_REQUEST, f"A message may have at most {MESSAGE_BYTES:,} bytes.")
    text = line.decode("utf-8-sig", "replace")
    try:
        if "\\ud" in text.lower():
            text = replace_surrogates(json.dumps(json.loads(text), ensure_ascii=False))
        value = from_json(text, allow_inf_nan=False)
    except (ValueError, RecursionError) as error:
        return _refuse(PARSE_ERROR, f"Not a line of JSON: {error}.")
    try:
        if not isinstance(value, dict) or "method" not in value:
            return jsonrpc_message_adapter.validate_python(value, by_name=False)
        kind = JSONRPCRequest if "id" in value else JSONRPCNotification
        return kind.model_validate(value, by_name=False)
    except ValidationError:
        return _refuse(INVALID_REQUEST, _ENVELOPE, value)


def _refuse(code: int, sentence: str, value: Any = None) -> Refusal:
    """Answer a malformed request by its id, if it has a valid one; a response's is the server's."""
    is_request = isinstance(value, dict) and not {"result", "error"} & value.keys()
    given = value.get("id") if is_request else None
    is_valid = isinstance(given, str) or type(given) is int
    error = ErrorData(code=code, message=sentence)
    return Refusal(jsonrpc="2.0", id=given if is_valid else None, error=error)
