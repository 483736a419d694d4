"""A fault of the Ollama stand-in that holds an answer back, and a wait for a condition."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.support.ollama_standin import Answer, OllamaStandIn

PATIENCE = 30.0
"""Seconds after which a wait fails; a working machine never needs as many."""


@dataclass
class Held:
    """A fault that holds an answer back until `released` is set, at most PATIENCE seconds."""

    released: threading.Event = field(default_factory=threading.Event)

    def __call__(self, _server: OllamaStandIn, answer: Answer) -> Answer | None:
        assert self.released.wait(PATIENCE)
        return answer


def until(true: Callable[[], bool]) -> None:
    """Wait until `true()` holds, at most PATIENCE seconds."""
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)
