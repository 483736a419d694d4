"""An Ollama that keeps a request, and waiting for what happens."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.support.ollama_standin import Answer, OllamaStandIn

PATIENCE = 30.0
"""Seconds after which a test has failed; nothing takes them on a machine that works."""


@dataclass
class Held:
    """A fault that keeps an answer until it is released."""

    released: threading.Event = field(default_factory=threading.Event)

    def __call__(self, _server: OllamaStandIn, answer: Answer) -> Answer | None:
        assert self.released.wait(PATIENCE)
        return answer


def until(true: Callable[[], bool]) -> None:
    """Wait for what happens in the background."""
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)
