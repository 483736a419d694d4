"""The stand-in on a port: HTTP requests in, its answers out, whole or as broken as they are."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

from tests.support.ollama.faults import Answer

if TYPE_CHECKING:
    from tests.support.ollama_standin import OllamaStandIn


@contextmanager
def serving(standin: OllamaStandIn, port: int) -> Iterator[None]:
    """Serve on 127.0.0.1, on a free port if it is 0; `host` then names it."""
    server = ThreadingHTTPServer(("127.0.0.1", port), _handler(standin))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    standin.host = f"127.0.0.1:{server.server_port}"
    try:
        yield
    finally:
        standin.released.set()
        server.shutdown()
        thread.join()
        server.server_close()


def _handler(standin: OllamaStandIn) -> type[BaseHTTPRequestHandler]:
    released = standin.released

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._serve(b"")

        def do_POST(self) -> None:
            self._serve(self.rfile.read(int(self.headers.get("Content-Length") or 0)))

        def _serve(self, raw: bytes) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            target = self.requestline.split()[1]  # self.path has lost slashes
            answer = standin.answer(self.command, target, raw, headers)
            if answer is None:
                self.close_connection = True
            elif not released.is_set():
                self._send(answer)

        def _send(self, answer: Answer) -> None:
            is_text = isinstance(answer.body, str)
            data = answer.body if is_text or isinstance(answer.body, bytes) else None
            data = json.dumps(answer.body) if data is None else data
            data = data.encode() if isinstance(data, str) else data
            kind = "text/plain" if is_text else "application/json; charset=utf-8"
            self.send_response(answer.status)
            lengths = {"Content-Type": kind, "Content-Length": str(len(data))}
            for name, value in (lengths | dict(answer.headers or {})).items():
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data[: answer.cut])
            if answer.hangs:
                self.wfile.flush()
                released.wait()
            if answer.cut is not None:
                self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Stay quiet: `requests` is the log."""

    return Handler
