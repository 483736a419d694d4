"""Ways for an Ollama to be dead: a port in, a process that is dead in one way on it out.

    python -m benchmarks.chaos.dead_ollamas NAME PORT

A process of its own, so that leaving it closes every connection, as restarting Ollama does.
"""

from __future__ import annotations

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
from pathlib import Path
from threading import Thread
from typing import TypeAlias

from benchmarks.chaos.false_ollamas import BAD_GATEWAY, Gateway, Half
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

Death: TypeAlias = Callable[[int], AbstractContextManager[object]]

ALWAYS = 100_000
"""Requests; no group makes so many."""

LOADING = 3.0
"""Seconds that loading the model takes where that is the fault."""

ROOT = Path(__file__).parents[2]


@contextmanager
def dead(name: str, port: int) -> Iterator[None]:
    """Let an Ollama be dead in this way until the end of the block."""
    command = [sys.executable, "-m", "benchmarks.chaos.dead_ollamas", name, str(port)]
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
