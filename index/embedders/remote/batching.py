"""Any number of texts in batches of one request each, with a vector or a failure for every text.

Ollama has answered batches with the vectors in another order than the texts, or with
others than it gives to the same texts alone (ollama/ollama#6187, #6262), all of them good
unit vectors. So of every fourth batch, those whose vectors fit their words least, one text is
embedded alone too, the one that fits worst; once they differ, texts are sent one by one, which no
order can spoil. That is 1 % of the texts, and only embedding all of them again would find every
mistake.
"""

from __future__ import annotations

import re
import threading
import zlib
from bisect import bisect_right, insort
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from blog_search_mcp.index.embedders.base import mean_direction, replace_surrogates
from blog_search_mcp.index.embedders.fingerprint import SAME
from blog_search_mcp.index.embedders.remote.failures import (
    FailureKind,
    FailureMessages,
    RequestFailed,
)

if TYPE_CHECKING:
    from blog_search_mcp.index.embedders.remote.requests import RetryPolicy
    from blog_search_mcp.index.types import Vectors

    Send: TypeAlias = Callable[[list[str], RetryPolicy], Vectors]
    """Embeds texts by one request. Raises RequestFailed."""

BATCH: Final = 32
"""Texts a request: Ollama embeds them one after another, so more only lose more at a failure."""

_WORD: Final = re.compile(r"[\u3040-\u9fff]|[^\W_\u3040-\u9fff]+")

PLACES: Final = 4096
"""That words are hashed to: a batch has fewer of them."""

CHECKED_SHARE: Final = 1 / 4
"""Of the batches: a text of each of them is 1 % of all texts."""

HARMLESS: Final = "a short and simple text"
"""No version of Ollama has failed on words like these."""


class BatchEmbedder:
    """Sends texts to one server, in batches until it is seen to mix one up."""

    def __init__(self, messages: FailureMessages) -> None:
        """Take the messages for its failures."""
        self._size = BATCH
        self._messages = messages
        self._checks = OrderChecks()

    @property
    def mixed_up(self) -> bool:
        """Whether this server was seen to mix up a batch."""
        return self._size == 1

    def embed(
        self, texts: Sequence[str], dimension: int, send: Send, policy: RetryPolicy
    ) -> tuple[Vectors, dict[int, str]]:
        """Return rows of shape (len(texts), dimension), and by place why one has no vector.

        Blank texts stay zeros and are not sent, since they stall some versions. Raises
        RequestFailed.
        """
        import numpy as np

        rows = np.zeros((len(texts), dimension), dtype=np.float32)
        reasons: dict[int, str] = {}
        waiting = [place for place, text in enumerate(texts) if text.strip()]

        while waiting:
            batch = waiting[: self._size]
            sent = [replace_surrogates(texts[place]) for place in batch]
            try:
                found = self._embed_each(sent, send, policy)
            except RequestFailed as failure:
                if failure.kind is not FailureKind.MIXED_UP:
                    raise
                self._size = 1
                continue
            for place, row in zip(batch, found, strict=True):
                if isinstance(row, RequestFailed):
                    reasons[place] = self._messages.describe_text(row)
                else:
                    rows[place] = row
            del waiting[: len(batch)]
        return rows, reasons

    def _embed_each(
        self, texts: list[str], send: Send, policy: RetryPolicy
    ) -> list[Vectors | RequestFailed]:
        """Return a row of shape (dimension,) or a failure for each text, bisecting a failed batch.

        Raises RequestFailed if it is the server that fails and not a text.
        """
        try:
            if len(texts) == 1:
                return [embed_one(texts[0], send, policy)]
            rows = send(texts, policy)
            doubtful = find_doubtful(texts, rows)
            if self._checks.are_due(doubtful.doubt):
                _check_order(texts[doubtful.place], rows[doubtful.place], send, policy)
            return list(rows)
        except RequestFailed as failure:
            policy = policy.shorten()
            if len(texts) == 1 or failure.kind is not FailureKind.TOO_LONG:
                _check_server(failure, send, policy)
            if len(texts) == 1:
                return [failure]
        middle = len(texts) // 2
        halves = (texts[:middle], texts[middle:])
        return [row for half in halves for row in self._embed_each(half, send, policy)]


class OrderChecks:
    """Chooses the batches that are checked; safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._doubts: list[float] = []
        """Of all batches so far, ascending."""

    def are_due(self, doubt: float) -> bool:
        """Whether this batch is among the CHECKED_SHARE most doubtful so far, as the first is."""
        with self._lock:
            insort(self._doubts, doubt)
            rank = len(self._doubts) - bisect_right(self._doubts, doubt) + 1
            return rank <= max(CHECKED_SHARE * len(self._doubts), 1.0)


def embed_one(text: str, send: Send, policy: RetryPolicy) -> Vectors:
    """Return a row of shape (dimension,), for a text too long the mean of its halves.

    Raises RequestFailed.
    """
    try:
        row: Vectors = send([text], policy)[0]
        return row
    except RequestFailed as failure:
        if failure.kind is not FailureKind.TOO_LONG or len(text.strip()) < 2:
            raise
    rows = [embed_one(half, send, policy) for half in split_in_half(text)]
    return mean_direction(rows, len(rows[0]))


def split_in_half(text: str) -> tuple[str, str]:
    """Cut a text of two or more characters at the white space nearest to its middle.

    White space in the first or last quarter does not count, so that each cut gets
    somewhere; where there is none, the cut goes through the middle.
    """
    text = text.strip()
    middle, quarter = len(text) // 2, len(text) // 4
    spaces = (i for i in range(quarter, len(text) - quarter) if text[i].isspace())
    cut = min(spaces, key=lambda i: abs(i - middle), default=middle)
    return text[:cut], text[cut:]


def _check_server(failure: RequestFailed, send: Send, policy: RetryPolicy) -> None:
    """Raise unless the failure may be the texts' own: Ollama still embeds what is harmless."""
    if failure.kind not in (FailureKind.CRASHED, FailureKind.NO_VECTOR, FailureKind.SLOW):
        raise failure
    try:
        send([HARMLESS], policy)
    except RequestFailed as again:
        raise (failure if again.kind is failure.kind else again) from again


def _check_order(text: str, row: Vectors, send: Send, policy: RetryPolicy) -> None:
    """Compare a text's row with what it gets alone. Raises RequestFailed if they differ."""
    alone = send([text], policy)[0]
    if float(row @ alone) >= SAME:
        return
    again = send([text], policy)[0]
    raise RequestFailed(
        FailureKind.MIXED_UP if float(again @ alone) >= SAME else FailureKind.UNSTEADY
    )


class Doubtful(NamedTuple):
    """The text of a batch whose vector fits its words least."""

    place: int
    doubt: float
    """How much more words and vectors would agree if it changed places with another text."""


def find_doubtful(texts: Sequence[str], rows: Vectors) -> Doubtful:
    """Find the text whose vector fits its words least.

    Texts with words in common have vectors near each other. So each two texts are compared with
    all others, by words and by vectors, and the first of the two is taken that would agree most if
    their vectors changed places.
    """
    import numpy as np

    words = np.zeros((len(texts), PLACES), dtype=np.float32)
    for place, text in enumerate(texts):
        for word in set(_WORD.findall(text.lower())):
            words[place, zlib.crc32(word.encode()) % PLACES] = 1.0
    words *= np.log(len(texts) / np.maximum(words.sum(axis=0), 1.0))
    words /= np.maximum(np.linalg.norm(words, axis=1, keepdims=True), 1e-6)

    others = ~np.eye(len(texts), dtype=bool)
    by_words, by_vectors = (np.where(others, each @ each.T, 0.0) for each in (words, rows))
    for matrix in (by_words, by_vectors):
        matrix[others] -= matrix[others].mean()
    agreement = by_words @ by_vectors
    own = agreement.diagonal()
    gain = agreement + agreement.T - own[:, None] - own + 2 * by_words * by_vectors
    most = np.where(others, gain, -np.inf).max(axis=1)
    place = int(most.argmax())
    return Doubtful(place, float(most[place]))
