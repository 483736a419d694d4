"""What each family of Ollama's models asks for and reads."""

import pytest

from blog_search_mcp.index.embedders.remote import RemoteEmbedder

NOMIC = ("search_document: ", "search_query: ")
GEMMA = ("title: none | text: ", "task: search result | query: ")
PASSAGES = ("", "Represent this sentence for searching relevant passages: ")
TASK = (
    "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"
)


@pytest.mark.parametrize(
    ("model", "prefixes", "reads_chinese"),
    [
        ("nomic-embed-text:v1.5", NOMIC, False),
        ("nomic-embed-text-v2-moe", NOMIC, True),
        ("hf.co/nomic-ai/nomic-embed-text-v1.5-GGUF", NOMIC, False),
        ("embeddinggemma:300m-qat-q8_0", GEMMA, True),
        ("qwen3-embedding:0.6b", ("", TASK), True),
        ("mxbai-embed-large", PASSAGES, False),
        ("snowflake-arctic-embed:33m", PASSAGES, False),
        ("snowflake-arctic-embed2", ("", "query: "), True),
        ("qllama/multilingual-e5-small", ("passage: ", "query: "), True),
        ("jeffh/intfloat-multilingual-e5-large-instruct:f16", ("", f"{TASK} "), True),
        ("all-minilm:l6-v2", ("", ""), False),
        ("a-model-of-somebody:278m", ("", ""), True),
    ],
)
def test_each_model_has_the_prefixes_and_languages_of_its_card(
    model: str, prefixes: tuple[str, str], reads_chinese: bool
) -> None:
    embedder = RemoteEmbedder("ollama", "", model)
    assert embedder.prefixes == prefixes
    coverage = embedder.vocabulary_coverage(["What is a KV cache?", "這邊買醬鴨"])
    assert coverage == [1.0, float(reads_chinese)]
