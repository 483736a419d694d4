"""A local HTTP server that speaks OpenAI's `/v1/embeddings` as strict servers do, with faults.

Vectors are those of the Ollama stand-in's models. Faults are its faults, given to the coming
requests (`faults`) or for texts (`on_text`); those that alter vectors are made by `alters_data`.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.support.ollama.faults import Answer, Fault
from tests.support.ollama.model import Model, embedding, tokens
from tests.support.ollama.serve import serving
from tests.support.ollama_standin import Body, OllamaStandIn, Request

Data = list[dict[str, Any]]

BGE = Model("BAAI/bge-small-en-v1.5", dimension=384, context=512)


@dataclass
class OpenAIStandIn(OllamaStandIn):
    """State of the server; change it between requests as a test needs."""

    models: list[Model] = field(default_factory=lambda: [BGE])
    key: str = ""
    """What every request must bring as a bearer token; empty for none."""
    most_texts: int = 2048
    """More of them in a request are refused with 413, as TEI does."""
    says_too_long: tuple[int, str] = (
        400,
        "maximum context length is {context} tokens",
    )
    """Status and text for a text of more tokens than the model reads."""
    length: float = 1.0
    """Of the vectors: not every server normalises them."""
    pace: float = 0.0
    """Seconds a text takes."""

    @property
    def url(self) -> str:
        """What --embedder-url is given."""
        return f"http://{self.host}/v1"

    @property
    def embedded(self) -> list[Body]:
        """Bodies of the requests to /v1/embeddings so far."""
        return [each.body for each in self.requests if each.path == "/v1/embeddings"]

    def answer(
        self, method: str, path: str, raw: bytes, headers: Mapping[str, str]
    ) -> Answer | None:
        """Answer one request and log it; `None` means no answer at all."""
        body = json.loads(raw) if raw else {}
        self.requests.append(Request(method, path, body, headers))
        if self.key and headers.get("authorization") != f"Bearer {self.key}":
            return refuse(401, "Incorrect API key provided")
        answer = self._right_answer(method, path, body)
        fault = self._fault_of(body) if path == "/v1/embeddings" else self.elsewhere.get(path)
        self.broken += fault is not None
        return fault(self, answer) if fault else answer

    def _right_answer(self, method: str, path: str, body: Body) -> Answer:
        if (method, path) == ("GET", "/v1/models"):
            listed = [{"id": model.name, "object": "model"} for model in self.models]
            return Answer(200, {"object": "list", "data": listed})
        if (method, path) != ("POST", "/v1/embeddings"):
            return refuse(404, "Not Found")
        return self._embed(body)

    def _embed(self, body: Body) -> Answer:
        model = next((each for each in self.models if each.name == body.get("model")), None)
        texts = body.get("input")
        if model is None:
            return refuse(404, f"The model `{body.get('model')}` does not exist")
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            return refuse(422, "'input' field must be a string or an array of strings")
        if body.get("encoding_format") != "float" or "dimensions" in body:
            return refuse(400, "encoding_format must be float; dimensions are not supported")
        if len(texts) > self.most_texts:
            return refuse(413, f"batch size {len(texts)} > maximum allowed {self.most_texts}")
        if any(len(tokens(text)) + 2 > model.context for text in texts):
            status, said = self.says_too_long
            return refuse(status, said.format(context=model.context))
        self.released.wait(self.pace * len(texts))
        rows = [
            embedding(text, model, self.reads_capitals) * np.float32(self.length) for text in texts
        ]
        data = [
            {"object": "embedding", "index": place, "embedding": [float(number) for number in row]}
            for place, row in enumerate(rows)
        ]
        usage = {"prompt_tokens": 0, "total_tokens": 0}
        return Answer(200, {"object": "list", "data": data, "model": model.name, "usage": usage})


def refuse(status: int, message: str) -> Answer:
    """Answer with an error of OpenAI's form."""
    return Answer(status, {"error": {"message": message, "type": "invalid_request_error"}})


def alters_data(change: Callable[[Data], Data]) -> Fault:
    """Answer 200 with the entries changed; an error stays as it is."""

    def altered(_server: OllamaStandIn, answer: Answer) -> Answer:
        if answer.status != 200:
            return answer
        return Answer(200, {**answer.body, "data": change(answer.body["data"])})

    return altered


@contextmanager
def running(standin: OpenAIStandIn | None = None, port: int = 0) -> Iterator[OpenAIStandIn]:
    """Serve on 127.0.0.1, on a free port unless one is given; `url` then names it."""
    standin = standin or OpenAIStandIn()
    standin.released = threading.Event()
    with serving(standin, port):
        yield standin
