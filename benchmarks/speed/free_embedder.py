"""An embedder that costs nothing, where the embedder is not what is measured: text in, vector out.

A text's vector is the sum of its first words' fixed random directions and of one direction that
all texts share, as all texts of a real model do. So texts with words in common are near to each
other, and a vector is a pure function of its text.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from blog_search_mcp.index.embedders.base import WINDOW
from blog_search_mcp.index.embedders.packaged import MINILM
from blog_search_mcp.index.types import EmbedderIdentity

if TYPE_CHECKING:
    from blog_search_mcp.index.types import Vectors

DIRECTIONS = 4096
WORDS = 48
"""Of a text that count; hashing more would be a cost."""
SHARED = 4.0
"""Length of what all texts share beside one word's 1: cosines of unrelated texts are then about
.3, as those of nomic-embed-text."""

_WORD = re.compile(r"\w+")


class FreeEmbedder:
    """Vectors of any dimension."""

    def __init__(self, dimension: int, table: Path | None = None) -> None:
        """With 384 it passes for the embedder in the package, so that the real server opens it.

        `table` is where `keep` left what it would else make at its first text.
        """
        self.window_pieces = WINDOW
        self._dimension = dimension
        self._table = table
        self.identity = (
            MINILM.identity
            if dimension == MINILM.identity.dimension
            else EmbedderIdentity("free", "words", "0" * 64, dimension)
        )

    def vocabulary_coverage(self, texts: Sequence[str]) -> list[float]:
        """It reads everything equally well."""
        return [1.0] * len(texts)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """As Embedder."""
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> Vectors:
        """As Embedder."""
        table = _directions(self._dimension, self._table)
        words = _WORD.findall(text, 0, 12 * WORDS)[:WORDS]
        rows = [zlib.crc32(word.encode()) % DIRECTIONS for word in words]
        vector = table[rows].sum(axis=0) + SHARED * table[DIRECTIONS]
        unit: Vectors = vector / np.float32(np.sqrt(vector @ vector))
        return unit

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """As Embedder."""
        return self.embed_documents(texts)


def keep(dimension: int, table: Path) -> None:
    """Write to `table` what takes a tenth of a second to make."""
    np.save(table, _directions(dimension, None))


@cache
def _directions(dimension: int, table: Path | None) -> Vectors:
    if table is not None:
        kept: Vectors = np.load(table, mmap_mode="r")
        return kept
    made = np.random.default_rng(1).standard_normal((DIRECTIONS + 1, dimension), dtype=np.float32)
    unit: Vectors = made / np.linalg.norm(made, axis=1, keepdims=True)
    return unit


KNOWN = 4096
"""Different vectors of the fixed embedder."""


class FixedEmbedder(FreeEmbedder):
    """It draws a text's vector from a table: cheaper still, and without any meaning."""

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """As Embedder."""
        numbers = [zlib.crc32(text.encode("utf-8", "replace")) % KNOWN for text in texts]
        rows: Vectors = _vectors(self._dimension)[numbers]
        return rows

    def embed_query(self, text: str) -> Vectors:
        """As Embedder."""
        row: Vectors = self.embed_documents([text])[0]
        return row


@cache
def _vectors(dimension: int) -> Vectors:
    made = np.random.default_rng(2).integers(-128, 128, (KNOWN, dimension), np.int8)
    made = made.astype(np.float32)
    unit: Vectors = made / np.linalg.norm(made, axis=1, keepdims=True)
    return unit
