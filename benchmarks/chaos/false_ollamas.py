"""What answers at Ollama's address and is none, or stops in the middle."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler

from tests.support.ollama_standin import Model, OllamaStandIn

BAD_GATEWAY = "<html><h1>Bad Gateway</h1></html>"


class Half(BaseHTTPRequestHandler):
    """Says what an Ollama is, and of an embedding only the beginning."""

    protocol_version = "HTTP/1.1"
    said: dict[str, object] = {  # noqa: RUF012
        "/api/version": {"version": OllamaStandIn().version},
        "/api/tags": {"models": [{"model": Model().name, "digest": Model().digest}]},
        "/api/show": {"model_info": {"nomic-bert.embedding_length": Model().dimension}},
    }

    def do_GET(self) -> None:
        """Answer."""
        self._send(json.dumps(self.said[self.path]).encode(), rest=0)

    def do_POST(self) -> None:
        """Answer, or begin to."""
        self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/api/embed":
            self._send(b'{"embeddings":[[0.01,', rest=9000)
            self.rfile.read()  # until the client has had enough
        else:
            self.do_GET()

    def _send(self, data: bytes, rest: int) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(data) + rest))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Stay quiet."""


class Gateway(Half):
    """A proxy before an Ollama that is gone."""

    def do_GET(self) -> None:
        """Say so, whatever was asked."""
        self.send_response(502)
        self.send_header("Content-Length", str(len(BAD_GATEWAY)))
        self.end_headers()
        self.wfile.write(BAD_GATEWAY.encode())

    def do_POST(self) -> None:
        """Say so."""
        self.rfile.read(int(self.headers["Content-Length"]))
        self.do_GET()
