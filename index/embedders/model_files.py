"""The files of the models in the package: where they are, and their tokenizers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from blog_search_mcp.index.errors import EmbedderRefused

if TYPE_CHECKING:
    from tokenizers import Tokenizer

MODELS: Final = Path(__file__).parent / "models"
"""Holds a folder for each model, by its name: `model.onnx`, with inputs `input_ids` and
`attention_mask` and the output `embedding`, pooled and of unit length, `tokenizer.json`, the
licence, and what the files are in `README.md`."""


def find_file(model: str, name: str) -> Path:
    """Return the path of a model's file. Raises EmbedderRefused if it is not there."""
    path = MODELS / model / name
    if not path.is_file():
        raise EmbedderRefused(
            f"The file {name} of {model} is missing from the installed package; install it again."
        )
    return path


@cache
def load_tokenizer(model: str) -> Tokenizer:
    """Load a model's tokenizer, without the truncation and padding its file may ask for."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(find_file(model, "tokenizer.json")))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


@cache
def load_character_map(model: str) -> Mapping[int, str]:
    """Load what a model's tokenizer reads instead of each code point that it does not keep."""
    table = json.loads(find_file(model, "normalizer.json").read_text(encoding="utf-8"))
    return {int(code): text for code, text in table.items()}
