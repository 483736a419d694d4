"""What an embedder is: documents in batches, one query, and an identity.

Build and query must use the same model, prefixes and normalisation, or cosines
mean nothing; the identity says what was used and is kept in the manifest and
in the cache's keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from blog_search_mcp.index.types import EmbedderIdentity, Vectors


class Embedder(Protocol):
    """Given from outside, never looked up."""

    @property
    def identity(self) -> EmbedderIdentity:
        """What is embedding. Raises EmbedderError if it cannot be told."""
        ...

    def readable(self, texts: Sequence[str]) -> list[float]:
        """How well the model reads each text, in [0, 1].

        0: it sees nothing but unknown pieces, and its vector would be noise; such a
        text is not embedded. Costs no model run. Raises EmbedderError.
        """
        ...

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Float32 unit rows of shape (len(texts), dimension), in order.

        Raises TextsRefused, with the other rows, if some texts have no vector, and
        EmbedderError.
        """
        ...

    def embed_query(self, text: str) -> Vectors:
        """One float32 unit vector of shape (dimension,). Raises EmbedderError."""
        ...
