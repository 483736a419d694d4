"""Requests that no good client sends, as data: their bytes, and what must come back."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.support.faults.server_process import META, MODERN, call, line, opening

LEGACY = "2025-11-25"
SEARCH = {"query": "cache"}


@dataclass(frozen=True, slots=True)
class Kind:
    """Bytes on a connection of one protocol version, and the outcomes they must have."""

    what: str
    sent: bytes
    answers: tuple[str, ...] = ()
    """As `outcome` writes them, in any order; empty: nothing must come back."""
    version: str = MODERN
    """Empty: the connection has not been opened yet."""


def _raw(what: str, sent: bytes, *answers: str) -> Kind:
    return Kind(what, sent + b"\n", answers)


def _asked(what: str, arguments: object, answer: str = "1: tool error") -> Kind:
    return Kind(what, call(1, arguments), (answer,))


def _request(what: str, answer: str = "", **message: object) -> Kind:
    sent = json.dumps({"jsonrpc": "2.0", **message}).encode()
    return _raw(what, sent, *([answer] if answer else []))


_OK = call(1, SEARCH).rstrip(b"\n")
_LIST = {"method": "tools/list", "params": {"_meta": META}}
NO_JSON, NO_REQUEST = "null: -32700", "null: -32600"

KINDS = (
    _raw("half an object", b'{"jsonrpc":"2.0","id":1,"method":', NO_JSON),
    _raw("text after the object", _OK + b"}", NO_JSON),
    _raw("NaN", _OK.replace(b'"cache"', b"NaN"), NO_JSON),
    _raw("NUL bytes", b"\x00" * 100, NO_JSON),
    _raw("UTF-16", _OK.decode().encode("utf-16-le"), NO_JSON),
    _raw("a number of 5,000 digits", _OK.replace(b'"cache"', b"9" * 5_000), NO_JSON),
    _raw("100,000 nested arrays", b"[" * 100_000, NO_JSON),
    _raw("a line of 50 MB", b"x" * 50_000_000, NO_JSON),
    _raw("a query of 2 MB", call(1, {"query": "x" * 2_000_000}).strip(), "1: tool error"),
    _raw("bytes that are no UTF-8", _OK.replace(b"cache", b"ca\xff\xfeche"), "1: result"),
    _raw("a byte order mark", b"\xef\xbb\xbf" + _OK, "1: result"),
    _raw("CRLF at the end", _OK + b"\r", "1: result"),
    _raw("blank lines", b"\n \n\t\r\n"),
    _raw("half a character", _OK.replace(b"cache", b"ca\\ud83eche"), "1: result"),
    _raw("150 nested arrays", call(1, "@").replace(b'"@"', b"[" * 150 + b"]" * 150), "1: -32602"),
    _raw("a long id", _OK.replace(b'"id": 1', b'"id": ' + b"1" * 30), f"{'1' * 30}: result"),
    *(_raw(f"only {value}", value.encode(), NO_REQUEST) for value in ("null", "7", '"text"')),
    _raw("an empty object", b"{}", NO_REQUEST),
    _raw("a batch", b"[" + _OK + b"," + _OK + b"]", NO_REQUEST),
    _raw("no version", b'{"id":1,"method":"tools/list"}', "1: -32600"),
    _request("version 1.0", '"e?": -32600', id="e\ud800", jsonrpc="1.0", **_LIST),
    _request("no method", NO_REQUEST, id=1),
    _request("a method that is a number", "-7: -32600", id=-7, method=7),
    *(
        _request(f"the id {json.dumps(wrong)}", NO_REQUEST, id=wrong, **_LIST)
        for wrong in (None, 1.5, True, [1], {"a": 1})
    ),
    _request("params that are an array", "1: -32600", id=1, method="tools/list", params=[]),
    _request("half a response", NO_REQUEST, id=1, result=5),
    _request("a response that nobody asked for", id=1, result={}),
    _request("an error that nobody caused", id=1, error={"code": 1, "message": ""}),
    _request("an unknown method", "1: -32601", id=1, method="posts/delete", params={"_meta": META}),
    _request("a request without its envelope", "1: -32602", id=1, method="tools/list"),
    Kind("initialize in a newer era", opening(LEGACY).splitlines(True)[0], ('"opening": -32022',)),
    _request("an unknown notification", method="notifications/tea"),
    _request("a wrong notification", method="notifications/cancelled", params={"a": 1}),
    _request("a call that never was", method="notifications/cancelled", params={"requestId": 99}),
    Kind("one id twice", call(1, SEARCH) * 2, ("1: result", "1: result")),
    Kind("an unknown tool", call(1, {}, "delete_blog"), ("1: -32602",)),
    Kind("a tool's name of 100,000 letters", call(1, {}, "x" * 100_000), ("1: -32602",)),
    *(_asked(f"arguments {json.dumps(given)}", given, "1: -32602") for given in ([1], "text", 7)),
    _asked("no arguments", None),
    _asked("an unknown argument", {**SEARCH, "path": "/etc/passwd"}, "1: result"),
    _asked("a query that is an object", {"query": {"$ne": ""}}),
    _asked("a query in FTS syntax", {"query": '" OR 1=1; DROP TABLE posts; --'}, "1: result"),
    _asked("a huge top_k", {**SEARCH, "top_k": 10**30}, "1: result"),
    _asked("an array of 100,000 as a tag", {**SEARCH, "tag": [0] * 100_000}),
    Kind(
        "a path out of the blog",
        call(1, {"source": "../../etc/passwd", "chunk_index": 0}, "read_chunk"),
        ("1: tool error",),
    ),
    Kind("a batch of old", b"[" + line(id=1, method="ping")[:-1] + b"]\n", (NO_REQUEST,), LEGACY),
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
        (NO_JSON, '"opening": result'),
        "",
    ),
)

JSON = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": MODERN,
    "Mcp-Method": "tools/call",
    "Mcp-Name": "search_blog",
}
OLDER = {"MCP-Protocol-Version": LEGACY}


@dataclass(frozen=True, slots=True)
class Request:
    """A request over HTTP, and the status it must be answered with."""

    what: str
    status: int
    body: bytes = _OK
    method: str = "POST"
    path: str = "/mcp"
    headers: Mapping[str, str] = field(default_factory=dict)
    """Headers added to those of a good client, or sent in their place."""
    chunked: bool = False
    """Whether the body is sent in chunks, without its length."""


REQUESTS = (
    Request("half an object", 400, b'{"jsonrpc":"2.0","id":1,'),
    Request("no body", 400, b""),
    Request("bytes that are no UTF-8", 400, _OK.replace(b"cache", b"ca\xff\xfeche")),
    Request("half a character", 200, _OK.replace(b"cache", b"ca\\ud83eche")),
    Request("100,000 nested arrays", 400, b"[" * 100_000),
    Request("a batch", 400, b"[" + _OK + b"," + _OK + b"]"),
    Request("arguments that are an array", 400, call(1, [1])),
    Request("an unknown argument", 200, call(1, {"query": "q", "path": "/etc/passwd"})),
    Request("a body of 50 MB", 413, b"x" * 50_000_000),
    Request("a body of 5 MB in chunks", 413, b"x" * 5_000_000, chunked=True),
    Request("a large body of the page's", 413, b"x" * 5_000_000, path="/api/search"),
    Request("such a body in chunks", 413, b"x" * 5_000_000, path="/api/search", chunked=True),
    Request("form data", 400, headers={"Content-Type": "application/x-www-form-urlencoded"}),
    Request("an answer wanted as a page", 406, headers={"Accept": "text/html"}),
    Request("an unknown session", 200, headers={"Mcp-Session-Id": "0" * 32, **OLDER}),
    Request("an unknown version", 400, headers={"MCP-Protocol-Version": "1999-01-01"}),
    Request("GET without a session", 405, b"", "GET", headers=OLDER),
    Request("GET, which is no more", 405, b"", "GET"),
    Request("another path", 404, path="/etc/passwd"),
)
