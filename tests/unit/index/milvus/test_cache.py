"""Embeddings on the server: what is found again, what never is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from blog_search_mcp.index.embedders.fingerprint import pack_vectors
from blog_search_mcp.index.milvus.cache import MilvusEmbeddingCache
from blog_search_mcp.index.milvus.schema import CollectionNames, embeddings_fields
from blog_search_mcp.index.types import Fingerprint
from tests.support.fakes import IDENTITY, vector_of

if TYPE_CHECKING:
    from blog_search_mcp.index.milvus.client import Milvus
    from blog_search_mcp.index.types import EmbedderIdentity, Vectors

TEXTS = ["one", "two words", "三", "\ud800 \x00"]
NAMES = CollectionNames("blog")


def rows(texts: list[str]) -> Vectors:
    return np.stack([vector_of(text) for text in texts])


def put(milvus: Milvus, texts: list[str], identity: EmbedderIdentity = IDENTITY) -> None:
    MilvusEmbeddingCache(milvus, NAMES, identity).put(texts, rows(texts))


def found(milvus: Milvus, texts: list[str], identity: EmbedderIdentity = IDENTITY) -> list[str]:
    """Which of `texts` are there, after a look at their vectors."""
    known = MilvusEmbeddingCache(milvus, NAMES, identity).get(texts)
    for text, vector in known.items():
        np.testing.assert_array_equal(vector, vector_of(text))
        assert vector.dtype == np.float32
    return sorted(known)


def fingerprint(angle: float) -> Fingerprint:
    """Four vectors turned by so much from the first axis."""
    row = np.zeros(IDENTITY.dimension, dtype=np.float32)
    row[:2] = np.cos(angle), np.sin(angle)
    return Fingerprint("1.0", pack_vectors(np.stack([row] * 4)))


def test_what_was_put_is_there_when_opened_again(milvus: Milvus) -> None:
    assert found(milvus, TEXTS) == []
    put(milvus, TEXTS)
    assert found(milvus, ["two words", "never put", "三"]) == ["two words", "三"]
    assert found(milvus, TEXTS) == sorted(TEXTS)
    own = [name for name in milvus.collections() if name.startswith("blog_")]
    assert own == [f"blog_embeddings_{IDENTITY.dimension}"]


def test_a_text_put_twice_has_its_latest_vector(milvus: Milvus) -> None:
    cache = MilvusEmbeddingCache(milvus, NAMES, IDENTITY)
    cache.put(["a", "a"], rows(["something else", "another"]))
    cache.put(["a"], rows(["a"]))
    assert found(milvus, ["a"]) == ["a"]


@pytest.mark.parametrize(
    "other",
    [
        replace(IDENTITY, model="other"),
        replace(IDENTITY, digest="f" * 64),
        replace(IDENTITY, document_prefix="say: "),
        replace(IDENTITY, fingerprint=fingerprint(0.0)),
    ],
)
def test_another_embedder_never_meets_these_vectors(
    other: EmbedderIdentity, milvus: Milvus
) -> None:
    put(milvus, TEXTS)
    assert found(milvus, TEXTS, other) == []


def test_vectors_go_by_the_first_fingerprint_that_is_equal(milvus: Milvus) -> None:
    first, same, other = (
        replace(IDENTITY, fingerprint=fingerprint(angle)) for angle in (0.0, 0.01, 0.5)
    )
    put(milvus, TEXTS, first)
    assert found(milvus, TEXTS, same) == sorted(TEXTS)
    assert found(milvus, TEXTS, other) == []
    put(milvus, ["one"], other)
    assert found(milvus, TEXTS, other) == ["one"]
    assert found(milvus, TEXTS, first) == sorted(TEXTS)


def test_a_vector_with_a_flipped_bit_is_made_anew(milvus: Milvus) -> None:
    put(milvus, TEXTS)
    name, fields = NAMES.embeddings(IDENTITY.dimension), embeddings_fields(IDENTITY.dimension)
    [row, *_] = milvus.query(name, "", ["key", "seal", "vector"])
    row["vector"][0] += 0.001
    milvus.insert(name, fields, [row], replace=True)
    cache = MilvusEmbeddingCache(milvus, NAMES, IDENTITY)
    assert len(cache.get(TEXTS)) == len(TEXTS) - 1
    assert cache.warnings == ("Damaged vectors in the embedding cache, made anew: 1.",)
