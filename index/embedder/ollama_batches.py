"""Any number of texts in batches of one request: texts in, a row or a failure for each out.

Ollama has answered batches with the vectors in another order than the texts, or with
others than it gives to the same texts alone (ollama/ollama#6187, #6262), all of them good
unit vectors. So one text of every batch is asked alone too; once they differ, texts go
out one by one, which no order can spoil.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Final

from index.embedder.canaries import SAME
from index.embedder.ollama_failures import Kind, OllamaError, reason_of
from index.embedder.ollama_rescue import embed_each
from index.embedder.vectors import sendable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from index.embedder.base import Vectors
    from index.embedder.ollama_client import Patience
    from index.embedder.ollama_rescue import Request

BATCH: Final = 32
"""Texts a request: Ollama embeds them one after another, so more only lose more at a failure."""


class Batches:
    """How texts go to one Ollama."""

    def __init__(self) -> None:
        self._size = BATCH

    @property
    def mixed_up(self) -> bool:
        """Whether this Ollama was seen to mix up a batch."""
        return self._size == 1

    def rows(
        self, texts: Sequence[str], dimension: int, request: Request, patience: Patience
    ) -> tuple[Vectors, dict[int, str]]:
        """Rows of shape (len(texts), dimension), and by place why one has no vector.

        Blank texts stay zeros and are not sent, since they stall some versions. Raises OllamaError.
        """
        import numpy as np

        rows = np.zeros((len(texts), dimension), dtype=np.float32)
        reasons: dict[int, str] = {}
        spoken = [i for i, text in enumerate(texts) if text.strip()]
        found = self.embed([sendable(texts[i]) for i in spoken], request, patience)
        for place, row in zip(spoken, found, strict=True):
            if isinstance(row, OllamaError):
                reasons[place] = reason_of(row)
            else:
                rows[place] = row
        return rows, reasons

    def embed(
        self, texts: Sequence[str], request: Request, patience: Patience
    ) -> list[Vectors | OllamaError]:
        """A row of shape (dimension,) or a failure for each text. Raises OllamaError."""

        def checked(batch: list[str], patience: Patience) -> Vectors:
            rows = request(batch, patience)
            if len(batch) > 1:
                _check_order(batch, rows, request, patience)
            return rows

        found: list[Vectors | OllamaError] = []
        while len(found) < len(texts):
            batch = list(texts[len(found) : len(found) + self._size])
            try:
                found += embed_each(batch, checked, patience)
            except OllamaError as failure:
                if failure.kind is not Kind.MIXED_UP:
                    raise
                self._size = 1
        return found


def alone(texts: Sequence[str], request: Request, patience: Patience) -> Vectors:
    """A row for each text, asked one by one, which no order can spoil. Raises OllamaError."""
    import numpy as np

    rows = [embed_each([text], request, patience)[0] for text in texts]
    for row in rows:
        if isinstance(row, OllamaError):
            raise row
    return np.stack([row for row in rows if not isinstance(row, OllamaError)])


def mixing(version: str) -> str:
    """Say what is wrong with a version that mixes up batches, what is done, and what to do."""
    return (
        f"Ollama {version} mixes up the vectors of a batch, so texts go to it one by one. "
        "Update Ollama."
    )


def _check_order(texts: list[str], rows: Vectors, request: Request, patience: Patience) -> None:
    """Compare one text's row with what it gets alone.

    Which text is for their words to say, so that an order that is always wrong, but not
    for every place, is found within a few batches.
    """
    place = zlib.crc32("".join(texts).encode()) % len(texts)
    alone = request([texts[place]], patience)[0]
    if float(rows[place] @ alone) >= SAME:
        return
    again = request([texts[place]], patience)[0]
    raise OllamaError(Kind.MIXED_UP if float(again @ alone) >= SAME else Kind.UNSTEADY)
