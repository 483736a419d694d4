"""What a client may send that no good client sends, as data: bytes, and what must come back."""

from __future__ import annotations

import json
from dataclasses import dataclass

from tests.support.faults.server_process import META, MODERN, call, line, opening

LEGACY = "2025-11-25"
SEARCH = {"query": "cache"}


@dataclass(frozen=True, slots=True)
class Kind:
    """Bytes on a connection of one protocol version, and the outcomes they must have."""

    what: str
    sent: bytes
    answers: tuple[str, ...] = ()
    """As `wire_client.outcome` writes them, in any order; empty: nothing must come back."""
    version: str = MODERN
    """Empty: the connection has not been opened yet."""


def _raw(what: str, sent: bytes, *answers: str) -> Kind:
    return Kind(what, sent + b"\n", answers)


def _asked(what: str, arguments: object, answer: str = "1: tool error") -> Kind:
    return Kind(what, call(1, arguments), (answer,))


def _request(what: str, message: object, *answers: str) -> Kind:
    return _raw(what, json.dumps(message).encode(), *answers)


_OK = call(1, SEARCH).rstrip(b"\n")
_LIST = {"method": "tools/list", "params": {"_meta": META}}
_V2 = {"jsonrpc": "2.0"}

NOT_JSON = (
    _raw("half an object", b'{"jsonrpc":"2.0","id":1,"method":', "null: -32700"),
    _raw("text after the object", _OK + b"}", "null: -32700"),
    _raw("NaN", _OK.replace(b'"cache"', b"NaN"), "null: -32700"),
    _raw("NUL bytes", b"\x00" * 100, "null: -32700"),
    _raw("UTF-16", _OK.decode().encode("utf-16-le"), "null: -32700"),
    _raw("a number of 5,000 digits", _OK.replace(b'"cache"', b"9" * 5_000), "null: -32700"),
    _raw("100,000 nested arrays", b"[" * 100_000, "null: -32700"),
    _raw("deep, with half a character", b'["\\ud800",' + b"[" * 100_000, "null: -32700"),
    _raw("a line of 50 MB", b"x" * 50_000_000, "null: -32600"),
    _raw("a query of 2 MB", call(1, {"query": "x" * 2_000_000}).strip(), "null: -32600"),
)
ODD_JSON = (
    _raw("bytes that are no UTF-8", _OK.replace(b"cache", b"ca\xff\xfeche"), "1: result"),
    _raw("a byte order mark", b"\xef\xbb\xbf" + _OK, "1: result"),
    _raw("CRLF at the end", _OK + b"\r", "1: result"),
    _raw("blank lines", b"\n \n\t\r\n"),
    _raw("half a character", _OK.replace(b"cache", b"ca\\ud83eche"), "1: result"),
    _raw("150 nested arrays", call(1, "@").replace(b'"@"', b"[" * 150 + b"]" * 150), "1: -32602"),
    _raw(
        "an id of 30 digits", _OK.replace(b'"id": 1', b'"id": ' + b"1" * 30), f"{'1' * 30}: result"
    ),
)
NO_REQUEST = (
    *(_raw(f"only {value}", value.encode(), "null: -32600") for value in ("null", "7", '"text"')),
    _raw("an empty object", b"{}", "null: -32600"),
    _raw("a batch", b"[" + _OK + b"," + _OK + b"]", "null: -32600"),
    _request("no version", {"id": 1, **_LIST}, "1: -32600"),
    _request("version 1.0", {"jsonrpc": "1.0", "id": 1, **_LIST}, "1: -32600"),
    _request("no method", {**_V2, "id": 1}, "1: -32600"),
    _request("a method that is a number", {**_V2, "id": 1, "method": 7}, "1: -32600"),
    *(
        _request(f"the id {json.dumps(wrong)}", {**_V2, "id": wrong, **_LIST}, "null: -32600")
        for wrong in (None, 1.5, True, [1], {"a": 1})
    ),
    _request("params that are an array", {**_V2, "id": 1, **_LIST, "params": []}, "1: -32600"),
    _request("half a response", {**_V2, "id": 1, "result": 5}, "null: -32600"),
    _request("a response that nobody asked for", {**_V2, "id": 1, "result": {}}),
    _request("an error that nobody caused", {**_V2, "id": 1, "error": {"code": 1, "message": ""}}),
)
WRONG_REQUEST = (
    Kind(
        "an unknown method",
        line(id=1, method="posts/delete", params={"_meta": META}),
        ("1: -32601",),
    ),
    Kind("a request without its envelope", line(id=1, method="tools/list"), ("1: -32602",)),
    Kind("initialize in a newer era", opening(LEGACY).splitlines(True)[0], ('"opening": -32022',)),
    Kind("an unknown notification", line(method="notifications/tea")),
    Kind("a notification of wrong shape", line(method="notifications/cancelled", params={"a": 1})),
    Kind(
        "a cancelled call that never was",
        line(method="notifications/cancelled", params={"requestId": 99}),
    ),
    Kind("one id twice", call(1, SEARCH) * 2, ("1: result", "1: result")),
    Kind("an unknown tool", call(1, {}, "delete_blog"), ("1: -32602",)),
    Kind("a tool's name of 100,000 letters", call(1, {}, "x" * 100_000), ("1: -32602",)),
    *(_asked(f"arguments {json.dumps(given)}", given, "1: -32602") for given in ([1], "text", 7)),
    _asked("no arguments", None),
    _asked("an unknown argument", {**SEARCH, "path": "/etc/passwd"}),
    _asked("a query that is an object", {"query": {"$ne": ""}}),
    _asked("a query of 20,000 characters", {"query": "é" * 20_000}),
    _asked("a query in FTS syntax", {"query": '" OR 1=1; DROP TABLE posts; --'}, "1: result"),
    *(
        _asked(f"top_k {json.dumps(wrong)}", {**SEARCH, "top_k": wrong})
        for wrong in (-1, 10**30, 2.5, "3", True, [3])
    ),
    _asked("an array of 100,000 as a tag", {**SEARCH, "tag": [0] * 100_000}),
    _asked("a date that is none", {**SEARCH, "after": "2025-02-30"}),
    Kind(
        "a path out of the blog",
        call(1, {"source": "../../etc/passwd", "chunk_index": 0}, "read_chunk"),
        ("1: tool error",),
    ),
    Kind(
        "a chunk far away",
        call(1, {"source": "a.md", "chunk_index": 10**6}, "read_chunk"),
        ("1: tool error",),
    ),
)
OLDER = (
    Kind(
        "a batch of 2025-03-26",
        b"[" + line(id=1, method="ping").strip() + b"]\n",
        ("null: -32600",),
        "2025-03-26",
    ),
    Kind("a newer era's envelope", call(1, SEARCH), ("1: -32600",), LEGACY),
    Kind("a second initialize", opening(LEGACY), ('"opening": result',), LEGACY),
    Kind(
        "a request before initialize",
        line(id=1, method="tools/list") + opening(LEGACY),
        ("1: -32602", '"opening": result'),
        "",
    ),
    Kind(
        "a broken line before initialize",
        b"{\n" + opening(LEGACY),
        ("null: -32700", '"opening": result'),
        "",
    ),
)
KINDS = (*NOT_JSON, *ODD_JSON, *NO_REQUEST, *WRONG_REQUEST, *OLDER)
