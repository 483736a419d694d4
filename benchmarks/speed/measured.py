"""Doing things again and again, and how long each time took: callables in, milliseconds out."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

Work = Callable[[], object]


def in_turn(works: Sequence[Work], runs: int) -> list[list[float]]:
    """Milliseconds of each work, one list for each, done in turn so that all meet the same load.

    A first round is not counted: it fills caches, which belong to no one.
    """
    taken: list[list[float]] = [[] for _ in works]
    for number in range(runs + 1):
        for values, work in zip(taken, works, strict=True):
            milliseconds = timed(work)
            if number:
                values.append(milliseconds)
    return taken


def timed(work: Work) -> float:
    """Milliseconds that `work` took."""
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000.0


def by_itself(
    work: Callable[[], float], floor: Callable[[], float], runs: int
) -> list[list[float]]:
    """As `in_turn` for works that measure themselves and return what they found."""
    pairs = [(work(), floor()) for _ in range(runs)]
    return [list(values) for values in zip(*pairs, strict=True)]
