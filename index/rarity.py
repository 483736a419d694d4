"""How much a word of a query says: in how many documents it is in, its rarity out."""

from __future__ import annotations

import math
from collections.abc import Sequence

from index.query import Word, is_pair


def idf(having: int, documents: int) -> float:
    """BM25's inverse document frequency, as tantivy computes it."""
    return math.log1p((max(documents - having, 0) + 0.5) / (having + 0.5))


def limited(words: Sequence[Word], rarities: Sequence[float]) -> list[float]:
    """The rarities of a query's words, where a pair of Han characters may be no word at all.

    Running text has as many pairs across the bounds of words as inside them, and those
    are rarer than any word: one that laps over two others says no more than the rarer of these.
    """
    limits = list(rarities)
    for place in range(1, len(words) - 1):
        left, word, right = (words[place + step].exact for step in (-1, 0, 1))
        if is_pair(word) and left[-1:] + right[:1] == word and is_pair(left) and is_pair(right):
            limits[place] = min(rarities[place], max(rarities[place - 1], rarities[place + 1]))
    return limits
