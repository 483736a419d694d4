"""The protocol of embedders, and functions that embedders share.

Vectors of documents and queries are comparable only if model, weights and both prefixes are equal.
The identity records these in the manifest and in the cache's keys.
"""

import re
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Final, Protocol, TypeVar

from blog_search_mcp.index.invocation import Invocation
from blog_search_mcp.index.text.languages import IDEOGRAPHS
from blog_search_mcp.index.types import EmbedderIdentity, Vectors

T = TypeVar("T")
DEFAULT_MODEL: Final = "nomic-embed-text"
"""Model that an ingest asks of Ollama by default; it knows only English."""
WINDOW: Final = 400
"""Maximum word pieces of a window, estimated by `count_pieces`, without title and headings.

If this number changes, all texts are embedded anew. A model that reads fewer pieces, such as
all-MiniLM-L6-v2 with 256, gives the mean of a window's parts. Windows of half this size give an
English blog two thirds more vectors and the same results."""


class Embedder(Protocol):
    """Turns texts into vectors."""

    @property
    def identity(self) -> EmbedderIdentity:
        """Identity of the model. Raises EmbedderError if its server must be asked and fails."""

    def vocabulary_coverage(self, texts: Sequence[str]) -> list[float]:
        """Return how well the model's vocabulary covers each text, in [0, 1].

        Callers do not embed a text with 0: its vector would be noise. No model runs. Raises
        EmbedderError.
        """

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return float32 unit rows of shape (len(texts), dimension), in order.

        A blank text gets zeros. Raises EmbedderError, or TextsRefused with the other rows if some
        texts have no vector.
        """

    def embed_query(self, text: str) -> Vectors:
        """Return one float32 unit vector of shape (dimension,). Raises EmbedderError."""


def rebuild_command(kind: str, model: str | None = None) -> Invocation:
    """Return the command that rebuilds an index with this embedder."""
    option = () if model is None or model == DEFAULT_MODEL else ("--model", model)
    return Invocation(("ingest", "--rebuild", "--embedder", kind, *option))


def embedding_text(title: str, headings: Sequence[str], window: str) -> str:
    """Join title, heading path and `window`, which is a part of a chunk's plain text."""
    return "\n".join(filter(None, (title, " > ".join(headings), window)))


def mean_direction(rows: Sequence[Vectors], dimension: int) -> Vectors:
    """Return the mean direction of unit rows (a single row unchanged); zeros for no rows."""
    import numpy as np

    if len(rows) == 1:
        return rows[0]
    total: Vectors = np.reshape(rows, (-1, dimension)).sum(axis=0, dtype=np.float32)
    return total / np.float32(np.linalg.norm(total) or 1)


def run_in_background(work: Callable[[], T], *, awaited: bool = False) -> Future[T]:
    """Start `work` in a thread; the process waits for `awaited` work before it exits.

    Native code should be awaited: if it starts threads during the exit, the process aborts.
    """
    ended: Future[T] = Future()

    def run() -> None:
        try:
            ended.set_result(work())
        except BaseException as error:  # the future raises it again
            ended.set_exception(error)

    threading.Thread(target=run, daemon=not awaited).start()
    return ended


_PIECES = f"{IDEOGRAPHS}\u3100-\u312f"
"""Characters that are one piece each (Han, kana, bopomofo), as the inside of a set in a regular
expression. Hangul counts as letters."""
_DATA_URI = re.compile(r"data:[\w.+-]*+(?:/[\w.+-]*+)?(?:;[\w=-]+)*;base64,[A-Za-z0-9+/=]+")
_PIECE_PATTERN = rf"[^\W_{_PIECES}]{{1,5}}|[^\w\s]|[{_PIECES}]|_"
"""Pattern of a piece: up to five letters or digits, or one character. In MiniLM's vocabulary an
English word has 4.7 letters and 1.3 pieces. `re` compiles the pattern at its first use, in 2 ms."""


def count_pieces(text: str) -> int:
    """Estimate the word pieces of `text` in a BERT vocabulary; a base64 data URI counts as one."""
    text = _DATA_URI.sub("data", text) if ";base64," in text else text
    return len(re.findall(_PIECE_PATTERN, text))


def has_more_pieces(text: str, most: int) -> bool:
    """Whether a text has more than `most` pieces; a text of at most `most` characters has not."""
    return len(text) > most and count_pieces(text) > most
