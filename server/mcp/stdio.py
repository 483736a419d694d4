"""Serve one client over stdin and stdout.

The SDK's transport writes the replies, and lets nothing else reach stdout. Its reader is not used:
it drops lines that are no messages, so a client would wait forever for an answer. At the end of
input, it drops the answers that are still due.
"""

import json
import sys
from collections.abc import Callable
from io import StringIO
from typing import Any, BinaryIO

import anyio
from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from mcp import MCPError, types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from blog_search_mcp.index.text.display import replace_surrogates
from blog_search_mcp.server.engine import engine_for
from blog_search_mcp.server.mcp.server import build_server
from blog_search_mcp.server.settings import Settings

ANSWER_SECONDS = 10.0
"""Seconds that running calls have to finish after the client has closed stdin."""
POLL_SECONDS = 0.005
"""Seconds between two checks for unanswered calls. A reply is written out within that time."""


def serve_stdio(settings: Settings) -> int:
    """Serve until the client closes stdin; return the exit status."""
    engine = engine_for(settings)
    server = build_server(engine, settings.toolset)
    try:
        anyio.run(serve, server, sys.stdin.buffer, engine.warm_up)
    except* (BrokenPipeError, anyio.BrokenResourceError):
        pass  # the client went away without closing stdin
    return 0


async def serve(
    server: Server[Any], requests: BinaryIO, on_first_reply: Callable[[], None]
) -> None:
    """Serve until `requests` end. Calls in progress then have ANSWER_SECONDS to finish."""
    unanswered: set[object] = set()
    to_server, received = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    to_client, replies = anyio.create_memory_object_stream[SessionMessage](0)

    async def read(refusals: Any) -> None:
        """Pass on each message, and answer a line that is no message with an error."""
        one = CapacityLimiter(1)  # tool calls may use up the default threads
        async with to_server, refusals:
            while line := await run_sync(requests.readline, abandon_on_cancel=True, limiter=one):
                if not line.strip():
                    continue
                try:
                    message = parse_line(line)
                except MCPError as error:
                    reason = error.error.model_copy(update={"data": None})
                    refused = types.JSONRPCError(jsonrpc="2.0", id=error.error.data, error=reason)
                    await refusals.send(SessionMessage(refused))
                    continue
                if isinstance(message, types.JSONRPCRequest):
                    unanswered.add(message.id)
                elif isinstance(message, types.JSONRPCNotification) and message.params:
                    unanswered.discard(message.params.get("requestId"))  # it was cancelled
                await to_server.send(SessionMessage(message))
            with anyio.move_on_after(ANSWER_SECONDS):
                while unanswered:
                    await anyio.sleep(POLL_SECONDS)

    async def write(output: Any) -> None:
        is_first = True
        async with replies, output:
            async for reply in replies:
                await output.send(reply)
                if isinstance(reply.message, types.JSONRPCResponse | types.JSONRPCError):
                    unanswered.discard(reply.message.id)
                if is_first:
                    await anyio.sleep(POLL_SECONDS)
                    on_first_reply()
                is_first = False

    nothing = anyio.wrap_file(StringIO())
    async with stdio_server(nothing) as (_, output), anyio.create_task_group() as pumps:
        pumps.start_soon(read, to_client.clone())
        pumps.start_soon(write, output)
        await server.run(received, to_client, server.create_initialization_options())


def parse_line(line: bytes) -> types.JSONRPCMessage:
    """Return the message of a line. Raises MCPError with the error that its sender gets.

    Its `data` is the request's id, if any; `serve` moves it to the reply. A line may begin with a
    byte order mark; invalid UTF-8 and halves of surrogate pairs are replaced.
    """
    try:
        value = json.loads(line.decode("utf-8-sig", "replace"))
        text = replace_surrogates(json.dumps(value, ensure_ascii=False, allow_nan=False))
    except (ValueError, RecursionError) as error:
        raise MCPError(types.PARSE_ERROR, f"Not a line of JSON: {error}.") from error
    try:
        message = types.jsonrpc_message_adapter.validate_json(text, by_name=False)
    except ValidationError as error:
        is_request = isinstance(value, dict) and "method" in value
        sent = json.loads(text).get("id") if is_request else None
        request_id = sent if isinstance(sent, str) or type(sent) is int else None
        sentence = "A line is an object of JSON-RPC 2.0."
        raise MCPError(types.INVALID_REQUEST, sentence, request_id) from error
    if isinstance(message, types.JSONRPCNotification) and "id" in value:
        raise MCPError(types.INVALID_REQUEST, "The id of a request is text or an integer.")
    return message
