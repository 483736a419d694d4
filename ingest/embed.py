"""Texts in, one vector each out; only texts never embedded before cost anything.

Each batch goes into the cache as soon as it comes back, while the next is embedded, so that
a run which is interrupted goes on where it stopped. A text on which the embedder fails while it
embeds others is left without a vector and said so; it must not cost the run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from index.cache import EmbeddingCache
from index.errors import EmbedderRefused, TextsRefused

if TYPE_CHECKING:
    from index.embedder.base import Embedder, Vectors

BATCH = 32
"""Texts between two commits, of which a killed run loses two, and one request to Ollama."""

FEW = 20
"""Texts without a vector that a run may have, however small it is."""

SHARE = 0.1
"""Share of the texts above which it is the embedder that is broken, and no longer the texts."""


@dataclass(frozen=True, slots=True)
class Embedded:
    """What became of some texts."""

    vectors: Mapping[str, Vectors]
    """By text, float32 and of unit length; a refused text is not here."""
    refused: Mapping[str, str]
    """By text, why it has no vector."""


class CachedEmbedder:
    """An embedder behind the cache, for one run."""

    def __init__(self, embedder: Embedder, cache: EmbeddingCache) -> None:
        self._embedder = embedder
        self._cache = cache
        self._refused: dict[str, str] = {}
        self.asked = 0
        """Texts the embedder was asked for."""
        self.stopped = False
        """Set to end at the next batch, whatever is asked for."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What became of a cache that failed."""
        return self._cache.warnings

    def embed(self, texts: Sequence[str]) -> Embedded:
        """The vectors of `texts`. Raises EmbedderError; what came back before it is kept.

        Texts of about one length go together: a model reads a batch as long as its longest.
        """
        known = self._cache.get(texts)
        wanted = {text for text in texts if text not in known and text not in self._refused}
        missing = sorted(wanted, key=lambda text: (len(text), text))
        for vectors in self._batches(missing):
            known |= vectors
        refused = {text: self._refused[text] for text in texts if text in self._refused}
        return Embedded(known, refused)

    def _batches(self, missing: Sequence[str]) -> Iterator[dict[str, Vectors]]:
        """The vectors of each batch, while those of the one before it go into the cache."""
        kept: list[Future[None]] = []
        with ThreadPoolExecutor(1, thread_name_prefix="cache") as keeper:
            for start in range(0, len(missing), BATCH):
                if self.stopped:
                    break
                batch = missing[start : start + BATCH]
                vectors, reasons = self._asked(batch)
                for before in kept:
                    before.result()
                kept = [keeper.submit(self._keep, vectors)]
                self._note(len(batch), reasons)
                yield vectors
        for last in kept:
            last.result()

    def _note(self, asked: int, reasons: Mapping[str, str]) -> None:
        self.asked += asked
        self._refused |= reasons
        _refuse_too_many(self._refused, self.asked)

    def _keep(self, vectors: Mapping[str, Vectors]) -> None:
        self._cache.put(list(vectors), np.asarray(list(vectors.values()), dtype=np.float32))

    def _asked(self, batch: Sequence[str]) -> tuple[dict[str, Vectors], dict[str, str]]:
        """By text, the vectors that came back, and why the others did not."""
        try:
            rows, reasons = self._embedder.embed_documents(batch), {}
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
