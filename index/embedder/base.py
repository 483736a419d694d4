"""What an embedder is: documents in batches, one query, and an identity.

Build and query must use the same model, prefixes and normalisation, or cosines
mean nothing; the identity says what was used and is kept in the manifest and
in the cache's keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vectors: TypeAlias = npt.NDArray[np.float32]

Normalisation: TypeAlias = Literal["l2", "layernorm+l2"]
"""What the model's output goes through: unit length, perhaps after a LayerNorm without weights."""


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """How vectors came out when they were made, to be compared when their server is another."""

    version: str
    """Of the server; empty if it tells none."""
    canaries: str
    """Vectors of `index.embedder.canaries.TEXTS`, as `packed` there writes them."""


@dataclass(frozen=True, slots=True)
class EmbedderIdentity:
    """Everything that decides which vector a text gets. Equal identities, comparable vectors."""

    kind: str
    """`ollama` or `embedded`."""
    model: str
    """Name as a person would ask for it: `nomic-embed-text`, `all-MiniLM-L6-v2`."""
    digest: str
    """Hash of the weights: the manifest digest Ollama lists, or the model file's SHA-256."""
    dimension: int
    document_prefix: str = ""
    query_prefix: str = ""
    normalisation: Normalisation = "l2"
    fingerprint: Fingerprint | None = None
    """`None` for an embedder that cannot change by itself."""

    @property
    def name(self) -> str:
        """For people: `ollama nomic-embed-text`."""
        return f"{self.kind} {self.model}"


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
