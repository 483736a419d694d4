"""Texts in, one vector each out; only texts never embedded before cost anything.

Each batch goes into the cache as soon as it comes back, so that a run which is
interrupted goes on where it stopped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from index.cache import EmbeddingCache
from ingest.progress import Progress

if TYPE_CHECKING:
    from index.embedder.base import Embedder, Vectors

BATCH = 32
"""Texts between two commits: what a killed run loses, and one request to Ollama."""


@dataclass(frozen=True, slots=True)
class Embedded:
    """The vectors of some texts."""

    vectors: Vectors
    """Float32 unit rows of shape (len(texts), dimension), in the order of the texts."""
    computed: int
    """How many texts the embedder was asked for."""


def embed(
    texts: Sequence[str], embedder: Embedder, cache: EmbeddingCache, progress: Progress
) -> Embedded:
    """The vectors of `texts`. Raises EmbedderError; what came back before it is kept."""
    known = cache.get(texts)
    missing = sorted({text for text in texts if text not in known}, key=lambda t: (len(t), t))
    progress.start("embedding", len(missing))
    for start in range(0, len(missing), BATCH):
        batch = missing[start : start + BATCH]
        vectors = embedder.embed_documents(batch)
        cache.put(batch, vectors)
        known.update(zip(batch, vectors, strict=True))
        progress.advance(len(batch))
    rows = [known[text] for text in texts]
    empty = np.zeros((0, embedder.identity.dimension), dtype=np.float32)
    return Embedded(np.stack(rows) if rows else empty, len(missing))
