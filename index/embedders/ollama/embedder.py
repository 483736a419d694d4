"""The embedder in Ollama: texts go to `/api/embed`.

Ollama cuts long texts unless told not to, which is forbidden here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from blog_search_mcp.index.embedders.ollama.client import MESSAGES, OllamaClient
from blog_search_mcp.index.embedders.ollama.host import resolve_url
from blog_search_mcp.index.embedders.ollama.models import (
    find_model,
    misreading_warning,
    misreads_capitals,
    read_dimension,
)
from blog_search_mcp.index.embedders.remote.embedder import Description, RemoteEmbedder, find_fault
from blog_search_mcp.index.embedders.remote.failures import FailureKind, RequestFailed
from blog_search_mcp.index.embedders.remote.requests import (
    RetryPolicy,
    ServerState,
)

if TYPE_CHECKING:
    from ollama import Client

    from blog_search_mcp.index.types import Vectors

KEEP_ALIVE: Final = "30m"
"""How long Ollama keeps the model loaded; its default of 5 minutes makes queries wait for it."""


class OllamaWire:
    """Ollama's own API, as Wire."""

    kind = "ollama"
    messages = MESSAGES

    def __init__(self, url: str) -> None:
        """Take the URL to connect to, as `resolve_url` gives it."""
        self.url = url
        self._client = OllamaClient(url)

    def describe(self, model: str, policy: RetryPolicy) -> Description:
        """As Wire."""
        state = self.read_state(model, policy)
        shown = self._client.request(lambda client: client.show(model), policy)
        return Description(state, read_dimension(shown))

    def read_state(self, model: str, policy: RetryPolicy) -> ServerState:
        """As Wire: version and digest."""
        state = self._client.read_state(model, policy)
        if not state.digest:
            raise RequestFailed(FailureKind.MISSING)
        return state

    def read_version(self, policy: RetryPolicy) -> str:
        """As Wire."""
        return self._client.read_version(policy)

    def embed(
        self, model: str, texts: list[str], known: Description, policy: RetryPolicy
    ) -> Vectors:
        """As Wire."""
        import numpy as np

        def send_once(client: Client) -> Vectors:
            reply = client.embed(model=model, input=texts, truncate=False, keep_alive=KEEP_ALIVE)
            if fault := find_fault(reply.embeddings, len(texts), known.dimension):
                raise RequestFailed(FailureKind.NO_VECTOR, fault)
            return np.asarray(reply.embeddings, dtype=np.float32)

        return self._client.request(send_once, policy)

    def load(self, model: str, policy: RetryPolicy) -> None:
        """As Wire: embeds an empty list of texts."""

        def send_once(client: Client) -> None:
            client.embed(model=model, input=[], keep_alive=KEEP_ALIVE)

        self._client.request(send_once, policy)

    def warnings(self, model: str, known: Description) -> tuple[str, ...]:
        """As Wire."""
        version, card = known.state.version, find_model(model)
        is_uncased = card is not None and not card.is_multilingual
        misreads = is_uncased and misreads_capitals(version)
        return (misreading_warning(version, model),) if misreads else ()


class OllamaEmbedder(RemoteEmbedder):
    """One model of one Ollama, whose address is in any form of OLLAMA_HOST."""

    @staticmethod
    def open_wire(url: str) -> OllamaWire:
        """As RemoteEmbedder. Raises UsageError for no address."""
        return OllamaWire(resolve_url(url))
