"""Ways for an Ollama to be dead: a port in, a process that is dead in one way on it out.

    python -m tests.reliability.dead_ollamas NAME PORT

A process of its own, so that leaving it closes every connection, as restarting Ollama does.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TypeAlias

from tests.support.ollama_standin import (
    Answer,
    Fault,
    Model,
    OllamaStandIn,
    fails,
    hangs,
    replies,
    running,
)
from tests.support.paths import ROOT

Death: TypeAlias = Callable[[int], AbstractContextManager[object]]

ALWAYS = 100_000
"""Requests; no group makes so many."""

LOADING = 3.0
"""Seconds that loading the model takes where that is the fault."""

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


@contextmanager
def dead(name: str, port: int) -> Iterator[None]:
    """Let an Ollama be dead in this way until the end of the block."""
    command = [sys.executable, "-m", "tests.reliability.dead_ollamas", name, str(port)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe) as process:
        assert process.stdout is not None
        if process.stdout.readline() != b"dead\n":
            raise RuntimeError(f"An Ollama could not be made dead by {name}.")
        try:
            yield
        finally:
            process.kill()


@contextmanager
def refused(_port: int) -> Iterator[None]:
    """Nobody listens."""
    yield


@contextmanager
def silent(port: int) -> Iterator[None]:
    """Connections are taken and nothing is ever said."""
    with _listener(port, backlog=1024):
        yield


@contextmanager
def blackhole(port: int) -> Iterator[None]:
    """Packets vanish: the queue of connections is full, so that the kernel drops more."""
    with _listener(port, backlog=0), ExitStack() as opened:
        for _ in range(8):
            caller = opened.enter_context(socket.socket())
            caller.settimeout(0.2)
            if caller.connect_ex(("127.0.0.1", port)):
                break
        else:
            raise RuntimeError("The kernel takes every connection here.")
        yield


@contextmanager
def standing(
    port: int, models: tuple[Model, ...] = (Model(),), fault: Fault | None = None
) -> Iterator[None]:
    """Ollama itself, with one fault for every embedding or with other models."""
    with running(OllamaStandIn(models=list(models), faults=[fault] * ALWAYS), port):
        yield


@contextmanager
def handled(port: int, handler: type[BaseHTTPRequestHandler]) -> Iterator[None]:
    """Every request goes to `handler`."""
    server = ThreadingHTTPServer(("127.0.0.1", port), handler)
    Thread(target=server.serve_forever, daemon=True).start()
    yield


def kills(_server: OllamaStandIn, _answer: Answer) -> Answer | None:
    """Die while a question waits for its answer."""
    time.sleep(0.1)
    os.kill(os.getpid(), signal.SIGKILL)
    return None


def loads() -> Fault:
    """Keep what comes in the first LOADING seconds until they are over."""
    begun: list[float] = []

    def load(_server: OllamaStandIn, answer: Answer) -> Answer | None:
        begun.append(time.monotonic())
        time.sleep(max(begun[0] + LOADING - time.monotonic(), 0.0))
        return answer

    return load


DEATHS: dict[str, Death] = {
    "refused": refused,
    "silent": silent,
    "blackhole": blackhole,
    "hangs": partial(standing, fault=hangs),
    "half": partial(handled, handler=Half),
    "busy": partial(standing, fault=fails(503, "server busy, please try again.")),
    "gateway": partial(handled, handler=Gateway),
    "502": partial(standing, fault=replies(502, BAD_GATEWAY)),
    "deleted": partial(standing, models=()),
    "changed": partial(standing, models=(Model(digest="f" * 64),)),
    "killed": partial(standing, fault=kills),
    "loading": partial(standing, fault=loads()),
}


@contextmanager
def _listener(port: int, backlog: int) -> Iterator[None]:
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        listener.listen(backlog)
        yield


if __name__ == "__main__":
    with DEATHS[sys.argv[1]](int(sys.argv[2])):
        sys.stdout.write("dead\n")
        sys.stdout.flush()
        sys.stdin.read()
