"""Requests to one server that speaks OpenAI's `/v1/embeddings`, by plain HTTP.

OpenAI's own client asks for base64 unless told not to, which servers that ignore the wish answer
with numbers and other servers with a quarter of the width (BerriAI/litellm#42426); here numbers
are asked for, and both are read. Strings alone are sent: LM Studio and Ollama refuse token arrays.
"""

from __future__ import annotations

import base64
import binascii
import os
import re
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from blog_search_mcp.index.embedders.ollama.host import is_loopback
from blog_search_mcp.index.embedders.remote.failures import (
    KEY_VARIABLE,
    FailureKind,
    FailureMessages,
    RequestFailed,
)
from blog_search_mcp.index.embedders.remote.requests import (
    CONNECT_TIMEOUT,
    RetryingClient,
    RetryPolicy,
    bound_response,
    import_httpx,
    translate_http_error,
)
from blog_search_mcp.index.errors import (
    EmbedderRefused,
    EmbedderUnavailable,
    ModelMissing,
    UsageError,
)

if TYPE_CHECKING:
    import httpx

    from blog_search_mcp.index.types import Vectors

MESSAGES: Final = FailureMessages(
    name="The embedding server",
    it="it",
    sort="server",
    setting="--embedder-url or EMBEDDER_URL",
    own={
        FailureKind.DOWN: (
            EmbedderUnavailable,
            "{place} cannot be reached. Start it, or name its address with {setting}.",
        ),
        FailureKind.MISSING: (
            ModelMissing,
            "{place} does not have the model {model}. Start it with that model, or name one that "
            "it has with --model.",
        ),
        FailureKind.NOT_EMBEDDING: (
            EmbedderRefused,
            "{model} gives no embeddings. Name an embedding model with --model.",
        ),
        FailureKind.NO_VECTOR: (
            EmbedderRefused,
            "{place} answered with {detail}. Check that {setting} names the address that ends in "
            "/v1, and the server's log.",
        ),
        FailureKind.REFUSED: (
            EmbedderRefused,
            "{place} refused the request: {detail}. Check that {setting} names the right server, "
            f"and that {KEY_VARIABLE} has its key if it asks for one.",
        ),
    },
)

_TOO_LONG = re.compile(
    r"context length|context size|context window|too long|too large|too many tokens|input length"
    r"|maximum.{0,20}tokens|exceeds?\b.{0,40}(?:token|batch|limit|length)|batch size",
    re.IGNORECASE,
)
"""What vLLM (400), TEI (413), llama.cpp (500) and Ollama (400) say of a text that is too long."""


def resolve_url(text: str) -> str:
    """Return the address that `/embeddings` is appended to; one without a path gets `/v1`.

    Raises UsageError for none, for several, for another scheme than http and https and for one
    with a name or password.
    """
    trimmed = text.strip().rstrip("/")
    example = "such as http://127.0.0.1:8000/v1"
    if not trimmed:
        raise UsageError(
            f"The openai embedder needs its server's address: add --embedder-url, {example}, or "
            "set EMBEDDER_URL."
        )
    if "," in trimmed:
        raise UsageError(
            f"The embedding server's address is several. Name one with --embedder-url, {example}: "
            "that of a proxy, such as nginx, if several servers share the work."
        )
    try:
        parts = urlsplit(trimmed if "://" in trimmed else f"http://{trimmed}")
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname)
        is_address = is_address and (parts.port is None or parts.port > 0)
    except ValueError:
        is_address = False
    if not is_address or parts.query or parts.fragment or "@" in parts.netloc:
        raise UsageError(
            f"The embedding server's address cannot be used. Correct --embedder-url or "
            f"EMBEDDER_URL: an address {example}, without a name, password or question mark."
        )
    return f"{parts.scheme}://{parts.netloc}{parts.path or '/v1'}"


class OpenAIClient(RetryingClient["httpx.Client"]):
    """One server, by an address in any form of `resolve_url`."""

    messages = MESSAGES

    def is_alive(self, policy: RetryPolicy) -> None:
        """Ask for the list of models, which some servers lack. Raises RequestFailed if down."""

        def ask(client: httpx.Client) -> None:
            response = client.get("/models")
            if response.status_code != 404:
                _raise_for_status(response)

        self.request(ask, policy)

    def embed(
        self, model: str, texts: list[str], policy: RetryPolicy, dimension: int | None = None
    ) -> Vectors:
        """Embed texts by one request; return their unit rows, in order.

        Raises RequestFailed, also for vectors of another width than `dimension`.
        """
        body = {"model": model, "input": texts, "encoding_format": "float"}

        def send(client: httpx.Client) -> Vectors:
            response = client.post("/embeddings", json=body)
            _raise_for_status(response)
            return read_rows(response.json(), len(texts), dimension)

        return self.request(send, policy)

    def translate(self, error: Exception) -> RequestFailed | None:
        """As RetryingClient."""
        return translate_http_error(error, "something that is no list of embeddings")

    def connect(self, timeout: float) -> httpx.Client:
        """As RetryingClient."""
        try:
            url = resolve_url(self.url)
        except UsageError as error:
            raise EmbedderRefused(str(error), for_clients=error.for_clients) from error
        try:
            import_httpx()
            import httpx

            key = os.environ.get(KEY_VARIABLE, "")
            headers = {"Accept-Encoding": "identity", "User-Agent": "blog-search-mcp"}
            return httpx.Client(
                base_url=url,
                timeout=httpx.Timeout(timeout, connect=CONNECT_TIMEOUT),
                limits=httpx.Limits(max_keepalive_connections=0),
                trust_env=not is_loopback(
                    url
                ),  # a proxy in the environment is not for this machine
                follow_redirects=False,
                headers=headers | ({"Authorization": f"Bearer {key}"} if key else {}),
                event_hooks={"response": [bound_response]},
            )
        except (ImportError, OSError, ValueError) as error:
            advice = f"Correct {KEY_VARIABLE}, SSL_CERT_FILE or the proxy variables."
            raise EmbedderRefused(
                f"The HTTP client cannot start: {error}. {advice}",
                for_clients=f"The HTTP client cannot start. {advice}",
            ) from error


def read_rows(reply: Any, count: int, dimension: int | None = None) -> Vectors:
    """Read `count` vectors out of an answer, in the order of the texts, at unit length.

    Raises RequestFailed if they are not that many, of one width (`dimension`, if that is known),
    finite and longer than zero.
    """
    import numpy as np

    entries = reply["data"]
    if len(entries) != count:
        raise RequestFailed(FailureKind.NO_VECTOR, f"{len(entries)} vectors for {count} texts")
    by_index = {
        int(entry["index"]) if "index" in entry else place: entry
        for place, entry in enumerate(entries)
    }
    if sorted(by_index) != list(range(count)):
        raise RequestFailed(
            FailureKind.NO_VECTOR, "vectors whose numbers are not those of the texts"
        )
    rows = [_decode(by_index[place]["embedding"]) for place in range(count)]
    if any(row.ndim != 1 for row in rows):
        raise RequestFailed(FailureKind.NO_VECTOR, "several vectors for a text")
    if len({len(row) for row in rows}) > 1:
        raise RequestFailed(FailureKind.NO_VECTOR, "vectors of different lengths")
    if dimension not in (None, width := len(rows[0])):
        reason = f"a vector of {width} numbers instead of {dimension}"
        raise RequestFailed(FailureKind.NO_VECTOR, reason)
    matrix = np.asarray(rows, dtype=np.float32)
    norms = np.linalg.norm(matrix, axis=1, keepdims=True)
    if not np.isfinite(norms).all():
        raise RequestFailed(FailureKind.NO_VECTOR, "a vector with a number that is not finite")
    if not norms.all():
        raise RequestFailed(FailureKind.NO_VECTOR, "a vector of zeros")
    unit: Vectors = matrix / norms
    return unit


def _decode(embedding: Any) -> Vectors:
    """Read one vector: numbers, or float32 in little-endian base64."""
    import numpy as np

    if isinstance(embedding, str):
        try:
            return np.frombuffer(base64.b64decode(embedding, validate=True), dtype="<f4")
        except (binascii.Error, ValueError) as error:
            raise RequestFailed(FailureKind.NO_VECTOR, "text that is no vector") from error
    return np.asarray(embedding, dtype=np.float32)


def classify_reply(status: int, text: str) -> FailureKind:
    """Classify an HTTP reply of 400 and above by its status and the server's words."""
    if status == 413 or (status in (400, 422, 500) and _TOO_LONG.search(text)):
        return FailureKind.TOO_LONG
    if status in (429, 502, 503, 504):
        return FailureKind.BUSY
    if status == 404 and "model" in text:
        return FailureKind.MISSING
    if status == 501 or "does not support embeddings" in text:
        return FailureKind.NOT_EMBEDDING
    return FailureKind.CRASHED if status >= 500 else FailureKind.REFUSED


def _raise_for_status(response: httpx.Response) -> None:
    if response.status_code < 400:
        return
    text = response.text
    try:
        error = response.json()["error"]
        text = str(error["message"] if isinstance(error, dict) else error)
    except (ValueError, LookupError, TypeError, RecursionError):
        pass
    detail = f"{text or 'no reason given'} (status {response.status_code})"
    raise RequestFailed(classify_reply(response.status_code, text), detail)
