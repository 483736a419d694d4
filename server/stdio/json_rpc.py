"""Parse the lines of a client into JSON-RPC messages, or into the errors that answer them.

The SDK drops a line that is none of its message models, and the client then waits for ever.
JSON-RPC 2.0 has an answer for each such line.
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
"""Longest message. The longest useful one, every argument at its limit and every character
escaped, has about 70 KB."""
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
    """A message that is not passed on; its sender gets `reply`."""

    reply: JSONRPCError


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
            return [_refusal(None, error)]
        is_batch = self._batching and isinstance(value, list) and bool(value)
        return [self._validate(each) for each in (value if is_batch else [value])]

    def _validate(self, value: Any) -> Incoming:
        try:
            message = validate_message(value)
        except MCPError as error:
            return _refusal(value, error)
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


def _refusal(value: Any, error: MCPError) -> Refusal:
    return Refusal(JSONRPCError(jsonrpc="2.0", id=_request_id(value), error=error.error))


def _request_id(value: Any) -> RequestId | None:
    """Return the id of a malformed request; a response's id is the server's."""
    if not isinstance(value, dict) or "result" in value or "error" in value:
        return None
    found = value.get("id")
    return found if isinstance(found, str) or type(found) is int else None
