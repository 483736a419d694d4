"""Servers that speak OpenAI's `/v1/embeddings` (vLLM, TEI, llama.cpp, LM Studio), by plain HTTP.

OpenAI's own client asks for base64 unless told not to, which servers that ignore the wish answer
with numbers and other servers with a quarter of the width (BerriAI/litellm#42426); here numbers
are asked for. Strings alone are sent: LM Studio and Ollama refuse token arrays. Such a server names
neither version nor weights, so the vector of a fingerprint text has to tell them.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from blog_search_mcp.index.embedders.client import (
    FOR_A_QUERY,
    KEY_VARIABLE,
    FailureKind,
    RequestFailed,
    RetryPolicy,
    ServerState,
    Wire,
    client_options,
    read_rows,
)
from blog_search_mcp.index.embedders.fingerprint import TEXTS
from blog_search_mcp.index.errors import EmbedderRefused, UsageError

if TYPE_CHECKING:
    import httpx

    from blog_search_mcp.index.types import Vectors

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
    try:
        parts = urlsplit(trimmed if "://" in trimmed else f"http://{trimmed}")
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address or re.search(r"[?#@,]", trimmed):
        raise UsageError(
            "The openai embedder needs its server's address. Add --embedder-url or set "
            "EMBEDDER_URL: one address such as http://127.0.0.1:8000/v1, without a name, password "
            "or question mark."
        )
    return f"{parts.scheme}://{parts.netloc}{parts.path or '/v1'}"


class OpenAIWire(Wire["httpx.Client"]):
    """One server, by an address in any form of `resolve_url`; another one fails at first use."""

    kind = "openai"
    name = "The embedding server"
    it = "it"
    setting = "--embedder-url or EMBEDDER_URL"
    start = "Start it"
    fetch = "Start it with that model, or name one that it has with --model"
    check = (
        f"Check that {setting} names the address that ends in /v1, that {KEY_VARIABLE} has the key "
        "if it asks for one, and the server's log"
    )
    advice = f"Correct {KEY_VARIABLE}, SSL_CERT_FILE or the proxy variables."
    for_a_check = FOR_A_QUERY
    """A check embeds, for which some servers load the model first."""

    def connect(self, timeout: float) -> httpx.Client:
        """As Wire."""
        import httpx

        try:
            url = resolve_url(self.url)
        except UsageError as error:
            raise EmbedderRefused(str(error), for_clients=error.for_clients) from error
        options = client_options(url, timeout)
        options["headers"]["User-Agent"] = "blog-search-mcp"
        if key := os.environ.get(KEY_VARIABLE, ""):
            options["headers"]["Authorization"] = f"Bearer {key}"
        return httpx.Client(base_url=url, **options)

    def describe(self, model: str, policy: RetryPolicy) -> ServerState:
        """As Wire: embeds the first fingerprint text, 20 tokens, which shows other weights."""
        [row] = self.embed(model, [TEXTS[0]], None, policy)
        return ServerState(dimension=len(row), sample=row)

    def embed(
        self, model: str, texts: list[str], dimension: int | None, policy: RetryPolicy
    ) -> Vectors:
        """As Wire."""
        body = {"model": model, "input": texts, "encoding_format": "float"}

        def send(client: httpx.Client) -> Vectors:
            response = client.post("/embeddings", json=body)
            _raise_for_status(response)
            entries = sorted(response.json()["data"], key=lambda each: each.get("index", 0))
            return read_rows([each["embedding"] for each in entries], len(texts), dimension)

        return self.request(send, policy)


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
