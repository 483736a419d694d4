"""The vectors of the last few queries, so that asking the same again costs nothing."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from index.embedder.base import Vectors

KEPT: Final = 64
"""Queries: more than one conversation asks, in 200 KB."""


class Recent:
    """Vectors by text; the one that was not asked for the longest gives way."""

    def __init__(self, kept: int = KEPT) -> None:
        """`kept` says how many."""
        self._most = kept
        self._lock = threading.Lock()
        self._vectors: OrderedDict[str, Vectors] = OrderedDict()

    def get(self, text: str) -> Vectors | None:
        """The vector, if it is here."""
        with self._lock:
            if text in self._vectors:
                self._vectors.move_to_end(text)
            return self._vectors.get(text)

    def keep(self, text: str, vector: Vectors) -> None:
        """Keep one more."""
        with self._lock:
            self._vectors[text] = vector
            if len(self._vectors) > self._most:
                self._vectors.popitem(last=False)
