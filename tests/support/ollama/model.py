"""The stand-in's models: a name and a text in, the vector it always has out.

Vectors are the unit mean of one hashed direction per word without its capitals and accents,
so a text has the same vector in every batch and process, and related texts lie close together.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class Model:
    """One pulled model."""

    name: str = "nomic-embed-text:latest"
    digest: str = "0a109f422b47e3a30ba2b10eca18548e944e8a23073ee3f3e947efcf3c45e59f"
    architecture: str = "nomic-bert"
    tokenizer: str = "bert"
    dimension: int = 768
    context: int = 2048
    capabilities: tuple[str, ...] | None = ("embedding",)
    tells_lengths: bool = True
    """Whether /api/tags has its context and dimension; not for BERT models that were imported."""


def tokens(text: str, reads_capitals: bool = True) -> list[str]:
    """Words and punctuation marks without capitals and accents; what is not read is unknown."""
    words = re.findall(r"\w+|[^\w\s]", unicodedata.normalize("NFC", text))
    known = {word: bare(word) for word in words}
    if reads_capitals:
        return [known[word] for word in words]
    return [word if word == known[word] else "[UNK]" for word in words]


def bare(word: str) -> str:
    """Take accents and capitals off a word."""
    parts = unicodedata.normalize("NFD", word.lower())
    return "".join(part for part in parts if not unicodedata.combining(part))


@cache
def direction(token: str, dimension: int) -> npt.NDArray[np.float64]:
    """Return the direction of one token: the same in every process."""
    seed = int.from_bytes(hashlib.sha256(token.encode()).digest()[:8], "big")
    return np.random.default_rng(seed).standard_normal(dimension)


def embedding(text: str, model: Model, reads_capitals: bool = True) -> npt.NDArray[np.float32]:
    """Unit mean of the directions of a text's tokens, cut to the model's context."""
    words = ["[CLS]", *tokens(text, reads_capitals)[: model.context - 2]]
    total = np.zeros(model.dimension)
    for word in words:
        total += direction(word, model.dimension)
    unit: npt.NDArray[np.float32] = (total / np.linalg.norm(total)).astype(np.float32)
    return unit
