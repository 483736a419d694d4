"""Which Ollamas misread an uncased model, and what to send them instead: text in, text out.

From 0.13.1 until 0.30 Ollama ran uncased BERT models with a tokenizer of its own, which
looked up words as they are in a vocabulary of lower-case words without accents: every
word with a capital became the same unknown piece (ollama/ollama#13942), and accents were
never taken off (#15609). Text that is folded beforehand, as the model's own tokenizer
folds it, gets the vector it should have; to a right server folding changes nothing, so
an index stays valid when its Ollama is updated.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Final

BROKEN_FROM: Final = (0, 13, 1)
"""The first version that misreads nomic-embed-text; BERT's accents followed in 0.13.5."""

MENDED_IN: Final = (0, 30, 0)
"""The first version that leaves tokenizing to llama.cpp, whatever the model."""

_VERSION = re.compile(r"v?(\d+)\.(\d+)(?:\.(\d+))?")


def is_uncased(info: Mapping[str, object]) -> bool:
    """Whether `/api/show`'s `model_info` is that of a model with BERT's lower-case vocabulary."""
    architecture = info.get("general.architecture")
    return info.get("tokenizer.ggml.model") == "bert" and architecture in ("bert", "nomic-bert")


def misreads(version: str) -> bool:
    """Whether this version of Ollama tokenizes uncased models wrongly.

    One that cannot be told (empty, or the 0.0.0 of a build from source) counts as right.
    """
    found = _VERSION.match(version)
    if found is None:
        return False
    numbers = tuple(int(part or 0) for part in found.groups())
    return BROKEN_FROM <= numbers < MENDED_IN


def folded(text: str) -> str:
    """Take accents and capitals off a text, as the tokenizer of bert-base-uncased does.

    Marks go in every script, as they do there: its vocabulary has `か` and `и`, and
    neither `が` nor `й`. Letter by letter, since Python's own `lower` of a whole text
    writes a final sigma.
    """
    bare = (c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn")
    return "".join(c.lower() for c in bare)


def warning(version: str, model: str) -> str:
    """Say what is wrong with a version that misreads `model`, what is done, and what to do."""
    return (
        f"Ollama {version} misreads capitals and accents for {model}, so texts go to it in lower "
        "case and without accents. Update Ollama to 0.30 or later."
    )
