"""Failures of one request to Ollama: sorted into kinds, and worded for people.

Statuses alone do not sort them: a crashed runner is a 400, a text too long is a 400, and
so is a malformed request. The texts have changed between versions, the fragments matched
here have not.
"""

from __future__ import annotations

import re
from typing import Final

from blog_search_mcp.index.embedders.remote.failures import Kind, RequestFailed, Wording
from blog_search_mcp.index.embedders.remote.requests import translate_http_error
from blog_search_mcp.index.errors import EmbedderRefused, EmbedderUnavailable, ModelMissing

WORDING: Final = Wording(
    name="Ollama",
    it="Ollama",
    sort="Ollama",
    setting="--embedder-url or OLLAMA_HOST",
    own={
        Kind.DOWN: (
            EmbedderUnavailable,
            "{place} cannot be reached. Start it (`ollama serve` or the app), or name its address "
            "with {setting}.",
        ),
        Kind.MISSING: (
            ModelMissing,
            "{place} does not have the model {model}. Run `ollama pull {model}`.",
        ),
        Kind.NOT_EMBEDDING: (
            EmbedderRefused,
            "{model} gives no embeddings. Choose an embedding model, such as --model bge-m3.",
        ),
        Kind.NO_VECTOR: (
            EmbedderRefused,
            "{place} answered with {detail}. Try again; if it stays so, restart or update Ollama.",
        ),
        Kind.REFUSED: (
            EmbedderRefused,
            "{place} refused the request: {detail}. Check that {setting} names an Ollama, and what "
            "its log says.",
        ),
    },
)


def classify_reply(status: int, text: str) -> Kind:
    """Classify an HTTP reply of 400 and above by its status and Ollama's own words."""
    if "exceed" in text and "context length" in text:
        return Kind.TOO_LONG
    if status == 501 or "does not support embeddings" in text:
        return Kind.NOT_EMBEDDING
    if status == 404 and "model" in text:
        return Kind.MISSING
    if status == 503:
        return Kind.BUSY
    if status >= 500 or re.search(r"\bEOF\b|connection (reset|refused)|do embedding req", text):
        return Kind.CRASHED
    return Kind.REFUSED


def translate_error(error: Exception) -> RequestFailed:
    """Translate what the client, httpx or the JSON reader raised."""
    import ollama

    if isinstance(error, ollama.ResponseError):
        text = error.error
        detail = f"{text or 'no reason given'} (status {error.status_code})"
        return RequestFailed(classify_reply(error.status_code, text), detail)
    return translate_http_error(error) or RequestFailed(
        Kind.NO_VECTOR, "something that is not Ollama's answer"
    )
