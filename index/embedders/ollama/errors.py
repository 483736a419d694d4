"""Failures of one request to Ollama: sorted into kinds, and worded for people.

Statuses alone do not sort them: a crashed runner is a 400, a text too long is a 400, and
so is a malformed request. The texts have changed between versions, the fragments matched
here have not.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import Final

from blog_search_mcp.index.errors import (
    EmbedderError,
    EmbedderRefused,
    EmbedderUnavailable,
    ModelMissing,
)

DETAIL_LIMIT: Final = 200
"""Characters of a foreign message worth repeating; a proxy's HTML page is longer."""


class Kind(Enum):
    """One kind for each thing the caller would do differently, with its error and sentence."""

    DOWN = (
        EmbedderUnavailable,
        "{place} cannot be reached. Start it (`ollama serve` or the app), or name its address "
        "with --embedder-url or OLLAMA_HOST.",
    )
    SLOW = (
        EmbedderUnavailable,
        "{place} did not answer in time. Try again; if it stays so, restart Ollama.",
    )
    BUSY = (EmbedderUnavailable, "{place} is busy. Try again in a moment.")
    CRASHED = (
        EmbedderUnavailable,
        "{place} failed while embedding: {detail}. Try again; if it stays so, restart Ollama.",
    )
    TOO_LONG = (
        EmbedderRefused,
        "{model} refuses even a single character as too long. Choose another model.",
    )
    MISSING = (ModelMissing, "{place} does not have the model {model}. Run `ollama pull {model}`.")
    NOT_EMBEDDING = (
        EmbedderRefused,
        "{model} gives no embeddings. Choose an embedding model, such as --model bge-m3.",
    )
    NO_VECTOR = (
        EmbedderRefused,
        "{place} answered with {detail}. Try again; if it stays so, restart or update Ollama.",
    )
    MIXED_UP = (EmbedderRefused, "{place} mixes up the vectors of a batch. Update Ollama.")
    """Always handled by asking for the texts one by one."""
    UNSTEADY = (
        EmbedderRefused,
        "{place} gives one text different vectors. Restart or update Ollama, then run again.",
    )
    REDIRECTED = (
        EmbedderRefused,
        "{place} redirects to {detail}, where no text is sent. If that is your Ollama, name its "
        "address with --embedder-url or OLLAMA_HOST.",
    )
    REFUSED = (
        EmbedderRefused,
        "{place} refused the request: {detail}. Check that --embedder-url or OLLAMA_HOST names an "
        "Ollama, and what its log says.",
    )


class OllamaError(Exception):
    """One failed request; it leaves this package as an EmbedderError."""

    def __init__(self, kind: Kind, detail: str = "") -> None:
        super().__init__(f"{kind.name}: {detail}")
        self.kind = kind
        self.detail = " ".join(detail.split())[:DETAIL_LIMIT]

    def reason(self) -> str:
        """Say why one text has no vector: `Ollama failed on it: EOF (status 400)`."""
        match self.kind:
            case Kind.SLOW:
                return "Ollama did not answer in time for it"
            case Kind.NO_VECTOR:
                return f"Ollama answered with {self.detail}"
            case _:
                return f"Ollama failed on it: {self.detail}"

    def say(self, url: str) -> str:
        """Say what happened at `url`, in a sentence without advice."""
        sentence: str = self.kind.value[1]
        place = f"Ollama at {url}"
        return sentence.partition(". ")[0].format(place=place, model="", detail=self.detail) + "."

    def as_embedder_error(self, url: str, model: str) -> EmbedderError:
        """Say what happened at `url` with `model`, and what to do next."""
        error: type[EmbedderError] = self.kind.value[0]
        sentence: str = self.kind.value[1]
        place = f"Ollama at {url}"
        is_ours = self.kind in (Kind.NO_VECTOR, Kind.REDIRECTED)
        detail = self.detail if is_ours else "its log has the reason"
        return error(
            sentence.format(place=place, model=model, detail=self.detail),
            for_clients=sentence.format(place=place, model=model, detail=detail),
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


def translate_error(error: Exception) -> OllamaError:
    """Translate what the client, httpx or the JSON reader raised; an OllamaError stays itself."""
    import httpx
    import ollama

    match error:
        case OllamaError():
            return error
        case ollama.ResponseError(error=text, status_code=status):
            detail = f"{text or 'no reason given'} (status {status})"
            return OllamaError(classify_reply(status, text), detail)
        case ConnectionError() | httpx.ConnectError() | httpx.ConnectTimeout():
            return OllamaError(Kind.DOWN, str(error))
        case httpx.TimeoutException():
            return OllamaError(Kind.SLOW, str(error))
        case httpx.UnsupportedProtocol() | httpx.InvalidURL():
            return OllamaError(Kind.REFUSED, str(error))
        case httpx.HTTPError():
            return OllamaError(Kind.CRASHED, str(error))
    return OllamaError(Kind.NO_VECTOR, "something that is not Ollama's answer")
