"""What each family of Ollama's models asks for, and the switches that measure its worth."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from pydantic import TypeAdapter

from benchmarks.ablations import ablated, read_ablation
from blog_search_mcp.index.embedders.cache import open_cache
from blog_search_mcp.index.embedders.normalize import layer_normalised
from blog_search_mcp.index.embedders.ollama.embedder import OllamaEmbedder
from blog_search_mcp.index.embedders.ollama.models import (
    has_english_pieces,
    normalisation_of,
    prefixes_of,
)
from blog_search_mcp.index.embedders.registry import choose, embedder_of
from blog_search_mcp.index.errors import UsageError
from blog_search_mcp.index.types import EmbedderIdentity
from tests.support.ollama_standin import Model, OllamaStandIn, embedding, running

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


@pytest.mark.parametrize(
    ("model", "normalisation"),
    [
        ("nomic-embed-text", "layernorm+l2"),
        ("Nomic-Embed-Text:137m-v1.5-fp16", "layernorm+l2"),
        ("hf.co/nomic-ai/nomic-embed-text-v1.5-GGUF", "layernorm+l2"),
        ("hf.co/nomic-ai/nomic-embed-text-v1-GGUF", "l2"),
        ("nomic-embed-text-v2-moe", "l2"),
        ("all-minilm", "l2"),
    ],
)
def test_the_layernorm_is_that_of_nomic_v1_5_alone_and_off_until_it_is_asked_for(
    model: str, normalisation: str
) -> None:
    assert normalisation_of(model) == "l2"
    with ablated([read_ablation("nomic_layernorm=on")]):
        assert normalisation_of(model) == normalisation


def test_with_the_layernorm_documents_and_queries_are_normalised_alike(
    ollama: OllamaStandIn,
) -> None:
    with ablated([read_ablation("nomic_layernorm=on")]):
        nomic = choose("ollama", None, ollama.host, None).embedder
    rows = nomic.embed_documents(["KV cache", "BM25"])
    raw = [embedding(f"search_document: {text}", Model()) for text in ("KV cache", "BM25")]
    np.testing.assert_array_equal(rows, layer_normalised(np.stack(raw)))
    query = embedding("search_query: what is it?", Model())
    np.testing.assert_array_equal(
        nomic.embed_query("what is it?"), layer_normalised(query[np.newaxis])[0]
    )
    assert nomic.identity.normalisation == "layernorm+l2"
    assert nomic.identity != OllamaEmbedder(host=ollama.host).identity


def test_an_index_is_asked_in_the_normalisation_it_was_built_with(ollama: OllamaStandIn) -> None:
    plain = OllamaEmbedder(host=ollama.host).identity
    with ablated([read_ablation("nomic_layernorm=on")]):
        centred = OllamaEmbedder(host=ollama.host).identity
        still_plain = embedder_of(plain, ollama.host).embed_query("a query")
    expected = embedding("search_query: a query", Model())
    np.testing.assert_array_equal(still_plain, expected)
    still_centred = embedder_of(centred, ollama.host).embed_query("a query")
    np.testing.assert_array_equal(still_centred, layer_normalised(expected[np.newaxis])[0])


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


def test_without_prefixes_texts_go_out_bare_and_the_identity_says_so(
    ollama: OllamaStandIn,
) -> None:
    with ablated([read_ablation("prefixes=off")]):
        bare = choose("ollama", None, ollama.host, None).embedder
    bare.embed_documents(["KV cache"])
    bare.embed_query("what is it?")
    sent = [body["input"] for body in ollama.embedded[-2:]]
    assert sent == [["KV cache"], ["what is it?"]]
    assert (bare.identity.document_prefix, bare.identity.query_prefix) == ("", "")
    assert prefixes_of("nomic-embed-text") == NOMIC


@pytest.mark.parametrize("setting", ["nomic_layernorm=off", "prefixes=on"])
def test_a_switch_to_what_is_there_anyway_is_refused_with_the_one_that_is_meant(
    setting: str,
) -> None:
    name, _, wrong = setting.partition("=")
    way = {"on": "off", "off": "on"}[wrong]
    with pytest.raises(UsageError, match=f"only be switched {way}: write {name}={way}"):
        read_ablation(setting)
