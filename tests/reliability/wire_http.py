"""What a client may send over HTTP that no good client sends, as data, and a server to take it."""

from __future__ import annotations

import http.client
import json
import os
import select
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.faults.server_process import MODERN, PATIENCE, call
from tests.support.paths import ROOT
from tests.support.ports import free_port

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
    _body("NUL bytes", b"\x00" * 100),
    _body("bytes that are no UTF-8", SEARCH.replace(b"cache", b"ca\xff\xfeche")),
    _body("half a character", SEARCH.replace(b"cache", b"ca\\ud83eche"), 200),
    _body("100,000 nested arrays", b"[" * 100_000),
    _body("100,000 nested objects", b'{"a":' * 100_000),
    _body("a batch", b"[" + SEARCH.strip() + b"," + SEARCH.strip() + b"]"),
    _body("version 1.0", SEARCH.replace(b"2.0", b"1.0")),
    _body("arguments that are an array", call(1, [1])),
    _body("an unknown argument", call(1, {"query": "q", "path": "/etc/passwd"}), 200),
    _body("1e400", SEARCH.replace(b'"cache"', b'"q", "top_k": 1e400'), 200),
    _body("a body of 50 MB", b"x" * 50_000_000, 413),
    Kind("HTTP: a body of 5 MB in chunks", 413, b"x" * 5_000_000, chunked=True),
    _headers("form data", 400, Content_Type="application/x-www-form-urlencoded"),
    _headers("an answer wanted as a page", 406, Accept="text/html"),
    _headers("a page's Origin", 403, Origin="https://example.org"),
    _headers("a rebound Host", 421, Host="example.org"),
    _headers("an unknown session", 200, Mcp_Session_Id="0" * 32, **OLDER),
    _headers("an unknown version", 400, MCP_Protocol_Version="1999-01-01"),
    Kind("HTTP: half an object without a session", 400, b"{", headers=OLDER),
    Kind("HTTP: POST without a session", 200, headers=OLDER),
    Kind("HTTP: GET without a session", 405, b"", "GET", headers=OLDER),
    Kind("HTTP: DELETE without a session", 405, b"", "DELETE", headers=OLDER),
    Kind("HTTP: GET, which is no more", 405, b"", "GET"),
    Kind("HTTP: PUT", 405, b"", "PUT"),
    Kind("HTTP: another path", 404, path="/../../etc/passwd"),
)


def head(path: str, length: int, *more: str) -> bytes:
    """Return the head of a POST whose body has `length` bytes, with `more` headers."""
    host = "Host: localhost"
    lines = (f"POST {path} HTTP/1.1", host, f"Content-Length: {length}", *more, "", "")
    return "\r\n".join(lines).encode()


def ended_with(connected: socket.socket, wait: float = 0.0) -> str | None:
    """The first line of what was answered, empty if it was closed, `None` if it is open."""
    if not select.select([connected], [], [], wait)[0]:
        return None
    try:
        return connected.recv(1_000).decode().partition("\r\n")[0]
    except ConnectionResetError:
        return ""


class Listener:
    """A `blog-search-mcp serve --http` process."""

    def __init__(self, index: Path, host: str = "127.0.0.1", token: str = "") -> None:
        self._token = token
        self.port = free_port()
        self._popen = subprocess.Popen(
            [
                *(sys.executable, "-m", "blog_search_mcp.server", "--index", str(index)),
                *("--http", f"{host}:{self.port}"),
            ],
            env=os.environ | {"BLOG_SERVER_TOKEN": token},
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        self._wait()

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return self._popen.poll() is None

    def answer(self, kind: Kind) -> tuple[int, bytes]:
        """Send it as it is; the status and the body of the answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        body = iter([kind.body]) if kind.chunked else kind.body
        token = {"Authorization": f"Bearer {self._token}"} if self._token else {}
        with suppress(BrokenPipeError, ConnectionResetError):  # it may answer before the body ends
            connection.request(kind.method, kind.path, body, {**JSON, **token, **kind.headers})
        answer = connection.getresponse()
        said = (answer.status, answer.read())
        connection.close()
        return said

    def open(self, sent: bytes, address: str = "127.0.0.1") -> socket.socket:
        """Connect and send these bytes as they are."""
        connected = socket.create_connection((address, self.port), PATIENCE)
        connected.sendall(sent)
        return connected

    def search(self) -> dict[str, Any]:
        """Ask for what the blog has, as an assistant would."""
        _status, body = self.answer(Kind("a search", 200))
        reply: dict[str, Any] = json.loads(body)
        return reply

    def end(self) -> bytes:
        """End it, whatever it does; what it wrote to stderr."""
        self._popen.kill()
        return self._popen.communicate()[1]

    def complaints(self) -> list[str]:
        """End it; the lines on stderr that are no news."""
        return [line for line in self.end().decode().splitlines() if not line.startswith("INFO ")]

    def _wait(self) -> None:
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            with socket.socket() as attempt:
                if attempt.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.05)
        raise TimeoutError(f"nothing listens at port {self.port}")
