"""`python -m benchmarks.speed.free CONTENT INDEX`: an ingest without a model.

A text's vector is the sum of fixed random directions: one per word at its beginning, and one that
all texts share, as with a real model. The index names all-MiniLM-L6-v2, so a server opens it and
embeds queries with that model. The time of a search does not depend on the hits.
"""

import re
import sys
import zlib
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import numpy as np

from blog_search_mcp.index.embedders.packaged import MINILM
from blog_search_mcp.index.embedders.registry import Choice
from blog_search_mcp.index.types import Vectors
from blog_search_mcp.ingest.pipeline import ingest
from blog_search_mcp.ingest.plan import Job
from blog_search_mcp.ingest.report import Progress

DIRECTIONS = 4096
WORDS = 48
"""Number of first words of a text that are used. Hashing more would take time."""
SHARED = 4.0
"""Length of the shared direction; a word's has 1. Cosines of unrelated texts are then about .3, as
with nomic-embed-text."""

_WORD = re.compile(r"\w+")


class FreeEmbedder:
    """An embedder with the packaged English model's name, whose vectors need no model."""

    identity = MINILM.identity

    def vocabulary_coverage(self, texts: Sequence[str]) -> list[float]:
        """Return 1 for every text."""
        return [1.0] * len(texts)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return a unit vector for each text."""
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> Vectors:
        """Return the text's unit vector, as for a document."""
        words = _WORD.findall(text, 0, 12 * WORDS)[:WORDS]
        rows = [zlib.crc32(word.encode()) % DIRECTIONS for word in words]
        vector = _directions()[rows].sum(axis=0) + SHARED * _directions()[DIRECTIONS]
        unit: Vectors = vector / np.float32(np.sqrt(vector @ vector))
        return unit


@cache
def _directions() -> Vectors:
    shape = (DIRECTIONS + 1, MINILM.identity.dimension)
    made = np.random.default_rng(1).standard_normal(shape, dtype=np.float32)
    unit: Vectors = made / np.linalg.norm(made, axis=1, keepdims=True)
    return unit


def ingest_free(content: Path, index: Path) -> None:
    """Rebuild the index of a folder of posts. Raises BlogSearchError."""
    choice = Choice(FreeEmbedder(), "as the benchmark wants")
    now = datetime.now(UTC)
    ingest(Job(content, index, lambda *_: choice, now, rebuild=True), Progress())


if __name__ == "__main__":
    from benchmarks.speed import free  # by this name, worker processes can import its embedder

    free.ingest_free(*map(Path, sys.argv[1:3]))
