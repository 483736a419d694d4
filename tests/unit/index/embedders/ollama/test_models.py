"""What each family of Ollama's models asks for, and the switches that measure its worth."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from pydantic import TypeAdapter

from blog_search_mcp.index.embedders.cache import open_cache
from blog_search_mcp.index.embedders.ollama.embedder import OllamaEmbedder
from blog_search_mcp.index.embedders.ollama.models import (
    has_english_pieces,
    prefixes_of,
)
from blog_search_mcp.index.types import EmbedderIdentity
from tests.support.ollama_standin import OllamaStandIn, running

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NOMIC = ("search_document: ", "search_query: ")
GEMMA = ("title: none | text: ", "task: search result | query: ")
PASSAGES = ("", "Represent this sentence for searching relevant passages: ")
QWEN = (
    "",
    "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:",
)


@pytest.fixture
def ollama() -> Iterator[OllamaStandIn]:
    with running() as standin:
        yield standin


@pytest.mark.parametrize(
    ("model", "prefixes"),
    [
        ("nomic-embed-text", NOMIC),
        ("nomic-embed-text:v1.5", NOMIC),
        ("nomic-embed-text-v2-moe", NOMIC),
        ("hf.co/nomic-ai/nomic-embed-text-v1.5-GGUF", NOMIC),
        ("embeddinggemma", GEMMA),
        ("embeddinggemma:300m-qat-q8_0", GEMMA),
        ("qwen3-embedding:0.6b", QWEN),
        ("hf.co/Qwen/Qwen3-Embedding-0.6B-GGUF:Q8_0", QWEN),
        ("mxbai-embed-large", PASSAGES),
        ("snowflake-arctic-embed:33m", PASSAGES),
        ("snowflake-arctic-embed2", ("", "query: ")),
        ("hf.co/Casual-Autopsy/snowflake-arctic-embed-l-v2.0-gguf", ("", "query: ")),
        ("bge-m3", ("", "")),
        ("all-minilm", ("", "")),
        ("granite-embedding:278m", ("", "")),
        ("paraphrase-multilingual", ("", "")),
    ],
)
def test_each_family_has_the_prefixes_of_its_model_card(
    model: str, prefixes: tuple[str, str]
) -> None:
    assert prefixes_of(model) == prefixes


@pytest.mark.parametrize(
    ("model", "english"),
    [
        ("nomic-embed-text", True),
        ("nomic-embed-text:v1.5", True),
        ("hf.co/nomic-ai/nomic-embed-text-v1-GGUF", True),
        ("nomic-embed-text-v2-moe", False),
        ("all-minilm:l6-v2", True),
        ("mxbai-embed-large:335m", True),
        ("snowflake-arctic-embed", True),
        ("snowflake-arctic-embed:137m", True),
        ("snowflake-arctic-embed2", False),
        ("hf.co/Casual-Autopsy/snowflake-arctic-embed-l-v2.0-gguf", False),
        ("bge-m3", False),
        ("granite-embedding:30m", False),
        ("granite-embedding:278m", False),
        ("paraphrase-multilingual", False),
        ("embeddinggemma", False),
        ("qwen3-embedding", False),
    ],
)
def test_only_models_with_english_word_pieces_find_chinese_unreadable(
    model: str, english: bool
) -> None:
    assert has_english_pieces(model) is english
    readable = OllamaEmbedder(model).readable(["What is a KV cache?", "這邊買醬鴨"])
    assert readable == [1.0, 0.0 if english else 1.0]


def test_a_manifest_from_before_normalisations_were_told_apart_means_l2() -> None:
    identity = EmbedderIdentity("ollama", "nomic-embed-text", "0" * 64, 768, *NOMIC)
    written = asdict(identity)
    del written["normalisation"]
    assert TypeAdapter(EmbedderIdentity).validate_python(written) == identity
    assert identity.normalisation == "l2"


def test_the_cache_keeps_vectors_of_two_normalisations_apart(tmp_path: Path) -> None:
    plain = EmbedderIdentity("ollama", "nomic-embed-text", "0" * 64, 2)
    centred = replace(plain, normalisation="layernorm+l2")
    with open_cache(tmp_path / "cache.db", plain) as cache:
        cache.put(["a"], np.array([[0.6, 0.8]], dtype=np.float32))
    with open_cache(tmp_path / "cache.db", centred) as cache:
        assert cache.get(["a"]) == {}
