"""What is known of Ollama's embedding models: their names, role prefixes and dimensions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from index.embedder.ollama_failures import Kind, OllamaError

if TYPE_CHECKING:
    from ollama import ShowResponse

DEFAULT_MODEL: Final = "nomic-embed-text"

_PASSAGES = "Represent this sentence for searching relevant passages: "

PREFIXES: Final[tuple[tuple[str, str, str], ...]] = (
    ("nomic-embed-text", "search_document: ", "search_query: "),
    ("mxbai-embed-large", "", _PASSAGES),
    ("snowflake-arctic-embed2", "", "query: "),
    ("snowflake-arctic-embed", "", _PASSAGES),
)
"""Family, document prefix, query prefix, as each model card asks; the first match counts."""


ENGLISH_PIECES: Final = ("nomic-embed-text", "all-minilm", "mxbai-embed-large")
"""Families with bert-base-uncased's vocabulary, which `index.embedder.readable` can judge."""

MULTILINGUAL: Final = ("nomic-embed-text-v2",)
"""Members of those families with a vocabulary of their own."""


def has_english_pieces(model: str) -> bool:
    """Whether the model reads text through bert-base-uncased's English word pieces."""
    family = model.rpartition("/")[2].lower()
    return family.startswith(ENGLISH_PIECES) and not family.startswith(MULTILINGUAL)


def prefixes_of(model: str) -> tuple[str, str]:
    """Document and query prefix of a model by its family's name; empty for unknown ones."""
    family = model.rpartition("/")[2].lower()
    found = (row[1:] for row in PREFIXES if family.startswith(row[0]))
    document, query = next(found, ("", ""))
    return document, query


def full_name(model: str) -> str:
    """Return the name as Ollama compares it: without regard to case, `:latest` where no tag is."""
    tagged = ":" in model.rpartition("/")[2]
    return (model if tagged else f"{model}:latest").lower()


def dimension_of(shown: ShowResponse) -> int:
    """Read the dimension from `/api/show`. Raises OllamaError if this is no embedding model.

    `capabilities` came with Ollama 0.6.4; older ones show at the first text what they can.
    """
    if shown.capabilities is not None and "embedding" not in shown.capabilities:
        raise OllamaError(Kind.NOT_EMBEDDING)
    info = shown.modelinfo or {}
    dimension = info.get(f"{info.get('general.architecture')}.embedding_length")
    if not isinstance(dimension, int) or dimension < 1:
        raise OllamaError(Kind.NO_VECTOR, "a model description without a dimension")
    return dimension
