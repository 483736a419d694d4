"""Facts about Ollama's embedding models: role prefixes and languages.

Ollama adds no prefixes and its API does not report them, so they are copied from the model cards.
"""

from collections.abc import Mapping
from typing import Final

KINDS: Final = ("auto", "ollama", "openai", "embedded")
"""Values of --embedder; `auto` chooses by the posts' languages and by whether Ollama answers."""

MULTILINGUAL_MODEL: Final = "bge-m3"
"""Model advised for a blog that is not in English. In the table on nomic-embed-text-v2-moe's card
it has the best MIRACL, retrieval in 18 languages: 69.2; the six others have 59.9 to 66.5."""

_NOMIC = ("search_document: ", "search_query: ")
_PASSAGES = ("", "Represent this sentence for searching relevant passages: ")
_TASK = (
    "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"
)

PREFIXES: Final[Mapping[str, tuple[str, str]]] = {
    "bge-m3": ("", ""),
    # config_sentence_transformers.json of Qwen/Qwen3-Embedding-0.6B: no space after "Query:".
    "qwen3-embedding-0.6b": ("", _TASK),
    # Prompts "Retrieval-document" and "Retrieval-query"; those of embeddinggemma-2 are the same.
    "embeddinggemma": ("title: none | text: ", "task: search result | query: "),
    "arctic-embed2": ("", "query: "),
    "arctic-embed-l-v2": ("", "query: "),
    "arctic-embed-m-v2": ("", "query: "),
    "nomic-embed-text-v2": _NOMIC,
    # With a space after "Query:".
    "multilingual-e5-large-instruct": ("", f"{_TASK} "),
    "multilingual-e5": ("passage: ", "query: "),
    "qwen3-embedding": ("", _TASK),
    "nomic-embed-text": _NOMIC,
    "mxbai-embed-large": _PASSAGES,
    "bge-small-en": _PASSAGES,
    "bge-base-en": _PASSAGES,
    "bge-large-en": _PASSAGES,
    "arctic-embed": _PASSAGES,
    "all-minilm": ("", ""),
}
"""Prefixes of a document and a query. The first key that is part of a model's name counts, so
multilingual models come first; from `nomic-embed-text` on all are English only."""


def find_card(name: str) -> str | None:
    """Return the key in PREFIXES for a model or a copy of it; `None` for others."""
    bare = name.rpartition("/")[2].lower().replace(":", "-")
    return next((part for part in PREFIXES if part in bare), None)


def is_english(name: str) -> bool:
    """Whether a model is known to read English only, with bert-base-uncased's vocabulary."""
    cards = [*PREFIXES]
    return find_card(name) in cards[cards.index("nomic-embed-text") :]


def full_name(model: str) -> str:
    """Return the name as Ollama compares it: in lower case, with `:latest` if it has no tag."""
    tagged = ":" in model.rpartition("/")[2]
    return (model if tagged else f"{model}:latest").lower()
