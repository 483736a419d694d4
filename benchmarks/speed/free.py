"""`python -m benchmarks.speed.free CONTENT INDEX`: an ingest whose vectors cost nothing.

A text's vector is the sum of its first words' fixed random directions and of one that all texts
share, as all texts of a real model do. It passes for all-MiniLM-L6-v2, so that the real server
opens the index and embeds queries by the real model: searching takes as long whatever is found.
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
"""Number of a text's first words that count; hashing more would take time."""
SHARED = 4.0
"""Length of what all texts share beside one word's 1: cosines of unrelated texts are then about
.3, as those of nomic-embed-text."""

_WORD = re.compile(r"\w+")


class FreeEmbedder:
    """The packaged embedder for English by name, with vectors that need no model."""

    identity = MINILM.identity

    def vocabulary_coverage(self, texts: Sequence[str]) -> list[float]:
        """Return 1 for every text."""
        return [1.0] * len(texts)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Do as Embedder does."""
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> Vectors:
        """Do as Embedder does."""
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
    """Make the index of a folder of posts anew. Raises BlogSearchError."""
    choice = Choice(FreeEmbedder(), "as the benchmark wants")
    now = datetime.now(UTC)
    ingest(Job(content, index, lambda *_: choice, now, rebuild=True), Progress())


if __name__ == "__main__":
    from benchmarks.speed import free  # whose embedder the processes that read posts can import

    free.ingest_free(*map(Path, sys.argv[1:3]))
