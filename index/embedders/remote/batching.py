"""Any number of texts in batches of one request each, with a vector or a failure for every text.

Ollama has answered batches with the vectors in another order than the texts, or with others than
it gives to the same texts alone (ollama/ollama#6187, #6262), all of them good unit vectors. So
before the first batch the fingerprint texts are embedded together and one by one; where that
differs, all texts are sent one by one.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from blog_search_mcp.index.embedders.base import mean_direction, replace_surrogates
from blog_search_mcp.index.embedders.fingerprint import SAME, TEXTS
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

HARMLESS: Final = "a short and simple text"
"""No version of Ollama has failed on words like these."""


class BatchEmbedder:
    """Sends texts to one server, in batches unless it mixes them up."""

    def __init__(self, messages: FailureMessages) -> None:
        """Take the messages for its failures."""
        self._size = 0
        """Texts a request; 0 until the server was tried."""
        self._messages = messages
        self._lock = threading.Lock()

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

        size = self._choose_size(send, policy) if len(waiting) > len(TEXTS) else 1
        for start in range(0, len(waiting), size):
            batch = waiting[start : start + size]
            sent = [replace_surrogates(texts[place]) for place in batch]
            for place, row in zip(batch, self._embed_each(sent, send, policy), strict=True):
                if isinstance(row, RequestFailed):
                    reasons[place] = self._messages.describe_text(row)
                else:
                    rows[place] = row
        return rows, reasons

    def _choose_size(self, send: Send, policy: RetryPolicy) -> int:
        """Return BATCH, or 1 for a server that embeds texts otherwise together than alone.

        Raises RequestFailed.
        """
        with self._lock:
            if not self._size:
                together = self._embed_each(list(TEXTS), send, policy)
                alone = [embed_one(text, send, policy) for text in TEXTS]
                is_same = all(
                    not isinstance(row, RequestFailed) and float(row @ own) >= SAME
                    for row, own in zip(together, alone, strict=True)
                )
                self._size = BATCH if is_same else 1
            return self._size

    def _embed_each(
        self, texts: list[str], send: Send, policy: RetryPolicy
    ) -> list[Vectors | RequestFailed]:
        """Return a row of shape (dimension,) or a failure for each text, bisecting a failed batch.

        Raises RequestFailed if it is the server that fails and not a text.
        """
        try:
            if len(texts) == 1:
                return [embed_one(texts[0], send, policy)]
            return list(send(texts, policy))
        except RequestFailed as failure:
            policy = policy.shorten()
            if len(texts) == 1 or failure.kind is not FailureKind.TOO_LONG:
                _check_server(failure, send, policy)
            if len(texts) == 1:
                return [failure]
        middle = len(texts) // 2
        halves = (texts[:middle], texts[middle:])
        return [row for half in halves for row in self._embed_each(half, send, policy)]


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
