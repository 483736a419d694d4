"""Ollama's own API by its official client, which neither times out nor retries."""

from __future__ import annotations

from typing import Any, Final

import httpx

from blog_search_mcp.index.embedders.addresses import resolve_ollama
from blog_search_mcp.index.embedders.cards import full_name
from blog_search_mcp.index.embedders.client import (
    FOR_A_LOOK,
    FailureKind,
    RequestFailed,
    RetryPolicy,
    Wire,
    clean_text,
    client_options,
    read_rows,
)
from blog_search_mcp.index.errors import EmbedderError
from blog_search_mcp.index.types import Vectors

KEEP_ALIVE: Final = "30m"
"""How long Ollama keeps the model loaded; its default of 5 minutes makes queries wait for it."""


class OllamaWire(Wire):
    """One Ollama, whose address is in any form of OLLAMA_HOST."""

    kind = "ollama"
    name = "Ollama"
    setting = "--embedder-url or OLLAMA_HOST"
    start = "Start it (`ollama serve` or the app)"
    fetch = "Run `ollama pull {model}`"

    def __init__(self, url: str, model: str) -> None:
        """Take address and model. Raises UsageError for an address that no Ollama could have."""
        super().__init__(resolve_ollama(url), model)

    def connect(self, timeout: float) -> Any:
        """As Wire: the import alone trips on odd settings."""
        from ollama import Client

        options = client_options(self.url, timeout)
        options["event_hooks"]["request"] = [_remove_key]
        return Client(host=self.url, **options)

    def embed(self, texts: list[str], dimension: int | None, policy: RetryPolicy) -> Vectors:
        """As Wire. Ollama cuts long texts unless told not to."""

        def send(client: Any) -> Vectors:
            reply = client.embed(self.model, texts, truncate=False, keep_alive=KEEP_ALIVE)
            return read_rows(reply.embeddings, len(texts), dimension)

        return self.request(send, policy)

    def describe(self, policy: RetryPolicy) -> tuple[str, str]:
        """As Wire, by version and digest: two requests of a millisecond."""
        models = self.request(lambda client: client.list(), policy).models
        digests = {full_name(each.model or ""): clean_text(each.digest or "") for each in models}
        digest = digests.get(full_name(self.model), "")
        if not digest:
            raise RequestFailed(FailureKind.MISSING, self)
        version = self.request(_read_version, policy)
        return clean_text(str(version)), digest

    def is_ready(self) -> bool:
        """Whether it answers within about a second that it has the model."""
        try:
            return bool(self.describe(FOR_A_LOOK))
        except EmbedderError:
            return False


def _read_version(client: Any) -> Any:
    """Read the version by the official client's connection: it has no method for it."""
    return client._client.get("/api/version").json()["version"]


def _remove_key(request: httpx.Request) -> None:
    """Keep OLLAMA_API_KEY, which the client adds to every request, off unencrypted ones."""
    if request.url.scheme != "https":
        request.headers.pop("authorization", None)
