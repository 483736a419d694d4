"""Texts in, one vector each out; only texts never embedded before cost anything.

Each batch goes into the cache as soon as it comes back, so that a run which is
interrupted goes on where it stopped. A text on which the embedder fails while it embeds
others is left without a vector and said so; it must not cost the run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from index.cache import EmbeddingCache
from index.errors import EmbedderRefused, TextsRefused
from ingest.progress import Progress

if TYPE_CHECKING:
    from index.embedder.base import Embedder, Vectors

BATCH = 32
"""Texts between two commits: what a killed run loses, and one request to Ollama."""

FEW = 20
"""Texts without a vector that a run may have, however small it is."""

SHARE = 0.1
"""Share of the texts above which it is the embedder that is broken, and no longer the texts."""


@dataclass(frozen=True, slots=True)
class Embedded:
    """The vectors of some texts."""

    vectors: Mapping[str, Vectors]
    """By text, float32 and of unit length; a refused text is not here."""
    computed: int
    """How many texts the embedder was asked for."""
    refused: Mapping[str, str]
    """By text, why it has no vector."""
    warnings: tuple[str, ...] = ()
    """What became of a cache that failed."""


def embed(
    texts: Sequence[str], embedder: Embedder, cache: EmbeddingCache, progress: Progress
) -> Embedded:
    """The vectors of `texts`. Raises EmbedderError; what came back before it is kept."""
    known = cache.get(texts)
    missing = sorted({text for text in texts if text not in known}, key=lambda t: (len(t), t))
    refused: dict[str, str] = {}
    progress.start("embedding", len(missing))
    for start in range(0, len(missing), BATCH):
        batch = missing[start : start + BATCH]
        vectors, reasons = _asked(batch, embedder)
        cache.put(list(vectors), np.asarray(list(vectors.values()), dtype=np.float32))
        known |= vectors
        refused |= reasons
        _refuse_too_many(refused, start + len(batch))
        progress.advance(len(batch))
    return Embedded(known, len(missing), refused, cache.warnings)


def _asked(batch: Sequence[str], embedder: Embedder) -> tuple[dict[str, Vectors], dict[str, str]]:
    """By text, the vectors that came back, and why the others did not."""
    try:
        rows, reasons = embedder.embed_documents(batch), {}
    except TextsRefused as refusal:
        rows = refusal.rows
        reasons = {batch[place]: reason for place, reason in refusal.reasons.items()}
    pairs = zip(batch, rows, strict=True)
    return {text: row for text, row in pairs if text not in reasons}, reasons


def _refuse_too_many(refused: Mapping[str, str], asked: int) -> None:
    if len(refused) > max(FEW, SHARE * asked):
        raise EmbedderRefused(
            f"The embedder failed on {len(refused)} of {asked} texts, at last because "
            f"{list(refused.values())[-1]}. Restart or update it and run again: the other "
            "embeddings are kept."
        )
