from __future__ import annotations

import json
from typing import Any

import pytest
from mcp.types import JSONRPCNotification, JSONRPCRequest

from blog_search_mcp.server.stdio.json_rpc import (
    MESSAGE_BYTES,
    LineParser,
    Refusal,
    replace_lone_surrogates,
)
from tests.support.faults.server_process import opening

PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'


def refused(line: bytes, messages: LineParser | None = None) -> list[dict[str, Any]]:
    """The errors that answer a line, and the ids they answer."""
    read = (messages or LineParser()).parse(line)
    replies = [item.reply for item in read if isinstance(item, Refusal)]
    assert len(replies) == len(read)
    return [{"id": reply.id, **reply.error.model_dump(exclude_none=True)} for reply in replies]


def test_a_request_is_read_as_it_is() -> None:
    assert LineParser().parse(PING + b"\r\n") == [
        JSONRPCRequest(jsonrpc="2.0", id=1, method="ping")
    ]


def test_a_blank_line_is_nothing() -> None:
    assert LineParser().parse(b" \r\n") == []


def test_a_line_that_is_no_json_is_answered_with_where_it_breaks_off() -> None:
    assert refused(b'{"a": NaN}\n') == [
        {
            "id": None,
            "code": -32700,
            "message": "Not a line of JSON: expected value at line 1 column 7.",
        }
    ]


def test_a_line_above_the_limit_is_not_read_as_json() -> None:
    assert refused(b"[" * (MESSAGE_BYTES + 1)) == [
        {"id": None, "code": -32600, "message": "A message may have at most 1,048,576 bytes."}
    ]


@pytest.mark.parametrize(
    ("message", "replied_id"),
    [
        ({"id": 1}, 1),
        ({"id": "a", "method": 7}, "a"),
        ({"id": None, "method": "ping"}, None),
        ({"id": 1.0, "method": "ping"}, None),
        ({"id": True, "method": "ping"}, None),
        ({"id": 1, "result": "the client's own id"}, None),
    ],
)
def test_an_error_names_the_request_if_its_id_is_valid(
    message: dict[str, object], replied_id: str | int | None
) -> None:
    [error] = refused(json.dumps({"jsonrpc": "2.0", **message}).encode())
    assert (error["id"], error["code"]) == (replied_id, -32600)


def test_params_that_are_no_object_are_their_own_error() -> None:
    assert refused(b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}') == [
        {"id": 1, "code": -32602, "message": "params must be an object."}
    ]


def test_a_batch_is_refused_once_unless_its_version_was_agreed_on() -> None:
    messages, batch = LineParser(), b"[" + PING + b',{"jsonrpc":"2.0","method":"tea"}]'
    only = "Only version 2025-03-26 has batches; send one message per line."
    assert refused(batch, messages) == [{"id": None, "code": -32600, "message": only}]

    messages.parse(opening("2025-03-26").splitlines()[0])
    assert messages.parse(batch) == [
        JSONRPCRequest(jsonrpc="2.0", id=1, method="ping"),
        JSONRPCNotification(jsonrpc="2.0", method="tea"),
    ]
    assert refused(b"[]", messages) == [{"id": None, "code": -32600, "message": only}]

    messages.parse(opening("2025-06-18").splitlines()[0])
    assert refused(batch, messages) == [{"id": None, "code": -32600, "message": only}]


@pytest.mark.parametrize(
    ("sent", "understood"),
    [
        (r'{"q": "a\ud800b"}', {"q": "a?b"}),
        (r'{"q": "\uD83E"}', {"q": "?"}),
        (r'{"q": "\ud83e\udd14"}', {"q": "🤔"}),
        (r'{"q": "\udd14\ud83e"}', {"q": "??"}),
        (r'{"q": "\ud83e\ud83e\udd14"}', {"q": "?🤔"}),
        (r'{"q": "\\ud800"}', {"q": r"\ud800"}),
        (r'{"q": "\\\ud800"}', {"q": r"\?"}),
        (r'{"q": "\ud800", "n": 1.5}', {"q": "?", "n": 1.5}),
    ],
)
def test_a_line_keeps_its_meaning_when_half_a_character_is_replaced(
    sent: str, understood: dict[str, object]
) -> None:
    assert json.loads(replace_lone_surrogates(sent)) == understood


def test_a_line_without_half_characters_is_left_alone() -> None:
    line = '{"q": "什麼 \\u4ec0 \\n \\\\ud800"}'
    assert replace_lone_surrogates(line) == line
