"""Ollama's own API through its official client, without that client's timeouts or retries."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from blog_search_mcp.index.embedders.connection import (
    OLLAMA_KEY_VARIABLE,
    FailureKind,
    RequestFailed,
    RetryPolicy,
    Wire,
    clean_text,
)
from blog_search_mcp.index.embedders.endpoints import resolve_ollama
from blog_search_mcp.index.embedders.known_models import full_name


class OllamaWire(Wire):
    """An Ollama server; its address may have any form of OLLAMA_HOST."""

    kind = "ollama"
    name = "Ollama"
    setting = "--embedder-url or OLLAMA_HOST"
    start = "Start it (`ollama serve` or the app)"
    fetch = "Run `ollama pull {model}`"
    # By default Ollama cuts long texts. It also unloads a model after 5 minutes, and the next query
    # would wait for it.
    fields = MappingProxyType({"truncate": False, "keep_alive": "30m"})

    def __init__(self, url: str, model: str) -> None:
        """Take address and model. Raises UsageError for an invalid address."""
        super().__init__(resolve_ollama(url), model)
        # Over plain HTTP everybody could read the key.
        self.key_variable = OLLAMA_KEY_VARIABLE if self.url.startswith("https:") else ""

    @property
    def address(self) -> str:
        """URL for embedding requests."""
        return f"{self.url}/api/embed"

    def open_client(self, **options: Any) -> Any:
        """Return the library's client. The import fails for some values of OLLAMA_HOST."""
        from ollama import Client

        client = Client(host=self.url, **options)
        if not self.key_variable:
            client._client.headers.pop("authorization", None)
        return client

    def post(self, client: Any, body: Mapping[str, Any]) -> bytes:
        """Request vectors without the library, which accepts `true` and `"1"` as numbers."""
        return super().post(client._client, body)

    def describe(self, policy: RetryPolicy) -> tuple[str, str]:
        """Return version and digest, by two requests of 1 ms. Raises EmbedderError."""

        def look(client: Any) -> Any:  # the client has no method for the version
            return client.list().models, client._client.get("/api/version").json()["version"]

        models, version = self.request(look, policy)
        digests = {full_name(model.model or ""): clean_text(model.digest or "") for model in models}
        if digest := digests.get(full_name(self.model), ""):
            return clean_text(str(version)), digest
        raise RequestFailed(FailureKind.MISSING, self)
