"""How much of a text an English BERT vocabulary covers.

all-MiniLM-L6-v2 and nomic-embed-text v1 and v1.5 share bert-base-uncased's 30,522 word
pieces, made from English. A language is known to them as far as its words are single
pieces: English text reaches .75 and more, German and Spanish .45 to .6, Chinese nothing,
since Han characters and accented fragments are pieces without a meaning. A vector of what
is not covered is noise, and noise must have no vote.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from blog_search_mcp.index.errors import EmbedderRefused

if TYPE_CHECKING:
    from tokenizers import Tokenizer

ENGLISH_MODEL: Final = Path(__file__).parent / "model"
"""The packaged model whose tokenizer has this vocabulary."""

UNCOVERED: Final = 0.45
"""Share of words that are one Latin piece below which a text is foreign (other European
languages lie just above)."""

COVERED: Final = 0.75
"""Share from which a text counts as English throughout; ordinary English prose and code."""

_LATIN = re.compile(r"[a-z]+")
_UNKNOWN = "[UNK]"

_RUN = re.compile(r"[^ \t\n\r!-/:-@\[-`{-~]+")
"""What BERT's tokenizer reads by itself: it cuts at each of ASCII's spaces and marks."""


def find_file(folder: Path, name: str) -> Path:
    """Return the path of a packaged model's file. Raises EmbedderRefused if it is not there."""
    path = folder / name
    if not path.is_file():
        raise EmbedderRefused(
            f"The embedded model's {name} is missing from the installed package; install it again."
        )
    return path


@cache
def load_tokenizer(folder: Path = ENGLISH_MODEL) -> Tokenizer:
    """Load a packaged model's tokenizer, without the truncation and padding the file asks for."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(find_file(folder, "tokenizer.json")))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def english_coverage(texts: Sequence[str]) -> list[float]:
    """Return how well an English word-piece vocabulary covers each text, in [0, 1]."""
    return [
        min(max((_known_share(text) - UNCOVERED) / (COVERED - UNCOVERED), 0.0), 1.0)
        for text in texts
    ]


def _known_share(text: str) -> float:
    """Return the share of the text's words that are one Latin piece."""
    counts = [_count_words(run) for run in _RUN.findall(text)]
    words = sum([words for words, _ in counts])
    return sum([known for _, known in counts]) / words if words else 0.0


@lru_cache(maxsize=65536)
def _count_words(run: str) -> tuple[int, int]:
    """Count the words of a run and those that are one Latin piece; marks are no words.

    Cached, so that a run is tokenized once, however often a blog repeats it.
    """
    pieces = load_tokenizer().encode(run, add_special_tokens=False).tokens
    words = [word for word in _group_pieces(pieces) if _is_word(word[0])]
    known = sum(len(word) == 1 and bool(_LATIN.fullmatch(word[0])) for word in words)
    return len(words), known


def _group_pieces(pieces: list[str]) -> Iterator[list[str]]:
    """Group pieces into words: one that begins with `##` continues the word before it."""
    word: list[str] = []
    for piece in pieces:
        if word and not piece.startswith("##"):
            yield word
            word = []
        word.append(piece)
    if word:
        yield word


@cache
def _is_word(piece: str) -> bool:
    return piece == _UNKNOWN or any(map(str.isalpha, piece))
