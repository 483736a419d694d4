"""A local HTTP server that answers this program's requests as Ollama 0.32 does, with faults.

Statuses and texts are those of a real server; test_ollama_contract.py compares both. The stand-in
does not check prefixes, batches and retries: a test finds them in `requests`. A fault changes the
right answer before it is sent; tests set faults for the next requests, texts or routes.

A vector is the unit mean of hashed directions, one for each word without capitals and accents. So a
text has the same vector in every batch and process, and related texts lie close together.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
import unicodedata
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Body = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Model:
    """One pulled model."""

    name: str = "nomic-embed-text:latest"
    digest: str = "0a109f422b47e3a30ba2b10eca18548e944e8a23073ee3f3e947efcf3c45e59f"
    dimension: int = 64
    """Length of a vector; shorter than a real model's, to save time."""
    context: int = 2048
    capabilities: tuple[str, ...] = ("embedding",)


def tokens(text: str, reads_capitals: bool = True) -> list[str]:
    """Split into words and marks; those with capitals or accents lose them, or become `[UNK]`."""
    words = re.findall(r"\w+|[^\w\s]", unicodedata.normalize("NFC", text))
    bare = [
        "".join(c for c in unicodedata.normalize("NFD", w.lower()) if not unicodedata.combining(c))
        for w in words
    ]
    if reads_capitals:
        return bare
    return [b if b == word else "[UNK]" for b, word in zip(bare, words, strict=True)]


@cache
def direction(token: str, dimension: int) -> npt.NDArray[np.float64]:
    """Return the direction of one token: the same in every process."""
    seed = int.from_bytes(hashlib.sha256(token.encode()).digest()[:8], "big")
    return np.random.default_rng(seed).standard_normal(dimension)


def embedding(text: str, model: Model, reads_capitals: bool = True) -> list[float]:
    """Return the unit mean of the directions of a text's tokens, cut to the model's context."""
    words = ["[CLS]", *tokens(text, reads_capitals)[: model.context - 2]]
    total = np.sum([direction(word, model.dimension) for word in words], axis=0)
    unit: list[float] = (total / np.linalg.norm(total)).astype(np.float32).tolist()
    return unit


@dataclass(frozen=True, slots=True)
class Answer:
    """Status and body. A str is sent as text, bytes unchanged, any other body as JSON."""

    status: int
    body: Any
    cut: int | None = None
    """Number of bytes of the body before the connection is closed; `None` for the whole body."""
    headers: Mapping[str, str] = field(default_factory=dict)
    endless: tuple[bytes, bytes] | None = None
    """First bytes and repeated bytes of an endless answer, which replaces `body`."""


Fault: TypeAlias = "Callable[[OllamaStandIn, Answer], Answer | None]"
"""Function of the server and the right answer; a result of `None` closes the connection."""


def fails(status: int, error: str) -> Fault:
    """Answer with an error of Ollama's form."""
    return replies(status, {"error": error})


def replies(status: int, body: Any, **headers: str) -> Fault:
    """Answer with a text or JSON that is not Ollama's, as a proxy does."""
    return lambda _server, _answer: Answer(status, body, headers=headers)


def alters(change: Callable[[list[Any]], list[Any]]) -> Fault:
    """Answer 200 with changed vectors; leave an error unchanged."""

    def altered(server: OllamaStandIn, answer: Answer) -> Answer:
        if answer.status != 200:
            return answer
        return server.answer_rows(change(server.rows_of(answer)))

    return altered


def hangs(server: OllamaStandIn, answer: Answer) -> Answer | None:
    """Keep the request waiting until the server stops."""
    server.released.wait()
    return answer


def closes(_server: OllamaStandIn, _answer: Answer) -> Answer | None:
    """Close the connection without an answer."""
    return None


def breaks_off(_server: OllamaStandIn, answer: Answer) -> Answer:
    """Close the connection in the middle of the body."""
    return Answer(answer.status, answer.body, cut=100)


def compressed(_server: OllamaStandIn, _answer: Answer) -> Answer:
    """Answer with 9 MB of blanks, compressed to 9 kB although no header asked for compression."""
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    body = packer.compress(b" " * 9_000_000) + packer.flush()
    return Answer(200, body, headers={"Content-Encoding": "deflate"})


def goes_on(start: bytes, part: bytes) -> Fault:
    """Answer without an end; each part arrives before the client's timeout."""
    return lambda _server, answer: replace(answer, endless=(start, part))


def becomes(**changes: Any) -> Fault:
    """Answer, and change fields of the server for later requests: `becomes(version="0.33.1")`."""

    def changed(server: OllamaStandIn, answer: Answer) -> Answer:
        for name, value in changes.items():
            setattr(server, name, value)
        return answer

    return changed


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it arrived."""

    path: str
    body: Body
    headers: Mapping[str, str]


@dataclass
class OllamaStandIn:
    """State of the server; change it between requests as a test needs."""

    models: list[Model] = field(default_factory=lambda: [Model()])
    version: str = "0.32.15"
    reads_capitals: bool = True
    faults: list[Fault | None] = field(default_factory=list)
    """Faults of the next requests for vectors, in order; `None` is no fault."""
    on_text: dict[str, Fault] = field(default_factory=dict)
    """Faults by pattern, for every request with a text that matches the pattern."""
    elsewhere: dict[str, Fault] = field(default_factory=dict)
    """Faults by path, for every request to another route than the route for vectors."""
    says: Callable[[Sequence[Body]], Body] = lambda _messages: {"content": "Yes."}
    """Function that returns a chat model's next message, without role, given the messages."""
    requests: list[Request] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)
    """Set when the server stops, so that waiting answers end."""
    host: str = ""

    route = "/api/embed"

    def asked(self, path: str) -> list[Body]:
        """Bodies of the requests to a route so far."""
        return [request.body for request in self.requests if request.path == path]

    @property
    def embedded(self) -> list[Body]:
        """Bodies of the requests for vectors so far."""
        return self.asked(self.route)

    def find(self, name: str) -> Model | None:
        wanted = (name if ":" in name else f"{name}:latest").lower()
        return next((model for model in self.models if model.name.lower() == wanted), None)

    def answer(self, path: str, raw: bytes, headers: Mapping[str, str]) -> Answer | None:
        """Log a request and return its answer; `None` closes the connection."""
        body = json.loads(raw) if raw else {}
        self.requests.append(Request(path, body, headers))
        answer = self.right_answer(path, body, headers)
        fault = self._fault_of(body) if path == self.route else self.elsewhere.get(path)
        return fault(self, answer) if fault else answer

    def _fault_of(self, body: Body) -> Fault | None:
        fault = self.faults.pop(0) if self.faults else None
        for pattern, lasting in self.on_text.items():
            if any(re.search(pattern, text) for text in body.get("input") or []):
                return lasting
        return fault

    def right_answer(self, path: str, body: Body, _headers: Mapping[str, str]) -> Answer:
        match path:
            case "/api/version":
                return Answer(200, {"version": self.version})
            case "/api/tags":
                entries = [
                    {"name": m.name, "model": m.name, "digest": m.digest} for m in self.models
                ]
                return Answer(200, {"models": entries})
            case "/api/chat":
                return self._chat(body)
            case self.route:
                return self._embed(body)
        return Answer(404, "404 page not found")

    def _embed(self, body: Body) -> Answer:
        texts = body.get("input") or []
        texts = [texts] if isinstance(texts, str) else texts
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            return Answer(400, {"error": "invalid input type"})
        model = self.find(name := str(body.get("model", "")))
        if model is None:
            return Answer(404, {"error": f'model "{name}" not found, try pulling it first'})
        longest = max([len(tokens(text)) + 2 for text in texts], default=0)
        if body.get("truncate") is False and longest > model.context:
            return Answer(400, {"error": "the input length exceeds the context length"})
        return self.answer_rows([embedding(text, model, self.reads_capitals) for text in texts])

    def answer_rows(self, rows: Sequence[object]) -> Answer:
        """Answer with vectors."""
        return Answer(200, {"embeddings": rows})

    def rows_of(self, answer: Answer) -> list[Any]:
        """The vectors of an answer."""
        return list(answer.body["embeddings"])

    def _chat(self, body: Body) -> Answer:
        name = str(body.get("model", ""))
        model = self.find(name)
        if model is None:
            return Answer(404, {"error": f"model '{name}' not found"})
        if body.get("tools") and "tools" not in model.capabilities:
            named = f"registry.ollama.ai/library/{model.name}"
            return Answer(400, {"error": f"{named} does not support tools"})
        message = {"role": "assistant", "content": "", **self.says(body.get("messages") or [])}
        return Answer(200, {"model": name, "message": message, "done": True})


@contextmanager
def running(standin: OllamaStandIn | None = None) -> Iterator[OllamaStandIn]:
    """Serve on a free port of 127.0.0.1, which `host` then names."""
    standin = standin or OllamaStandIn()
    standin.released = threading.Event()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(standin))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    standin.host = f"127.0.0.1:{server.server_port}"
    try:
        yield standin
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
            answer = standin.answer(self.path, raw, headers)
            if answer is None:
                self.close_connection = True
            elif not released.is_set():
                self._send(answer)

        def _send(self, answer: Answer) -> None:
            if answer.endless is not None:
                self.close_connection = True
                with suppress(OSError):
                    self.wfile.write(answer.endless[0])
                    while not released.wait(0.02):
                        self.wfile.write(answer.endless[1])
                return
            body = answer.body
            is_raw = isinstance(body, str | bytes)
            data = (
                body if isinstance(body, bytes) else (body if is_raw else json.dumps(body)).encode()
            )
            self.send_response(answer.status)
            self.send_header("Content-Type", "text/plain" if is_raw else "application/json")
            self.send_header("Content-Length", str(len(data)))
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data[: answer.cut])
            if answer.cut is not None:
                self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Stay quiet: `requests` is the log."""

    return Handler
