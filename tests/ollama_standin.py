"""A local HTTP server that speaks Ollama's embedding contract, with faults by script.

It answers with the statuses and texts of Ollama 0.32 and knows nothing of how it is
asked: prefixes, batches and retries are visible in `requests`. Vectors are the unit
mean of one hashed direction per word without its capitals and accents, so a text has
the same vector in every batch and process, and related texts lie close together.
With `reads_capitals` off it is one of the versions that take every word with a
capital or an accent for the same unknown piece.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import numpy.typing as npt

Body = Mapping[str, Any]
Answer = tuple[int, Any]
"""Status and body; a str goes out as text, everything else as JSON."""
Fault = Callable[["OllamaStandIn", Answer], Answer | None]
"""What becomes of one answer to /api/embed; `None` closes the connection unanswered."""


@dataclass(frozen=True, slots=True)
class Model:
    """One pulled model."""

    name: str = "nomic-embed-text:latest"
    digest: str = "0a109f422b47e3a30ba2b10eca18548e944e8a23073ee3f3e947efcf3c45e59f"
    architecture: str = "nomic-bert"
    tokenizer: str = "bert"
    dimension: int = 768
    context: int = 2048
    capabilities: tuple[str, ...] | None = ("embedding",)


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
    requests: list[Request] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)
    """Set when the server stops, so that hanging answers end with it."""
    host: str = ""

    @property
    def embedded(self) -> list[Body]:
        """Bodies of the requests to /api/embed so far."""
        return [request.body for request in self.requests if request.path == "/api/embed"]

    def answer(self, request: Request) -> Answer | None:
        """Answer one request and log it; `None` means no answer at all."""
        self.requests.append(request)
        match request.method, request.path:
            case "GET", "/":
                return 200, "Ollama is running"
            case "GET", "/api/version" if self.version is not None:
                return 200, {"version": self.version}
            case "GET", "/api/tags":
                return 200, {"models": [tag(model) for model in self.models]}
            case "POST", "/api/show":
                return self._show(request.body)
            case "POST", "/api/embed":
                fault = self.faults.pop(0) if self.faults else None
                answer = self._embed(request.body)
                return fault(self, answer) if fault else answer
            case _, "/api/version" | "/api/tags" | "/api/show" | "/api/embed":
                return 405, "405 method not allowed"
        return 404, "404 page not found"

    def _show(self, body: Body) -> Answer:
        model = self._find(str(body.get("model", "")))
        if model is None:
            return 404, {"error": f"model '{body.get('model')}' not found"}
        shown: dict[str, Any] = {
            "details": {"family": model.architecture},
            "model_info": {
                "general.architecture": model.architecture,
                "tokenizer.ggml.model": model.tokenizer,
                f"{model.architecture}.embedding_length": model.dimension,
                f"{model.architecture}.context_length": model.context,
            },
        }
        if model.capabilities is not None:
            shown["capabilities"] = list(model.capabilities)
        return 200, shown

    def _embed(self, body: Body) -> Answer:
        texts = body.get("input") or []
        texts = [texts] if isinstance(texts, str) else texts
        if not all(isinstance(text, str) for text in texts):
            return 400, {"error": "invalid input type"}
        model = self._find(str(body.get("model", "")))
        if model is None:
            missing = f'model "{body.get("model")}" not found, try pulling it first'
            return 404, {"error": missing}
        if model.capabilities is not None and "embedding" not in model.capabilities:
            no = "This server does not support embeddings. Start it with `--embeddings`"
            return 501, {"error": no}
        counts = [len(tokens(text)) + 2 for text in texts]
        if body.get("truncate") is False and any(count > model.context for count in counts):
            return 400, {"error": "the input length exceeds the context length"}
        rows = [embedding(text, model, self.reads_capitals).tolist() for text in texts]
        return 200, {"model": body["model"], "embeddings": rows, "prompt_eval_count": sum(counts)}

    def _find(self, name: str) -> Model | None:
        wanted = (name if ":" in name else f"{name}:latest").lower()
        return next((model for model in self.models if model.name.lower() == wanted), None)


def tag(model: Model) -> dict[str, Any]:
    """Describe one model as /api/tags does."""
    details = {"family": model.architecture, "format": "gguf", "quantization_level": "F16"}
    modified = "2026-11-20T12:00:00.000000000Z"
    entry = {"name": model.name, "model": model.name, "modified_at": modified, "size": 274302450}
    return {**entry, "digest": model.digest, "details": details}


def tokens(text: str, reads_capitals: bool = True) -> list[str]:
    """Words and punctuation marks without capitals and accents; what is not read is unknown."""
    words = re.findall(r"\w+|[^\w\s]", unicodedata.normalize("NFC", text))
    known = {word: bare(word) for word in words}
    if reads_capitals:
        return [known[word] for word in words]
    return [word if word == known[word] else "[UNK]" for word in words]


def bare(word: str) -> str:
    """Take accents and capitals off a word."""
    parts = unicodedata.normalize("NFD", word.lower())
    return "".join(part for part in parts if not unicodedata.combining(part))


@cache
def direction(token: str, dimension: int) -> npt.NDArray[np.float64]:
    """Return the direction of one token: the same in every process."""
    seed = int.from_bytes(hashlib.sha256(token.encode()).digest()[:8], "big")
    return np.random.default_rng(seed).standard_normal(dimension)


def embedding(text: str, model: Model, reads_capitals: bool = True) -> npt.NDArray[np.float32]:
    """Unit mean of the directions of a text's tokens, cut to the model's context."""
    words = ["[CLS]", *tokens(text, reads_capitals)[: model.context - 2]]
    total = np.zeros(model.dimension)
    for word in words:
        total += direction(word, model.dimension)
    unit: npt.NDArray[np.float32] = (total / np.linalg.norm(total)).astype(np.float32)
    return unit


def fails(status: int, error: str) -> Fault:
    """Answer with an error of Ollama's form."""
    return lambda _server, _answer: (status, {"error": error})


def replies(status: int, text: str) -> Fault:
    """Answer with a text that is not Ollama's, as a proxy does."""
    return lambda _server, _answer: (status, text)


def alters(change: Callable[[list[Any]], list[Any]]) -> Fault:
    """Answer 200 with the vectors changed."""
    return lambda _server, answer: (
        200,
        {**answer[1], "embeddings": change(answer[1]["embeddings"])},
    )


def hangs(server: OllamaStandIn, answer: Answer) -> Answer | None:
    """Keep the request waiting until the server stops."""
    server.released.wait()
    return answer


def closes(_server: OllamaStandIn, _answer: Answer) -> Answer | None:
    """Close the connection without an answer."""
    return None


@contextmanager
def running(standin: OllamaStandIn | None = None, port: int = 0) -> Iterator[OllamaStandIn]:
    """Serve on 127.0.0.1, on a free port unless one is given; `host` then names it."""
    standin = standin or OllamaStandIn()
    server = ThreadingHTTPServer(("127.0.0.1", port), _handler(standin))
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
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._serve({})

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            self._serve(json.loads(raw))

        def _serve(self, body: Body) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            answer = standin.answer(Request(self.command, self.path, body, headers))
            if answer is None:
                self.close_connection = True
            elif not standin.released.is_set():
                self._send(*answer)

        def _send(self, status: int, body: Any) -> None:
            is_text = isinstance(body, str)
            data = (body if is_text else json.dumps(body)).encode()
            self.send_response(status)
            kind = "text/plain" if is_text else "application/json; charset=utf-8"
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Stay quiet: `requests` is the log."""

    return Handler
