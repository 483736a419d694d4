"""What each family of Ollama's models asks for, and what versions misread."""

from __future__ import annotations

import pytest

from blog_search_mcp.index.embedders.ollama.models import (
    KNOWN_MODELS,
    choose_multilingual,
    find_model,
    misreads_capitals,
)
from blog_search_mcp.index.embedders.registry import open_wire
from blog_search_mcp.index.embedders.remote import RemoteEmbedder

NOMIC = ("search_document: ", "search_query: ")
GEMMA = ("title: none | text: ", "task: search result | query: ")
PASSAGES = ("", "Represent this sentence for searching relevant passages: ")
TASK = (
    "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"
)
QWEN = ("", TASK)


@pytest.mark.parametrize(
    ("model", "prefixes"),
    [
        ("nomic-embed-text", NOMIC),
        ("nomic-embed-text:v1.5", NOMIC),
        ("nomic-embed-text-v2-moe", NOMIC),
        ("hf.co/nomic-ai/nomic-embed-text-v1.5-GGUF", NOMIC),
        ("embeddinggemma", GEMMA),
        ("embeddinggemma:300m-qat-q8_0", GEMMA),
        ("embeddinggemma-2:270m-q8_0-text", GEMMA),
        ("qwen3-embedding:0.6b", QWEN),
        ("qwen3-embedding:4b-q8_0", QWEN),
        ("qwen3-embedding", QWEN),
        ("hf.co/Qwen/Qwen3-Embedding-0.6B-GGUF:Q8_0", QWEN),
        ("mxbai-embed-large", PASSAGES),
        ("snowflake-arctic-embed:33m", PASSAGES),
        ("snowflake-arctic-embed2", ("", "query: ")),
        ("hf.co/Casual-Autopsy/snowflake-arctic-embed-l-v2.0-gguf", ("", "query: ")),
        ("jeffh/intfloat-multilingual-e5-large", ("passage: ", "query: ")),
        ("qllama/multilingual-e5-small", ("passage: ", "query: ")),
        ("jeffh/intfloat-multilingual-e5-large-instruct:f16", ("", f"{TASK} ")),
        ("bge-m3", ("", "")),
        ("all-minilm", ("", "")),
        ("granite-embedding:278m", ("", "")),
        ("paraphrase-multilingual", ("", "")),
    ],
)
def test_each_model_has_the_prefixes_of_its_card(model: str, prefixes: tuple[str, str]) -> None:
    card = find_model(model)
    assert (card.prefixes if card else ("", "")) == prefixes


@pytest.mark.parametrize("model", ["nomic-embed-text:v1.5", "all-minilm:l6-v2", "bge-m3"])
def test_a_model_for_english_alone_finds_chinese_unreadable(model: str) -> None:
    coverage = RemoteEmbedder(open_wire("ollama", ""), model).vocabulary_coverage
    assert coverage(["What is a KV cache?", "這邊買醬鴨"]) == [
        1.0,
        1.0 if model == "bge-m3" else 0.0,
    ]


@pytest.mark.parametrize(
    ("model", "context", "size"),
    [
        ("qwen3-embedding:0.6b-fp16", 32768, "639 MB"),
        ("hf.co/Qwen/Qwen3-Embedding-0.6B-GGUF", 32768, "639 MB"),
        ("qwen3-embedding:4b", 32768, "2.5 GB"),
        ("qwen3-embedding:latest", 32768, "4.7 GB"),
        ("nomic-embed-text:v1.5", 2048, "274 MB"),
        ("nomic-embed-text-v2-moe:latest", 512, "958 MB"),
    ],
)
def test_sisters_of_other_sizes_are_told_apart(model: str, context: int, size: str) -> None:
    known = find_model(model)
    assert known is not None
    assert (known.context, known.size) == (context, size)


def test_a_model_that_is_not_in_the_table_is_not_known() -> None:
    assert find_model("paraphrase-multilingual") is None
    assert find_model("llama3.2:latest") is None


def test_every_known_model_is_found_by_the_name_that_pulls_it() -> None:
    assert [find_model(known.name) for known in KNOWN_MODELS] == list(KNOWN_MODELS)


@pytest.mark.parametrize(
    ("installed", "chosen"),
    [
        ((), None),
        (("nomic-embed-text:latest", "all-minilm:latest", "llama3:latest"), None),
        (("embeddinggemma:latest", "bge-m3:latest"), "bge-m3"),
        (("qwen3-embedding:latest", "embeddinggemma:300m"), "embeddinggemma:300m"),
        (("qwen3-embedding:latest", "nomic-embed-text:latest"), "qwen3-embedding"),
        (("bge-m3:latest", "bge-m3:567m"), "bge-m3:567m"),
    ],
)
def test_of_the_installed_models_the_first_of_the_table_is_taken_for_many_languages(
    installed: tuple[str, ...], chosen: str | None
) -> None:
    assert choose_multilingual(installed) == chosen
    assert choose_multilingual(reversed(installed)) == chosen


@pytest.mark.parametrize(
    ("version", "wrong"),
    [
        ("0.12.10", False),
        ("0.13.0", False),
        ("0.13.1", True),
        ("0.13.1-rc0", True),
        ("v0.18.2", True),
        ("0.24.0", True),
        ("0.29", True),
        ("0.30.0-rc1", False),
        ("0.32.15", False),
        ("1.0.0", False),
        ("0.0.0", False),
        ("", False),
        ("main", False),
    ],
)
def test_versions_from_0_13_1_until_0_30_misread(version: str, wrong: bool) -> None:
    assert misreads_capitals(version) is wrong
