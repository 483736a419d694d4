"""Ollama's routes as functions: the stand-in's state and a request in, status and body out.

Statuses and texts are those of Ollama 0.32, and of the eras before it where they differ.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tests.support.ollama.faults import Answer
from tests.support.ollama.model import Model, embedding, tokens

if TYPE_CHECKING:
    from tests.support.ollama_standin import OllamaStandIn

ROUTES = {
    "/api/version": "GET",
    "/api/tags": "GET",
    "/api/show": "POST",
    "/api/embed": "POST",
    "/api/chat": "POST",
}


def refused(method: str, path: str) -> Answer | None:
    """What Ollama says before it looks at the body."""
    if path not in ROUTES:
        return Answer(404, "404 page not found")
    return None if method == ROUTES[path] else Answer(405, "405 method not allowed")


def parsed(raw: bytes) -> dict[str, Any] | Answer:
    """The request's JSON object, or what Ollama says of what is none."""
    if not raw:
        return _error(400, "missing request body")
    try:
        body = json.loads(raw.decode("utf-8", "replace"))
    except ValueError:
        return _error(400, "unexpected EOF")
    return body if isinstance(body, dict) else _error(400, "json: cannot unmarshal")


def tags(server: OllamaStandIn) -> Answer:
    return Answer(200, {"models": [_tag(server, model) for model in server.models]})


def show(server: OllamaStandIn, body: Mapping[str, Any]) -> Answer:
    name = str(body.get("model", ""))
    if not name:
        return _error(400, "model is required")
    model = server.find(name)
    if model is None:
        return _error(404, f"model '{full_name(name)}' not found")
    shown: dict[str, Any] = {
        "details": _details(model),
        "model_info": {
            "general.architecture": model.architecture,
            "tokenizer.ggml.model": model.tokenizer,
            f"{model.architecture}.embedding_length": model.dimension,
            f"{model.architecture}.context_length": model.context,
        },
        "modified_at": "2026-11-20T12:00:00Z",
    }
    if model.capabilities is not None:
        shown["capabilities"] = list(model.capabilities)
    return Answer(200, shown)


def embed(server: OllamaStandIn, body: Mapping[str, Any]) -> Answer:
    """The checks in Ollama's own order, then a vector for each text."""
    texts = body.get("input") or []
    texts = [texts] if isinstance(texts, str) else texts
    model = server.find(str(body.get("model", "")))
    refusal = _wrong_model(server, body, texts) or _no_embedding(server, model)
    if refusal is not None or model is None:
        return refusal or _missing(body)
    answer = {"model": body["model"], "embeddings": []}
    if not texts:
        return Answer(200, answer)
    counts = [len(tokens(text)) + 2 for text in texts]
    if body.get("truncate") is False and max(counts) > model.context:
        return _too_long(server)
    rows = [embedding(text, model, server.reads_capitals).tolist() for text in texts]
    times = {"total_duration": 2_000_000, "load_duration": 1_000_000}
    counted = {"prompt_eval_count": sum(min(count, model.context) for count in counts)}
    return Answer(200, {**answer, "embeddings": rows, **times, **counted})


def full_name(name: str) -> str:
    return name if ":" in name else f"{name}:latest"


def _error(status: int, text: str) -> Answer:
    return Answer(status, {"error": text})


def _wrong_model(server: OllamaStandIn, body: Mapping[str, Any], texts: Any) -> Answer | None:
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        return _error(400, "invalid input type")
    return None if server.find(str(body.get("model", ""))) else _missing(body)


def _missing(body: Mapping[str, Any]) -> Answer:
    return _error(404, f'model "{body.get("model")}" not found, try pulling it first')


def _no_embedding(server: OllamaStandIn, model: Model | None) -> Answer | None:
    if model is None or model.capabilities is None or "embedding" in model.capabilities:
        return None
    if server.since(0, 30):
        no = "This server does not support embeddings. Start it with `--embeddings`"
        return _error(501, no)
    return _error(501 if server.since(0, 13, 3) else 500, "this model does not support embeddings")


def _too_long(server: OllamaStandIn) -> Answer:
    if server.since(0, 13, 3):
        return _error(400, "the input length exceeds the context length")
    if server.since(0, 12, 1):
        return _error(400, "input exceeds maximum context length")
    return _error(400, "input length exceeds maximum context length")


def _details(model: Model) -> dict[str, Any]:
    return {"family": model.architecture, "format": "gguf", "quantization_level": "F16"}


def _tag(server: OllamaStandIn, model: Model) -> dict[str, Any]:
    modified = "2026-11-20T12:00:00.000000000Z"
    entry = {"name": model.name, "model": model.name, "modified_at": modified, "size": 274302450}
    details = _details(model)
    if not server.since(0, 30):
        return {**entry, "digest": model.digest, "details": details}
    lengths = {"context_length": model.context, "embedding_length": model.dimension}
    capabilities = list(model.capabilities or ())
    details |= lengths if model.tells_lengths else {}
    return {**entry, "digest": model.digest, "details": details, "capabilities": capabilities}
