"""An embedder cheaper than the free one, for ingests of many texts: text in, one of a few vectors.

Its vectors are near to each other at random, so nothing can be found by them; what an ingest
does with a vector does not depend on which it is. With a pace it takes its time, as a server
elsewhere does that leaves this machine's processors to the ingest.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.speed.free_embedder import FreeEmbedder

if TYPE_CHECKING:
    from blog_search_mcp.index.types import Vectors

KNOWN = 4096
"""Different vectors."""


class FixedEmbedder:
    """Vectors of any dimension, at `pace` seconds a text."""

    def __init__(self, dimension: int, pace: float = 0.0) -> None:
        """It passes for the free embedder."""
        self._dimension = dimension
        self._pace = pace
        self.identity = FreeEmbedder(dimension).identity

    def vocabulary_coverage(self, texts: Sequence[str]) -> list[float]:
        """It reads everything equally well."""
        return [1.0] * len(texts)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """As Embedder."""
        time.sleep(self._pace * len(texts))
        rows: Vectors = _vectors(self._dimension)[
            [zlib.crc32(text.encode("utf-8", "replace")) % KNOWN for text in texts]
        ]
        return rows

    def embed_query(self, text: str) -> Vectors:
        """As Embedder."""
        row: Vectors = self.embed_documents([text])[0]
        return row


@cache
def _vectors(dimension: int) -> Vectors:
    made = np.random.default_rng(2).standard_normal((KNOWN, dimension), dtype=np.float32)
    unit: Vectors = made / np.linalg.norm(made, axis=1, keepdims=True)
    return unit
