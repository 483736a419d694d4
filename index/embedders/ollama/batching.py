"""Any number of texts in batches of one request: texts in, a row or a failure for each out.

Ollama has answered batches with the vectors in another order than the texts, or with
others than it gives to the same texts alone (ollama/ollama#6187, #6262), all of them good
unit vectors. So one text of every batch is asked alone too; once they differ, texts go
out one by one, which no order can spoil.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeAlias

from blog_search_mcp.index.embedders.fingerprint import SAME
from blog_search_mcp.index.embedders.normalize import mean_of, sendable
from blog_search_mcp.index.embedders.ollama.errors import Kind, OllamaError, reason_of

if TYPE_CHECKING:
    from blog_search_mcp.index.embedders.ollama.client import Patience
    from blog_search_mcp.index.types import Vectors

    Request: TypeAlias = Callable[[list[str], Patience], Vectors]
    from collections.abc import Sequence

    from blog_search_mcp.index.embedders.ollama.client import Patience
    from blog_search_mcp.index.types import Vectors

OF_ONE_TEXT: Final = frozenset({Kind.TOO_LONG, Kind.CRASHED, Kind.NO_VECTOR, Kind.SLOW})
"""Kinds that one text alone can bring about."""

HARMLESS: Final = "a short and simple text"
"""Nothing in any version of Ollama has failed on words like these."""

CUTS: Final = 2
"""How often a text that fails for another reason than its length is cut in two: a vector of
smaller parts than quarters of a window would say little of the window."""


def embed_each(
    texts: list[str], request: Request, patience: Patience
) -> list[Vectors | OllamaError]:
    """A row of shape (dimension,) or a failure for each text. Raises OllamaError."""
    try:
        return list(request(texts, patience))
    except OllamaError as failure:
        patience = patience.brief()
        _acquit_ollama(failure, request, patience)
        if len(texts) == 1:
            return [_in_parts(texts[0], failure, request, patience, CUTS)]
    middle = len(texts) // 2
    halved = (texts[:middle], texts[middle:])
    return [row for half in halved for row in embed_each(half, request, patience)]


def embed_one(text: str, request: Request, patience: Patience) -> Vectors:
    """A row of shape (dimension,), with no patience for anything but a length. Raises OllamaError.

    Somebody waits for it: what Ollama fails on is not asked again in parts.
    """
    try:
        row: Vectors = request([text], patience)[0]
        return row
    except OllamaError as failure:
        if failure.kind is not Kind.TOO_LONG:
            raise
        parts = _in_parts(text, failure, request, patience, cuts=0)
    if isinstance(parts, OllamaError):
        raise parts
    return parts


def halves(text: str) -> tuple[str, str]:
    """Cut a text of two or more characters at the white space nearest to its middle.

    White space in the first or last quarter does not count, so that each cut gets
    somewhere; where there is none, the cut goes through the middle.
    """
    text = text.strip()
    middle, quarter = len(text) // 2, len(text) // 4
    spaces = (i for i in range(quarter, len(text) - quarter) if text[i].isspace())
    cut = min(spaces, key=lambda i: abs(i - middle), default=middle)
    return text[:cut], text[cut:]


def _acquit_ollama(failure: OllamaError, request: Request, patience: Patience) -> None:
    """Raise unless the failure may be the texts' own: Ollama still embeds what is harmless."""
    if failure.kind not in OF_ONE_TEXT:
        raise failure
    if failure.kind is Kind.TOO_LONG:
        return
    try:
        request([HARMLESS], patience)
    except OllamaError as again:
        raise (failure if again.kind is failure.kind else again) from again


def _in_parts(
    text: str, failure: OllamaError, request: Request, patience: Patience, cuts: int
) -> Vectors | OllamaError:
    """The mean of the text's halves, cut further if they fail too; else the failure."""
    if failure.kind is not Kind.TOO_LONG:
        cuts -= 1
    if len(text.strip()) < 2 and failure.kind is Kind.TOO_LONG:
        raise failure
    if len(text.strip()) < 2 or cuts < 0:
        return failure
    parts: list[Vectors] = []
    for half in halves(text):
        row = _part(half, request, patience, cuts)
        if isinstance(row, OllamaError):
            return row
        parts.append(row)
    return mean_of(parts, len(parts[0]))


def _part(text: str, request: Request, patience: Patience, cuts: int) -> Vectors | OllamaError:
    try:
        row: Vectors = request([text], patience)[0]
        return row
    except OllamaError as failure:
        if failure.kind not in OF_ONE_TEXT:
            raise
        return _in_parts(text, failure, request, patience, cuts)


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
