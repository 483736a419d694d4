"""What a client may send over HTTP that no good client sends, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.support.faults.server_process import MODERN, call

JSON = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": MODERN,
    "Mcp-Method": "tools/call",
    "Mcp-Name": "search_blog",
}
OLDER = {"MCP-Protocol-Version": "2025-11-25"}
SEARCH = call(1, {"query": "cache"})


@dataclass(frozen=True, slots=True)
class Kind:
    """A request, and the status it must be answered with."""

    what: str
    status: int
    body: bytes = SEARCH
    method: str = "POST"
    path: str = "/mcp"
    headers: Mapping[str, str] = field(default_factory=dict)
    """Beside, or instead of, those of a good client."""
    chunked: bool = False
    """Whether the body's length is not told beforehand."""


def _body(what: str, body: bytes, status: int = 400) -> Kind:
    return Kind(f"HTTP: {what}", status, body)


def _headers(what: str, status: int, **headers: str) -> Kind:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Kind(f"HTTP: {what}", status, headers=named)


KINDS = (
    _body("half an object", b'{"jsonrpc":"2.0","id":1,'),
    _body("no body", b""),
    _body("a line of text", b"hello, server"),
    _body("bytes that are no UTF-8", SEARCH.replace(b"cache", b"ca\xff\xfeche")),
    _body("half a character", SEARCH.replace(b"cache", b"ca\\ud83eche"), 200),
    _body("100,000 nested arrays", b"[" * 100_000),
    _body("a batch", b"[" + SEARCH.strip() + b"," + SEARCH.strip() + b"]"),
    _body("version 1.0", SEARCH.replace(b"2.0", b"1.0")),
    _body("arguments that are an array", call(1, [1])),
    _body("an unknown argument", call(1, {"query": "q", "path": "/etc/passwd"}), 200),
    _body("a body of 50 MB", b"x" * 50_000_000, 413),
    Kind("HTTP: a body of 5 MB in chunks", 413, b"x" * 5_000_000, chunked=True),
    _headers("form data", 400, Content_Type="application/x-www-form-urlencoded"),
    _headers("an answer wanted as a page", 406, Accept="text/html"),
    _headers("a page's Origin", 403, Origin="https://example.org"),
    _headers("a rebound Host", 400, Host="example.org"),
    _headers("an unknown session", 200, Mcp_Session_Id="0" * 32, **OLDER),
    _headers("an unknown version", 400, MCP_Protocol_Version="1999-01-01"),
    Kind("HTTP: POST without a session", 200, headers=OLDER),
    Kind("HTTP: GET without a session", 405, b"", "GET", headers=OLDER),
    Kind("HTTP: GET, which is no more", 405, b"", "GET"),
    Kind("HTTP: another path", 404, path="/etc/passwd"),
)
