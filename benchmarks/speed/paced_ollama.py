"""`python -m benchmarks.speed.paced_ollama TEXT PIECE`: an Ollama at a pace, on a free port.

It speaks as much of Ollama's API as an ingest asks for, probes included, embeds one text after
another in TEXT seconds and PIECE more for each word piece, and needs hardly any of this machine
meanwhile, as one on a graphics card. It prints its port first.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from benchmarks.speed.process import python

MODEL = "all-minilm"
DIMENSION = 384


class Pace(NamedTuple):
    """Seconds that a model takes for each text, and more for each of its word pieces."""

    text: float
    piece: float

    def __str__(self) -> str:
        """As a table says it."""
        return f"{1000 * self.text:g} ms a text and {1000 * self.piece:g} ms a word piece"


MINILM = Pace(0.0025, 0.000055)
"""Of all-MiniLM-L6-v2: what the copy in the package takes on two cores, 3.3 ms for a query and
16.7 ms for a passage of 250 word pieces."""

CHARACTERS = 4
"""Of a word piece, about."""

_TAG = {
    "name": f"{MODEL}:latest",
    "model": f"{MODEL}:latest",
    "digest": "1b226e2802dbb772b5fc32a58f103ca1804ef7501331012de126ab22f67475ef",
}
_SHOWN = {
    "capabilities": ["embedding"],
    "model_info": {"general.architecture": "bert", "bert.embedding_length": DIMENSION},
}
_GET = {"/api/version": {"version": "0.32.15"}, "/api/tags": {"models": [_TAG]}}


@contextmanager
def paced_ollama(pace: Pace) -> Iterator[str]:
    """Start one; give its address."""
    command = ("-m", "benchmarks.speed.paced_ollama", str(pace.text), str(pace.piece))
    with python(command, subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        finally:
            process.kill()


def embedder_options(url: str) -> tuple[str, ...]:
    """The options of an ingest by the Ollama at this address."""
    return ("ollama", "--model", MODEL, "--embedder-url", url)


def main() -> None:
    """Serve until the process is ended."""
    pace = Pace(*map(float, sys.argv[1:3]))
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(_vectors(), pace))
    print(server.server_port, flush=True)  # noqa: T201
    server.serve_forever()


def _vectors() -> list[str]:
    """Unit vectors as JSON, made once: to write numbers is the dearest part of an answer."""
    import numpy as np

    rows = np.random.default_rng(3).standard_normal((1024, DIMENSION), dtype=np.float32) + 0.5
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return [json.dumps([round(float(number), 7) for number in row]) for row in rows]


def _handler(vectors: list[str], pace: Pace) -> type[BaseHTTPRequestHandler]:
    one_at_a_time = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = 1 << 16
        """Head and body leave at once, as Ollama's: else one waits 40 ms for the other."""

        def do_GET(self) -> None:
            self._send(json.dumps(_GET[self.path]))

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self._send(self._embed(body) if self.path == "/api/embed" else json.dumps(_SHOWN))

        def _embed(self, body: dict[str, Any]) -> str:
            asked = body.get("input") or []
            texts = [asked] if isinstance(asked, str) else asked
            pieces = sum(len(text) for text in texts) / CHARACTERS
            with one_at_a_time:
                time.sleep(pace.text * len(texts) + pace.piece * pieces)
            rows = ",".join(vectors[zlib.crc32(text.encode()) % len(vectors)] for text in texts)
            return f'{{"model": "{MODEL}", "embeddings": [{rows}]}}'

        def _send(self, text: str) -> None:
            data = text.encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Stay quiet."""

    return Handler


if __name__ == "__main__":
    main()
