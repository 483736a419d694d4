"""A server's model held to one identity: each update of the server is checked before it counts.

Servers update themselves and their models while others use them. So before the first
vector, and whenever version or digest changed since the last one, the model is compared
with what the index was built with; for a new index, with what this run began with.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from blog_search_mcp.index.embedders.base import check_weights
from blog_search_mcp.index.embedders.fingerprint import check_vectors
from blog_search_mcp.index.errors import EmbedderChanged, EmbedderError, EmbedderMismatch

if TYPE_CHECKING:
    from blog_search_mcp.index.embedders.remote.embedder import RemoteEmbedder
    from blog_search_mcp.index.types import EmbedderIdentity, Vectors

T = TypeVar("T")


class VerifiedEmbedder:
    """A server's embedder, which raises EmbedderMismatch rather than embed with another model."""

    def __init__(self, live: RemoteEmbedder, recorded: EmbedderIdentity | None = None) -> None:
        """Take the manifest's identity; without one, what `live` is at first counts."""
        self._live = live
        self._identity = recorded
        self._is_recorded = recorded is not None
        self._verified = False
        self.window_pieces = live.window_pieces
        self.vocabulary_coverage = live.vocabulary_coverage

    @property
    def identity(self) -> EmbedderIdentity:
        """The index's, known even while the server is down; else its own. Raises EmbedderError.

        Its fingerprint names the newest version that was found to embed the same.
        """
        if self._identity is None:
            self._identity = self._live.identity
            self._verified = True
        return self._identity

    def warnings(self) -> tuple[str, ...]:
        """Return what is wrong with the server; nothing before the first vector."""
        return self._live.warnings() if self._verified else ()

    def server_version(self) -> str | None:
        """Ask for the version of the server, empty if it has none; `None` if it does not answer."""
        try:
            return self._live.read_version()
        except EmbedderError:
            return None

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """As Embedder; raises EmbedderMismatch if the model is not what it was."""
        return self._embed_verified(lambda: self._live.embed_documents(texts))

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """As Embedder; raises EmbedderMismatch if the model is not what it was."""
        return self._embed_verified(lambda: self._live.embed_queries(texts))

    def embed_query(self, text: str, *, check_after: bool = True) -> Vectors:
        """As RemoteEmbedder; raises EmbedderMismatch if the model is not what it was."""
        return self._embed_verified(lambda: self._live.embed_query(text, check_after=check_after))

    def is_verified_for(self, state: object) -> bool:
        """Whether the model was compared with the index in this state of server and model."""
        return self._verified and self._live.known_state == state

    def load_model(self) -> None:
        """As RemoteEmbedder; raises EmbedderMismatch if the model is not what it was."""
        self._verify()
        self._live.load_model()

    def _embed_verified(self, embed: Callable[[], T]) -> T:
        """Embed, and once more if the server was updated meanwhile and embeds the same."""
        self._verify()
        try:
            return embed()
        except EmbedderChanged as change:
            self._verified = False
            self._verify(change)
            return embed()

    def _verify(self, change: EmbedderChanged | None = None) -> None:
        if self._verified:
            return
        try:
            self._compare()
        except EmbedderMismatch:
            self._live.forget()
            if change is None or self._is_recorded:
                raise
            raise change from None
        self._verified = True

    def _compare(self) -> None:
        recorded, state = self.identity, self._live.state
        check_weights(recorded, state.digest, self._live.dimension)
        before = recorded.fingerprint
        if before is not None and (before.version != state.version or not state.version):
            vectors = self._live.embed_fingerprint()
            check_vectors(recorded, before, state.version, vectors)
            self._identity = replace(recorded, fingerprint=replace(before, version=state.version))
