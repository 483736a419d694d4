"""A batch that failed: texts in, each one's vector or what is wrong with that one out.

Ollama fails a whole request for one bad text and does not say which, so the batch is halved
until it shows. What was too long or could not be embedded whole is embedded in parts, whose
mean stands for it. A text of no guilt is asked in between: if that fails too it is not the
texts' fault but Ollama's, and the failure is for the whole run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeAlias

from index.embedder.ollama_failures import Kind, OllamaError
from index.embedder.vectors import mean_of

if TYPE_CHECKING:
    from index.embedder.base import Vectors
    from index.embedder.ollama_client import Patience

    Request: TypeAlias = Callable[[list[str], Patience], Vectors]

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
