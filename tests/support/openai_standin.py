"""A local HTTP server that speaks OpenAI's `/v1/embeddings` as strict servers do, with faults.

Its vectors and faults are those of the Ollama stand-in.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.support.ollama_standin import (
    Answer,
    Body,
    Fault,
    Model,
    OllamaStandIn,
    embedding,
    replies,
    tokens,
)

BGE = Model("BAAI/bge-small-en-v1.5", context=512)


@dataclass
class OpenAIStandIn(OllamaStandIn):
    """State of the server; change it between requests as a test needs."""

    models: list[Model] = field(default_factory=lambda: [BGE])
    key: str = ""
    """Bearer token that every request must bring; empty for none."""
    most_texts: int = 2048
    """Maximum texts of a request; with more, the answer is 413, as in TEI."""

    route = "/v1/embeddings"

    @property
    def url(self) -> str:
        """Value for `--embedder-url`."""
        return f"http://{self.host}/v1"

    def right_answer(self, path: str, body: Body, headers: Mapping[str, str]) -> Answer:
        if self.key and headers.get("authorization") != f"Bearer {self.key}":
            return refuse(401, "Incorrect API key provided")
        texts = body.get("input")
        model = next((each for each in self.models if each.name == body.get("model")), None)
        if path != self.route:
            return refuse(404, "Not Found")
        if model is None:
            return refuse(404, f"The model `{body.get('model')}` does not exist")
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            return refuse(422, "'input' field must be a string or an array of strings")
        if body.get("encoding_format", "float") != "float" or "dimensions" in body:
            return refuse(400, "encoding_format must be float; dimensions are not supported")
        if len(texts) > self.most_texts:
            return refuse(413, f"batch size {len(texts)} > maximum allowed {self.most_texts}")
        if any(len(tokens(text)) + 2 > model.context for text in texts):
            return refuse(400, f"maximum context length is {model.context} tokens")
        return self.answer_rows([embedding(text, model, self.reads_capitals) for text in texts])

    def answer_rows(self, rows: Sequence[object]) -> Answer:
        """Answer with numbered vectors in reverse order, since the protocol allows any order."""
        data = [{"index": place, "embedding": row} for place, row in enumerate(rows)]
        return Answer(200, {"data": data[::-1]})

    def rows_of(self, answer: Answer) -> list[Any]:
        """The vectors of an answer."""
        return [entry["embedding"] for entry in answer.body["data"][::-1]]


def refuse(status: int, message: str) -> Answer:
    """Answer with an error of OpenAI's form."""
    return Answer(status, {"error": {"message": message, "type": "invalid_request_error"}})


def fails(status: int, message: str) -> Fault:
    """Answer with an error of OpenAI's form."""
    return replies(status, refuse(status, message).body)
