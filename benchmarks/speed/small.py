"""Whether anything has become much slower, on any machine: a few rows in, a verdict out.

Only what has a floor in the same run is judged, and generously: a figure fails if it is BEYOND
times what its bound allows in each of ATTEMPTS runs. A busy machine slows figure and floor alike,
and what it does to one of them alone it seldom does three times.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import cast

from benchmarks.speed.figure import Figure, Row, Say
from benchmarks.speed.stage import Stage

ROWS = ("start", "first_search", "filters", "read", "work")
CHUNKS = 1_000
RUNS = 5
BEYOND = 1.5
ATTEMPTS = 3

Measure = Callable[[str], Iterable[Figure]]
"""The figures of a row by its name."""


def slow(rows: Sequence[str], measure: Measure) -> tuple[Figure, ...]:
    """The figures that were beyond their bounds at every attempt, as the last one found them."""
    return tuple(figure for name in rows for figure in _slow(name, measure))


def is_slow(figure: Figure) -> bool:
    """Whether it is BEYOND times what its bound allows; one without a floor never is."""
    if figure.bound is None or not figure.floor.value:
        return False
    return figure.median > BEYOND * figure.bound.limit(figure.floor.value)


def of(stage: Stage, say: Say) -> Measure:
    """Measure rows on `stage`."""

    def measure(name: str) -> Iterable[Figure]:
        row = cast("Row", import_module(f"benchmarks.speed.rows.{name}"))
        return row.figures(stage, say)

    return measure


def _slow(name: str, measure: Measure) -> Iterable[Figure]:
    beyond: dict[str, Figure] = {}
    for attempt in range(ATTEMPTS):
        found = {figure.what: figure for figure in measure(name) if is_slow(figure)}
        beyond = {what: found[what] for what in found if not attempt or what in beyond}
        if not beyond:
            break
    return beyond.values()
