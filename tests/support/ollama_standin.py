"""A local HTTP server that speaks Ollama's contract of vectors and chats, with faults by script.

It answers with the statuses and texts of Ollama (`tests.ollama.contract`, held to a real one
by test_ollama_contract.py) and knows nothing of how it is asked: prefixes, batches and
retries are visible in `requests`. With `reads_capitals` off it is one of the versions that
take every word with a capital or an accent for the same unknown piece.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.support.ollama import chat, contract
from tests.support.ollama.faults import Answer, Fault, alters, closes, fails, hangs, replies
from tests.support.ollama.model import Model, embedding
from tests.support.ollama.serve import serving

__all__ = [
    "Answer",
    "Body",
    "Fault",
    "Model",
    "OllamaStandIn",
    "Request",
    "alters",
    "closes",
    "embedding",
    "fails",
    "hangs",
    "replies",
    "running",
]

Body = Mapping[str, Any]
Says = Callable[[Sequence[Body], Sequence[Body]], Body]
"""Messages and tools in, a message out."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it arrived."""

    method: str
    path: str
    body: Body
    headers: Mapping[str, str]


@dataclass
class OllamaStandIn:
    """State of the server; change it between requests as a test needs."""

    models: list[Model] = field(default_factory=lambda: [Model()])
    version: str | None = "0.32.15"
    """`None`: there is no /api/version here."""
    reads_capitals: bool = True
    faults: list[Fault | None] = field(default_factory=list)
    """One for each coming /api/embed, in order; `None` lets that request pass."""
    on_text: dict[str, Fault] = field(default_factory=dict)
    """By a pattern in a text, for every /api/embed with such a text; lasts."""
    elsewhere: dict[str, Fault] = field(default_factory=dict)
    """By path, for every request to another route; lasts."""
    broken: int = 0
    """Answers that a fault was made of so far."""
    says: Says = field(default=lambda _messages, _tools: {"content": "Yes."})
    """The chat models' next message without its role: `content`, `thinking`, and `tool_calls` as
    names with arguments."""
    requests: list[Request] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)
    """Set when the server stops, so that hanging answers end with it."""
    host: str = ""

    @property
    def chatted(self) -> list[Body]:
        """Bodies of the requests to /api/chat so far."""
        return [request.body for request in self.requests if request.path == "/api/chat"]

    @property
    def embedded(self) -> list[Body]:
        """Bodies of the requests to /api/embed so far."""
        return [request.body for request in self.requests if request.path == "/api/embed"]

    def since(self, *version: int) -> bool:
        """Whether this is that version or a later one."""
        return tuple(int(part) for part in re.findall(r"\d+", self.version or "0")) >= version

    def find(self, name: str) -> Model | None:
        wanted = contract.full_name(name).lower()
        return next((model for model in self.models if model.name.lower() == wanted), None)

    def answer(
        self, method: str, path: str, raw: bytes, headers: Mapping[str, str]
    ) -> Answer | None:
        """Answer one request and log it; `None` means no answer at all."""
        refusal = contract.refused(method, path)
        if refusal is None and method == "POST":
            body = contract.parsed(raw)
            refusal, body = (body, {}) if isinstance(body, Answer) else (None, body)
        else:
            body = {}
        self.requests.append(Request(method, path, body, headers))
        return refusal or self._faulty(path, body)

    def _faulty(self, path: str, body: Body) -> Answer | None:
        answer = self._right(path, body)
        fault = self._fault_of(body) if path == "/api/embed" else self.elsewhere.get(path)
        self.broken += fault is not None
        return fault(self, answer) if fault else answer

    def _fault_of(self, body: Body) -> Fault | None:
        fault = self.faults.pop(0) if self.faults else None
        for pattern, lasting in self.on_text.items():
            if any(re.search(pattern, text) for text in body.get("input") or []):
                return lasting
        return fault

    def _right(self, path: str, body: Body) -> Answer:
        match path:
            case "/api/version" if self.version is None:
                return Answer(404, "404 page not found")
            case "/api/version":
                return Answer(200, {"version": self.version})
            case "/api/tags":
                return contract.tags(self)
            case "/api/show":
                return contract.show(self, body)
            case "/api/chat":
                return chat.chat(self, body)
        return contract.embed(self, body)


@contextmanager
def running(standin: OllamaStandIn | None = None, port: int = 0) -> Iterator[OllamaStandIn]:
    """Serve on 127.0.0.1, on a free port unless one is given; `host` then names it."""
    standin = standin or OllamaStandIn()
    standin.released = threading.Event()
    with serving(standin, port):
        yield standin
