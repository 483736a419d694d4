"""A fake embedder, whose vectors are a pure function of the text."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from blog_search_mcp.index.errors import BlogSearchError
from blog_search_mcp.index.types import EmbedderIdentity

if TYPE_CHECKING:
    from blog_search_mcp.index.types import Vectors

DIMENSION = 64

IDENTITY = EmbedderIdentity(kind="fake", model="bag-of-words", digest="0" * 64, dimension=DIMENSION)

_WORD = re.compile(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+")


class FakeEmbedder:
    """Bag of words, hashed to DIMENSION places: texts with common words have near vectors."""

    def __init__(
        self, identity: EmbedderIdentity = IDENTITY, failure: BlogSearchError | None = None
    ) -> None:
        self.identity = identity
        self.failure = failure
        """Error to raise instead of returning vectors."""
        self.documents: list[str] = []
        """All documents that were embedded, in order."""

    def vocabulary_coverage(self, texts: Sequence[str]) -> list[float]:
        return [1.0 if _WORD.search(text) else 0.0 for text in texts]

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        if self.failure:
            raise self.failure
        self.documents += texts
        return np.stack([vector_of(text) for text in texts])

    def embed_query(self, text: str) -> Vectors:
        if self.failure:
            raise self.failure
        return vector_of(text)


def vector_of(text: str) -> Vectors:
    """Return a unit vector, shape (DIMENSION,); a text without words counts as one empty word."""
    vector = np.zeros(DIMENSION, dtype=np.float32)
    for word in _WORD.findall(text.lower()) or [""]:
        vector[zlib.crc32(word.encode()) % DIMENSION] += 1
    return vector / np.linalg.norm(vector)
