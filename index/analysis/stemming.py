"""Snowball's stemmers, one for each thread and algorithm."""

from __future__ import annotations

import threading
from typing import Protocol


class Stemmer(Protocol):
    """One algorithm; it keeps the word it works on in itself, so that two threads need two."""

    def stemWord(self, word: str, /) -> str:  # noqa: N802 - the library's own name
        """Return the stem of a word in lower case."""
        ...


class _Known(threading.local):
    def __init__(self) -> None:
        self.stemmers: dict[str, Stemmer] = {}


_KNOWN = _Known()


def snowball(algorithm: str) -> Stemmer:
    """Return the thread's own, such as of `english`. Raises KeyError for an unknown one."""
    found = _KNOWN.stemmers.get(algorithm)
    if found is None:
        import Stemmer as Snowball  # no part of an ingest that changes nothing

        # `index.analysis.tokenizer.stem` remembers words itself.
        found = _KNOWN.stemmers[algorithm] = Snowball.Stemmer(algorithm, 0)
    return found
