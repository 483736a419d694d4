"""Facts about Ollama's embedding models: role prefixes and languages.

Ollama adds no prefixes and its API does not report them, so they are copied from the
models' cards.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

KINDS: Final = ("auto", "ollama", "openai", "embedded")
"""Values of --embedder; `auto` chooses by the posts' languages and by whether Ollama answers."""

MULTILINGUAL_MODEL: Final = "bge-m3"
"""Named for a blog that is not in English. Of the models in the table on nomic-embed-text-v2-moe's
card, the one with the highest figure for MIRACL, retrieval in 18 languages: 69.2, the six others
59.9 to 66.5."""

_CARDS = Path(__file__).parents[1] / "data/embedding_models.json"

PREFIXES: Final[Mapping[str, tuple[str, str]]] = {
    name: (document, query) for name, (document, query) in json.loads(_CARDS.read_bytes()).items()
}
"""Prefixes of a document and a query. The first key that is part of a model's name counts, so
multilingual models come first, and those of English alone from `nomic-embed-text` on."""


def find_card(name: str) -> str | None:
    """Return the key in PREFIXES of a model or of a copy of it; `None` for any other."""
    bare = name.rpartition("/")[2].lower().replace(":", "-")
    return next((part for part in PREFIXES if part in bare), None)


def is_english(name: str) -> bool:
    """Whether a model is known to read English alone, in bert-base-uncased's vocabulary."""
    cards = [*PREFIXES]
    return find_card(name) in cards[cards.index("nomic-embed-text") :]


def full_name(model: str) -> str:
    """Return the name as Ollama compares it: without regard to case, `:latest` where no tag is."""
    tagged = ":" in model.rpartition("/")[2]
    return (model if tagged else f"{model}:latest").lower()
