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
from mcp import MCPError, types
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from blog_search_mcp.server.engine import engine_for
from blog_search_mcp.server.format.results import replace_surrogates
from blog_search_mcp.server.protocol.app import BlogServer, build_server
from blog_search_mcp.server.settings import MESSAGE_BYTES, Settings

GRACE = 10.0
"""Seconds that calls may take to end after the client has closed its end."""
PAUSE = 0.02
"""Seconds after which a reply that was handed over has left."""

log = logging.getLogger(__name__)


def serve_stdio(settings: Settings) -> int:
    """Serve until the client closes stdin; return the exit status."""
    engine = engine_for(settings)
    warm_up = partial(engine.warm_up, then=gc.enable)
    try:
        server = build_server(engine, settings.toolset, settings.usage_log)
        anyio.run(serve, server, sys.stdin.buffer, warm_up)
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
            if not line.strip():
                continue
            try:
                message = parse_line(line)
            except MCPError as error:
                refused = types.JSONRPCError(jsonrpc="2.0", id=None, error=error.error)
                await refusals.send(SessionMessage(refused))
                continue
            if isinstance(message, types.JSONRPCRequest):
                unanswered.add(message.id)
            elif isinstance(message, types.JSONRPCNotification) and message.params:
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
                if isinstance(reply.message, types.JSONRPCResponse | types.JSONRPCError):
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


def parse_line(line: bytes) -> types.JSONRPCMessage:
    """Return the message of a line. Raises MCPError with what its sender gets instead.

    A line may begin with a byte order mark; invalid UTF-8 and halves of surrogate pairs are
    replaced. The SDK's union of models takes a request whose id is null or a fraction for a
    notification, which is never answered, so the model of a request is chosen here.
    """
    if len(line) > MESSAGE_BYTES:
        sentence = f"A message may have at most {MESSAGE_BYTES:,} bytes."
        raise MCPError(types.INVALID_REQUEST, sentence)
    try:
        value = json.loads(line.decode("utf-8-sig", "replace"))
        text = replace_surrogates(json.dumps(value, ensure_ascii=False, allow_nan=False))
    except (ValueError, RecursionError) as error:
        raise MCPError(types.PARSE_ERROR, f"Not a line of JSON: {error}.") from error
    try:
        if not isinstance(value, dict) or "method" not in value:
            return types.jsonrpc_message_adapter.validate_json(text, by_name=False)
        kind = types.JSONRPCRequest if "id" in value else types.JSONRPCNotification
        return kind.model_validate_json(text, by_name=False)
    except ValidationError as error:
        raise MCPError(types.INVALID_REQUEST, "A line is an object of JSON-RPC 2.0.") from error
