"""One request to Ollama's `/api/embed`: texts as they are sent in, checked unit rows out.

Cutting is forbidden, since Ollama says nothing of what it cuts; every vector is looked at, since
some versions answer 200 with zeros or with fewer rows than texts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from index.embedder.ollama_failures import Kind, OllamaError
from index.embedder.ollama_tokenizer import folded
from index.embedder.vectors import fault_in, layer_normalised

if TYPE_CHECKING:
    from ollama import Client

    from index.embedder.base import Normalisation, Vectors
    from index.embedder.ollama_description import Description

KEEP_ALIVE: Final = "30m"
"""How long Ollama keeps the model loaded; its default of 5 minutes makes queries wait for it."""


def unit_rows(
    client: Client, model: str, told: Description, texts: list[str], normalisation: Normalisation
) -> Vectors:
    """Float32 unit rows of shape (len(texts), dimension), in order.

    Texts are folded for a version that misreads them, and rows normalised as the model was
    trained. Raises OllamaError where a row is no vector, and the client's own errors.
    """
    import numpy as np

    rows = client.embed(
        model=model,
        input=[folded(text) for text in texts] if told.misread else texts,
        truncate=False,
        keep_alive=KEEP_ALIVE,
    ).embeddings
    if fault := fault_in(rows, len(texts), told.dimension):
        raise OllamaError(Kind.NO_VECTOR, fault)
    unit = np.asarray(rows, dtype=np.float32)
    return unit if normalisation == "l2" else layer_normalised(unit)


def loaded(model: str, client: Client) -> None:
    """Have the model loaded, as an empty list of texts does. Raises the client's own errors."""
    client.embed(model=model, input=[], keep_alive=KEEP_ALIVE)
