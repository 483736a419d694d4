"""Whether an English BERT vocabulary can read a text: texts in, numbers from 0 to 1 out.

all-MiniLM-L6-v2 and nomic-embed-text v1 and v1.5 share bert-base-uncased's
30,522 word pieces, made from English. A language is known to them as far as
its words are single pieces: English text reaches .75 and more, German and
Spanish .45 to .6, Chinese nothing, since Han characters and accented fragments
are pieces without a meaning. A vector of what is not read is noise, and noise
must have no vote.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from blog_search_mcp.index.errors import EmbedderRefused

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


UNREAD = 0.45
"""Share of words that are one Latin piece below which a text is foreign (other European
languages lie just above)."""

READ = 0.75
"""Share from which a text counts as English throughout; ordinary English prose and code."""

_LATIN = re.compile(r"[a-z]+")
_UNKNOWN = "[UNK]"

_RUN = re.compile(r"[^ \t\n\r!-/:-@\[-`{-~]+")
"""What BERT's tokenizer reads by itself: it cuts at each of ASCII's spaces and marks."""
_SPECIAL = re.compile(r"\[(?:PAD|UNK|CLS|SEP|MASK)\]")
"""Which tokens of its own it finds in a text, marks and all."""


class _Words(NamedTuple):
    spoken: int
    """Words, not marks and numbers."""
    known: int
    """Those of them that are one Latin piece."""


def readable(texts: Sequence[str]) -> list[float]:
    """How well an English word-piece model reads each text, in [0, 1].

    A run is tokenized once, however often a blog repeats it.
    """
    return [_scaled(_known_words(text)) for text in texts]


def _scaled(share: float) -> float:
    return min(max((share - UNREAD) / (READ - UNREAD), 0.0), 1.0)


def _known_words(text: str) -> float:
    """Share of the text's words that are one Latin piece."""
    if _SPECIAL.search(text):
        words = _words_of.__wrapped__(text)
        return words.known / words.spoken if words.spoken else 0.0
    found = [_words_of(run) for run in _RUN.findall(text)]
    spoken = sum([words.spoken for words in found])
    return sum([words.known for words in found]) / spoken if spoken else 0.0


@lru_cache(maxsize=65536)
def _words_of(run: str) -> _Words:
    words = list(_words(load_tokenizer().encode(run, add_special_tokens=False).tokens))
    spoken = [word for word in words if _is_word(word[0])]
    known = sum(len(word) == 1 and bool(_LATIN.fullmatch(word[0])) for word in spoken)
    return _Words(len(spoken), known)


def _words(pieces: list[str]) -> Iterator[list[str]]:
    """Pieces gathered into words: one that begins with `##` goes on with the word before it."""
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
