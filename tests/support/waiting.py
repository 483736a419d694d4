"""Ollamas that keep a request, and a time in which waiting for one takes no time."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

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


@dataclass
class GivenTime:
    """Waits in earnest for what comes; for what is held, the seconds pass at once."""

    held: Held | None = None
    silent: bool = False
    """Whether nothing comes at all."""
    at: float = 1000.0
    waited: list[float] = field(default_factory=list)
    """Seconds that each wait in vain took."""

    def now(self) -> float:
        return self.at

    def wait(self, work: Future[Any], seconds: float) -> bool:
        while not work.done():
            if self.silent or (self.held is not None and self.held.reached.is_set()):
                self.at += seconds
                self.waited.append(seconds)
                return False
            wait([work], 0.01)
        return True


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
