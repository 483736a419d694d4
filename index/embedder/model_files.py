"""The files of the model in the package: where they are, and its tokenizer opened once."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from index.errors import EmbedderRefused

if TYPE_CHECKING:
    from tokenizers import Tokenizer

MODEL_FOLDER: Final = Path(__file__).parent / "model"


def present(name: str) -> Path:
    """The path of one of the model's files. Raises EmbedderRefused if it was not installed."""
    path = MODEL_FOLDER / name
    if not path.is_file():
        raise EmbedderRefused(
            f"The embedded model's {name} is missing from the installed package; install it again."
        )
    return path


@cache
def load_tokenizer() -> Tokenizer:
    """bert-base-uncased's word pieces, without the truncation and padding the file asks for."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(present("tokenizer.json")))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
