"""What each family of Ollama's models asks for, and what versions misread."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from blog_search_mcp.index.embedders.ollama.embedder import OllamaEmbedder
from blog_search_mcp.index.embedders.ollama.models import (
    find_family,
    fold_text,
    full_name,
    misreads_capitals,
)
from blog_search_mcp.index.embedders.onnx import load_tokenizer

NOMIC = ("search_document: ", "search_query: ")
GEMMA = ("title: none | text: ", "task: search result | query: ")
PASSAGES = ("", "Represent this sentence for searching relevant passages: ")
QWEN = (
    "",
    "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:",
)


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
    assert find_family(model)[1:3] == prefixes


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
    assert find_family(model)[3] is english
    readable = OllamaEmbedder(model).vocabulary_coverage(["What is a KV cache?", "這邊買醬鴨"])
    assert readable == [1.0, 0.0 if english else 1.0]


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("nomic-embed-text", "nomic-embed-text:latest"),
        ("Nomic-Embed-Text:V1.5", "nomic-embed-text:v1.5"),
        ("localhost:5000/team/model", "localhost:5000/team/model:latest"),
    ],
)
def test_names_are_compared_as_ollama_compares_them(model: str, name: str) -> None:
    assert full_name(model) == name


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


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("REPLACE Sump pump", "replace sump pump"),
        ("Crème Brûlée", "creme brulee"),
        ("Łódź, Straße, İstanbul", "łodz, straße, istanbul"),
        ("ΟΔΌΣ", "οδοσ"),
        ("Й", "и"),
        ("faiss.IndexFlatIP --top-k", "faiss.indexflatip --top-k"),
        ("什麼是 KV cache?", "什麼是 kv cache?"),
        ("ガ", "カ"),
    ],
)
def test_folding_takes_off_capitals_and_accents(text: str, bare: str) -> None:
    assert fold_text(text) == bare


# No later scripts, since each library has its own Unicode, and no [CLS], which is a piece.
@given(st.text(st.characters(max_codepoint=0x52F, exclude_characters="[")))
@example("İI ΟΔΌΣ ὈΔΥΣΣΕΎΣ")
@example("ガギグ 한국어 क़")
def test_a_right_tokenizer_makes_the_same_pieces_of_a_folded_text(text: str) -> None:
    """bert-base-uncased's own, from the model in the package."""
    pieces = load_tokenizer().encode(text, add_special_tokens=False).tokens
    assert load_tokenizer().encode(fold_text(text), add_special_tokens=False).tokens == pieces
    assert fold_text(fold_text(text)) == fold_text(text)
