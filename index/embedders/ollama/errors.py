"""What can go wrong with Ollama: a foreign error in, its kind out, and the sentence for it.

Statuses alone do not tell: a crashed runner is a 400, a text too long is a 400,
and so is a typing error in the request. The texts have changed between
versions, the fragments matched here have not.
"""

from __future__ import annotations

import re
from enum import Enum, auto
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
    """One kind for each thing the caller would do differently."""

    DOWN = auto()
    SLOW = auto()
    BUSY = auto()
    CRASHED = auto()
    TOO_LONG = auto()
    MISSING = auto()
    NOT_EMBEDDING = auto()
    NO_VECTOR = auto()
    MIXED_UP = auto()
    UNSTEADY = auto()
    REFUSED = auto()


class OllamaError(Exception):
    """One failed request, inside this package; `as_error` makes it a sentence."""

    def __init__(self, kind: Kind, detail: str = "") -> None:
        super().__init__(f"{kind.name}: {detail}")
        self.kind = kind
        self.detail = " ".join(detail.split())[:DETAIL_LIMIT]


def kind_of_answer(status: int, text: str) -> Kind:
    """Classify an HTTP answer of 400 and above by its status and Ollama's own words."""
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


def foreign_errors() -> tuple[type[Exception], ...]:
    """Everything the client raises at a request: its own errors, httpx's and its readers'."""
    import httpx
    import ollama

    own = (OllamaError, ollama.ResponseError, ollama.RequestError)
    return (*own, httpx.HTTPError, httpx.InvalidURL, OSError, ValueError, AttributeError, TypeError)


def failure_of(error: Exception) -> OllamaError:
    """Translate what the client, httpx or the JSON reader raised; an OllamaError stays itself."""
    import httpx
    import ollama

    if isinstance(error, OllamaError):
        return error
    if isinstance(error, ollama.ResponseError):
        kind = kind_of_answer(error.status_code, error.error)
        return OllamaError(kind, f"{error.error or 'no reason given'} (status {error.status_code})")
    if isinstance(error, ConnectionError | httpx.ConnectError | httpx.ConnectTimeout):
        return OllamaError(Kind.DOWN, str(error))
    if isinstance(error, httpx.TimeoutException):
        return OllamaError(Kind.SLOW, str(error))
    if isinstance(error, httpx.UnsupportedProtocol | httpx.InvalidURL):
        return OllamaError(Kind.REFUSED, str(error))
    if isinstance(error, httpx.HTTPError):
        return OllamaError(Kind.CRASHED, str(error))
    return OllamaError(Kind.NO_VECTOR, "something that is not Ollama's answer")


def reason_of(failure: OllamaError) -> str:
    """Why one text has no vector, for the report: `Ollama failed on it: EOF (status 400)`."""
    match failure.kind:
        case Kind.SLOW:
            return "Ollama did not answer in time for it"
        case Kind.NO_VECTOR:
            return f"Ollama answered with {failure.detail}"
        case _:
            return f"Ollama failed on it: {failure.detail}"


def as_error(failure: OllamaError, host: str, model: str) -> EmbedderError:
    """Say what happened at `host` with `model`, and what to do next."""
    place = f"Ollama at {host}"
    match failure.kind:
        case Kind.DOWN:
            return EmbedderUnavailable(
                f"{place} cannot be reached. Start it (`ollama serve` or the app), or name its "
                "address with --embedder-url or OLLAMA_HOST."
            )
        case Kind.SLOW:
            return EmbedderUnavailable(
                f"{place} did not answer in time. Try again; if it stays so, restart Ollama."
            )
        case Kind.BUSY:
            return EmbedderUnavailable(f"{place} is busy. Try again in a moment.")
        case Kind.CRASHED:
            return EmbedderUnavailable(
                f"{place} failed while embedding: {failure.detail}. Try again; if it stays so, "
                "restart Ollama."
            )
        case Kind.MISSING:
            return ModelMissing(
                f"{place} does not have the model {model}. Run `ollama pull {model}`."
            )
        case Kind.NOT_EMBEDDING:
            return EmbedderRefused(
                f"{model} gives no embeddings. Choose an embedding model, such as "
                "--model nomic-embed-text."
            )
        case Kind.TOO_LONG:
            return EmbedderRefused(
                f"{model} refuses even a single character as too long. Choose another model."
            )
        case Kind.NO_VECTOR:
            return EmbedderRefused(
                f"{place} answered with {failure.detail}. Try again; if it stays so, restart "
                "or update Ollama."
            )
        case Kind.MIXED_UP | Kind.UNSTEADY:
            return EmbedderRefused(
                f"{place} gives one text different vectors. Restart or update "
                "Ollama, then run again."
            )
        case Kind.REFUSED:
            return EmbedderRefused(
                f"{place} refused the request: {failure.detail}. Check that --embedder-url or "
                "OLLAMA_HOST names an Ollama, and what its log says."
            )
