"""Ollama's own API."""

from __future__ import annotations

from types import MappingProxyType

import httpx

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
    """One Ollama, whose address is in any form of OLLAMA_HOST."""

    kind = "ollama"
    name = "Ollama"
    setting = "--embedder-url or OLLAMA_HOST"
    start = "Start it (`ollama serve` or the app)"
    fetch = "Run `ollama pull {model}`"
    # Ollama cuts long texts unless told not to. By default it keeps a model loaded for 5 minutes,
    # and a query after them waits for it.
    fields = MappingProxyType({"truncate": False, "keep_alive": "30m"})

    def __init__(self, url: str, model: str) -> None:
        """Take address and model. Raises UsageError for an address that no Ollama could have."""
        super().__init__(resolve_ollama(url), model)
        # By plain HTTP the key would go out for all to read.
        self.key_variable = OLLAMA_KEY_VARIABLE if self.url.startswith("https:") else ""

    @property
    def address(self) -> str:
        """URL of requests for vectors."""
        return f"{self.url}/api/embed"

    def describe(self, policy: RetryPolicy) -> tuple[str, str]:
        """Return version and digest, by two requests of a millisecond."""

        def look(client: httpx.Client) -> tuple[dict[str, str], str]:
            models = client.get(f"{self.url}/api/tags").json()["models"]
            digests = {full_name(str(each["model"])): str(each["digest"] or "") for each in models}
            return digests, str(client.get(f"{self.url}/api/version").json()["version"])

        digests, version = self.request(look, policy)
        if digest := clean_text(digests.get(full_name(self.model), "")):
            return clean_text(version), digest
        raise RequestFailed(FailureKind.MISSING, self)
