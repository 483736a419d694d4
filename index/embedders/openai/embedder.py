"""The embedder behind an OpenAI-compatible address.

Such a server names neither version nor weights. The fingerprint texts' vectors alone tell other
weights under one name, to the index and to the cache.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from blog_search_mcp.index.embedders.fingerprint import SAME, TEXTS
from blog_search_mcp.index.embedders.openai.client import MESSAGES, OpenAIClient
from blog_search_mcp.index.embedders.remote.embedder import Description, RemoteEmbedder
from blog_search_mcp.index.embedders.remote.failures import RequestFailed
from blog_search_mcp.index.embedders.remote.requests import (
    FOR_A_CHECK,
    RetryPolicy,
    ServerState,
)

if TYPE_CHECKING:
    from blog_search_mcp.index.types import Vectors


OTHER_WEIGHTS: Final = ServerState(digest="other weights")
"""The state of a server that gives a text another vector than before."""


class OpenAIWire:
    """OpenAI's API of embeddings, as Wire."""

    kind = "openai"
    messages = MESSAGES

    def __init__(self, url: str) -> None:
        """Take the address in any form of `resolve_url`."""
        self.url = url
        self._client = OpenAIClient(url)
        self._known: Description | None = None
        self._first: Vectors | None = None
        """Of the first fingerprint text, when the server was described."""

    def describe(self, model: str, policy: RetryPolicy) -> Description:
        """As Wire; embeds the fingerprint texts by one request."""
        rows = self._client.embed(model, list(TEXTS), policy)
        self._first = rows[0]
        self._known = Description(ServerState(), rows.shape[1])
        return self._known

    def read_state(self, model: str, policy: RetryPolicy) -> ServerState:
        """As Wire: embeds the first fingerprint text, 20 tokens, which shows other weights."""
        known = self._known or self.describe(model, policy)
        rows = self._client.embed(model, [TEXTS[0]], policy)
        is_same = rows.shape[1] == known.dimension and float(rows[0] @ self._first) >= SAME
        return known.state if is_same else OTHER_WEIGHTS

    def read_version(self, policy: RetryPolicy) -> str:
        """As Wire: such a server has none."""
        self._client.is_alive(policy)
        return ""

    def embed(
        self, model: str, texts: list[str], known: Description, policy: RetryPolicy
    ) -> Vectors:
        """As Wire."""
        return self._client.embed(model, texts, policy, known.dimension)

    def load(self, model: str, policy: RetryPolicy) -> None:
        """As Wire: by a short text."""
        self._client.embed(model, ["warm up"], policy)

    def warnings(self, model: str, known: Description) -> tuple[str, ...]:  # noqa: ARG002 - none
        """As Wire."""
        return ()


class OpenAIEmbedder(RemoteEmbedder):
    """One model of one server that speaks OpenAI's API."""

    @staticmethod
    def open_wire(url: str) -> OpenAIWire:
        """As RemoteEmbedder, with or without `/v1`; one that cannot be used fails at first use."""
        return OpenAIWire(url)


class OpenAIHealthCheck:
    """A short check whether the server answers; safe to use from several threads."""

    def __init__(self, model: str, url: str) -> None:
        """Take the address as OpenAIEmbedder does."""
        self.model = model
        self.place = MESSAGES.name_place(url)
        self.name = "it"
        self._client = OpenAIClient(url)

    def prepare(self) -> None:
        """Import and set up what requests need; waits for nobody. Raises EmbedderRefused."""
        self._client.prepare(FOR_A_CHECK)

    def check(self) -> None:
        """Ask, within about a second. Raises EmbedderError if nobody answers."""
        try:
            self._client.is_alive(FOR_A_CHECK)
        except RequestFailed as failure:
            raise MESSAGES.make_error(failure, self._client.url, self.model) from failure
