"""A line from the client: bytes come in, the JSON-RPC messages in it or refusals go out.

The SDK reads a line as one of its message models and drops what is none; its client then
waits for ever. JSON-RPC 2.0 has an answer for each such line, and here it is made.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, TypeAlias

from mcp import MCPError
from mcp.types import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    PARSE_ERROR,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    RequestId,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError
from pydantic_core import from_json

MESSAGE_BYTES = 1 << 20
"""Longest message. The longest that can be meant, every argument at its limit and every
character escaped, has about 70 KB."""
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


@dataclass(frozen=True, slots=True)
class Refusal:
    """A message that goes no further; its sender gets `reply`."""

    reply: JSONRPCError


Incoming: TypeAlias = JSONRPCMessage | Refusal


class Messages:
    """Reads the lines of one connection, which may agree on a version that has batches."""

    def __init__(self) -> None:
        self._batching = False

    def of(self, line: bytes) -> list[Incoming]:
        """Return what the line holds: nothing if it is blank, several only for a batch."""
        if not line.strip():
            return []
        try:
            value = value_of(line)
        except MCPError as error:
            return [_refusal(None, error)]
        together = self._batching and isinstance(value, list) and bool(value)
        return [self._incoming(each) for each in (value if together else [value])]

    def _incoming(self, value: Any) -> Incoming:
        try:
            message = message_of(value)
        except MCPError as error:
            return _refusal(value, error)
        if isinstance(message, JSONRPCRequest) and message.method == "initialize":
            self._batching = (message.params or {}).get("protocolVersion") == BATCHING
        return message


def value_of(line: bytes) -> Any:
    """Return the JSON value in the line, which may begin with a byte order mark.

    Bytes that are no UTF-8 and halves of characters are replaced. Raises MCPError for what
    is no JSON, nested more than 200 deep (pydantic's limit) or longer than MESSAGE_BYTES.
    """
    if len(line) > MESSAGE_BYTES:
        raise MCPError(INVALID_REQUEST, f"A message may have at most {MESSAGE_BYTES:,} bytes.")
    text = mended(line.decode("utf-8-sig", "replace"))
    try:
        return from_json(text, allow_inf_nan=False)
    except ValueError as error:
        raise MCPError(PARSE_ERROR, f"Not a line of JSON: {error}.") from None


def message_of(value: Any) -> JSONRPCMessage:
    """Return the message that `value` is. Raises MCPError.

    By hand where the SDK's union of models is too kind: it takes a request whose id is
    null or a fraction for a notification, which nobody answers.
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


def mended(text: str) -> str:
    """Replace escaped halves of characters by `?`: they spoil the line, and UTF-8 has none."""
    return _ESCAPE.sub(lambda found: "?" if found["lone"] else found[0], text)


def _refusal(value: Any, error: MCPError) -> Refusal:
    return Refusal(JSONRPCError(jsonrpc="2.0", id=_id_of(value), error=error.error))


def _id_of(value: Any) -> RequestId | None:
    """Return the id of what was meant as a request; a response's is not the client's."""
    if not isinstance(value, dict) or "result" in value or "error" in value:
        return None
    found = value.get("id")
    return found if isinstance(found, str) or type(found) is int else None
