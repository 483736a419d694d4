"""What was measured, what it could at least be, and what it shall be: one line of the table.

Seconds of one machine at one hour say little, so a figure stands beside its floor: the least
that the same machine needs for the same thing in the same run, measured in turn with it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal, TypeAlias, TypeVar

from benchmarks.markdown import table

Unit: TypeAlias = Literal["s", "ms", "MB", "chunks/s"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Bound:
    """What a figure shall not exceed, or, if it is the `least`, not fall below."""

    times: float = 0.0
    """Of the floor; 0 for a bound without one."""
    plus: float = 0.0
    """In the figure's unit."""
    is_least: bool = False

    def limit(self, floor: float) -> float:
        """The bound in the figure's unit."""
        return self.times * floor + self.plus

    def shown(self, unit: str) -> str:
        """`≤ 1.05 × floor`, `≤ floor + 6 ms`, `≤ 50 ms`."""
        floor = {0.0: "", 1.0: "floor"}.get(self.times, f"{self.times:g} × floor")
        plus = f"{self.plus:,g} {unit}" if self.plus or not self.times else ""
        return f"{'≥' if self.is_least else '≤'} {' + '.join(filter(None, (floor, plus)))}"


@dataclass(frozen=True, slots=True)
class Floor:
    """The least that it could take."""

    what: str
    value: float
    """Median, in the figure's unit; 0 if nothing is the least."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One measurement after all its runs."""

    what: str
    """`first reply after start, 24,000 chunks`."""
    unit: Unit
    runs: int
    median: float
    p95: float
    floor: Floor
    bound: Bound | None
    """`None` for a figure that only explains others."""
    note: str
    """What stands in, what was tried."""
    row: str = ""
    """The name that `--rows` knows it by."""

    @property
    def is_met(self) -> bool:
        """Whether the median is within its bound."""
        if self.bound is None:
            return True
        limit = self.bound.limit(self.floor.value)
        return self.median >= limit if self.bound.is_least else self.median <= limit


def figure(
    what: str,
    unit: Unit,
    values: Sequence[float],
    bound: Bound | None = None,
    floor: tuple[str, Sequence[float]] | None = None,
    note: str = "",
) -> Figure:
    """The figure of `values`, of which there is at least one, beside its floor's values."""
    least = Floor(floor[0], median(floor[1])) if floor else Floor("–", 0.0)
    high = percentile(values, 0.95)
    return Figure(what, unit, len(values), median(values), high, least, bound, note)


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that `share` of the values do not exceed; there is at least one."""
    place = -(-share * len(values) // 1) - 1
    return sorted(values)[max(0, int(place))]


def timed(work: Callable[..., object], *arguments: object) -> float:
    """Milliseconds that `work` took."""
    started = time.perf_counter()
    work(*arguments)
    return (time.perf_counter() - started) * 1000.0


def in_turn(
    inputs: Iterable[T], *works: Callable[[T], object], uncounted: int = 1
) -> list[list[float]]:
    """Milliseconds of each work on each input, in turn so that all meet the same load.

    The first inputs are `uncounted`: they fill caches, which belong to no one.
    """
    rounds = [[timed(work, each) for work in works] for each in inputs]
    return [list(values) for values in zip(*rounds[uncounted:], strict=True)]


def as_table(figures: Iterable[Figure]) -> str:
    """The table of docs/performance.md, with all that is known of each figure."""
    numbers = ("Median", "p95", "Floor", "In floors")
    header = ("What", *numbers, "Floor of", "To reach", "Met", "Runs", "Row", "Note")
    return table(header, [tuple(_cells(figure)) for figure in figures], range(1, 5))


def _cells(figure: Figure) -> Iterator[str]:
    floor, bound = figure.floor.value, figure.bound
    yield figure.what
    yield f"{_number(figure.median)} {figure.unit}"
    yield _number(figure.p95)
    yield _number(floor) if floor else "–"
    yield f"{figure.median / floor:.2f}" if floor and figure.median else "–"
    yield figure.floor.what
    yield bound.shown(figure.unit) if bound else "–"
    yield "–" if bound is None else "yes" if figure.is_met else "no"
    yield f"{figure.runs}"
    yield f"`{figure.row}`"
    yield figure.note


def _number(value: float) -> str:
    """Three digits that say something, or all before the point."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
