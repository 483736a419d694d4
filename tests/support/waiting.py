"""Ollamas that keep a request or say nothing, and waiting for what happens."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.support.ollama_standin import Answer, OllamaStandIn

PATIENCE = 30.0
"""Seconds after which a test has failed; nothing takes them on a machine that works."""


@dataclass
class Held:
    """A fault that keeps an answer until it is released."""

    reached: threading.Event = field(default_factory=threading.Event)
    released: threading.Event = field(default_factory=threading.Event)

    def __call__(self, _server: OllamaStandIn, answer: Answer) -> Answer | None:
        self.reached.set()
        assert self.released.wait(PATIENCE)
        return answer


@contextmanager
def silence() -> Iterator[str]:
    """A host that takes every connection and never says a word."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(128)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


def until(true: Callable[[], bool]) -> None:
    """Wait for what happens in the background."""
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)
