"""An Ollama model that must stay what it was: each change of it is compared before it counts.

Ollama updates itself and its models while others use them. So before the first vector,
and whenever the version or the digest changed since the last one, the model is compared with
what the index was built with; for a new index, with what this run began with.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from blog_search_mcp.index.embedders.fingerprint import refuse_other_vectors, refuse_other_weights
from blog_search_mcp.index.errors import EmbedderChanged, EmbedderError, EmbedderMismatch

if TYPE_CHECKING:
    from blog_search_mcp.index.embedders.ollama.client import Patience
    from blog_search_mcp.index.embedders.ollama.embedder import OllamaEmbedder
    from blog_search_mcp.index.types import EmbedderIdentity, Vectors

T = TypeVar("T")


class PinnedEmbedder:
    """An OllamaEmbedder held to one identity."""

    def __init__(self, live: OllamaEmbedder, recorded: EmbedderIdentity | None = None) -> None:
        """Take the identity in the manifest; without one, what `live` is at first counts."""
        self._live = live
        self._pinned = recorded
        self._of_index = recorded is not None
        self._same = False

    @property
    def identity(self) -> EmbedderIdentity:
        """The index's, known even while Ollama is down; else asked for, which raises EmbedderError.

        Its fingerprint names the newest version that was found to be the same.
        """
        if self._pinned is None:
            self._pinned = self._live.identity
            self._same = True
        return self._pinned

    def warnings(self) -> tuple[str, ...]:
        """As OllamaEmbedder, but empty before the first vector, since Ollama may be down."""
        return self._live.warnings() if self._same else ()

    def version_now(self) -> str:
        """The version of Ollama that answers at this moment; empty if none does."""
        try:
            return self._live.version_now()
        except EmbedderError:
            return ""

    def readable(self, texts: Sequence[str]) -> list[float]:
        """As Embedder."""
        return self._live.readable(texts)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """As Embedder; raises EmbedderMismatch if the model is not what it was."""
        work = self._live.embed_documents
        return self._unchanged(lambda: work(texts), self._live.for_documents)

    def embed_query(self, text: str) -> Vectors:
        """As Embedder; raises EmbedderMismatch if the model is not what it was."""
        work = self._live.embed_query
        return self._unchanged(lambda: work(text), self._live.for_a_query)

    def prepare(self) -> None:
        """As OllamaEmbedder."""
        self._live.prepare()

    def load(self) -> None:
        """As OllamaEmbedder; raises EmbedderMismatch if the model is not what it was."""
        self._compare(self._live.for_documents)
        self._live.load()

    def _unchanged(self, work: Callable[[], T], patience: Patience) -> T:
        """Do the work, and once more if what did it was updated and is found to be the same."""
        self._compare(patience)
        try:
            return work()
        except EmbedderChanged as change:
            self._same = False
            self._compare(patience, change)
            return work()

    def _compare(self, patience: Patience, change: EmbedderChanged | None = None) -> None:
        if self._same:
            return
        try:
            self._refuse_another(patience)
        except EmbedderMismatch:
            self._live.forget()
            if change is None or self._of_index:
                raise
            raise change from None
        self._same = True

    def _refuse_another(self, patience: Patience) -> None:
        pinned, now = self.identity, self._live.description
        refuse_other_weights(pinned, now.digest, now.dimension)
        before = pinned.fingerprint
        if before is not None and before.version != now.version:
            refuse_other_vectors(pinned, before, now.version, self._live.canaries(patience))
            self._pinned = replace(pinned, fingerprint=replace(before, version=now.version))
