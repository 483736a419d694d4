"""Facts about the models of embedding servers, from their cards: role prefixes and languages."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

KINDS: Final = ("auto", "ollama", "openai", "embedded")
"""Values of --embedder; `auto` chooses by the posts' languages and by whether Ollama answers."""
MULTILINGUAL_MODEL: Final = "bge-m3"
"""Model advised for a blog that is not in English. On MIRACL, retrieval in 18 languages, it is the
best in the table on nomic-embed-text-v2-moe's card: 69.2; the other six have 59.9 to 66.5."""
_CARDS = Path(__file__).parents[1] / "data/embedding_models.json"
PREFIXES: Final[Mapping[str, tuple[str, str]]] = {
    name: (document, query) for name, (document, query) in json.loads(_CARDS.read_bytes()).items()
}
"""Prefixes of a document and of a query, by a part of the model's name. The first key in a name
counts, so multilingual models come first. From `nomic-embed-text` on all are English."""


def find_card(name: str) -> str | None:
    """Return the first key of PREFIXES that is part of a model's name, else `None`."""
    bare = name.rpartition("/")[2].lower().replace(":", "-")
    return next((part for part in PREFIXES if part in bare), None)


def is_english(name: str) -> bool:
    """Whether a model is known to read only English, with bert-base-uncased's vocabulary."""
    cards = [*PREFIXES]
    return find_card(name) in cards[cards.index("nomic-embed-text") :]


def full_name(model: str) -> str:
    """Return the name as Ollama compares it: in lower case, with `:latest` if it has no tag."""
    tagged = ":" in model.rpartition("/")[2]
    return (model if tagged else f"{model}:latest").lower()
