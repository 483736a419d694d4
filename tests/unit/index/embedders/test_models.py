"""What each family of Ollama's models asks for, and which of the installed ones is taken."""

from __future__ import annotations

import pytest

from blog_search_mcp.index.embedders.ollama.models import choose_multilingual, find_card
from blog_search_mcp.index.embedders.registry import open_remote

NOMIC = ("search_document: ", "search_query: ")
GEMMA = ("title: none | text: ", "task: search result | query: ")
PASSAGES = ("", "Represent this sentence for searching relevant passages: ")
TASK = (
    "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"
)
E5 = ("passage: ", "query: ")


@pytest.mark.parametrize(
    ("model", "prefixes", "reads_chinese"),
    [
        ("nomic-embed-text:v1.5", NOMIC, False),
        ("nomic-embed-text-v2-moe", NOMIC, True),
        ("hf.co/nomic-ai/nomic-embed-text-v1.5-GGUF", NOMIC, False),
        ("embeddinggemma:300m-qat-q8_0", GEMMA, True),
        ("embeddinggemma-2:270m-q8_0-text", GEMMA, True),
        ("qwen3-embedding:0.6b", ("", TASK), True),
        ("hf.co/Qwen/Qwen3-Embedding-4B-GGUF:Q8_0", ("", TASK), True),
        ("mxbai-embed-large", PASSAGES, False),
        ("snowflake-arctic-embed:33m", PASSAGES, False),
        ("snowflake-arctic-embed2", ("", "query: "), True),
        ("hf.co/Casual-Autopsy/snowflake-arctic-embed-l-v2.0-gguf", ("", "query: "), True),
        ("qllama/multilingual-e5-small", E5, True),
        ("jeffh/intfloat-multilingual-e5-large-instruct:f16", ("", f"{TASK} "), True),
        ("bge-m3", ("", ""), True),
        ("all-minilm:l6-v2", ("", ""), False),
        ("granite-embedding:278m", ("", ""), True),
    ],
)
def test_each_model_has_the_prefixes_and_languages_of_its_card(
    model: str, prefixes: tuple[str, str], reads_chinese: bool
) -> None:
    embedder = open_remote("ollama", "", model)
    assert embedder.prefixes == prefixes
    coverage = embedder.vocabulary_coverage(["What is a KV cache?", "這邊買醬鴨"])
    assert coverage == [1.0, float(reads_chinese)]


def test_a_model_that_is_not_in_the_table_is_not_known() -> None:
    assert find_card("llama3.2:latest") is None


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
