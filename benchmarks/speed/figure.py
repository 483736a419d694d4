"""What was measured, what it could at least be, and what it shall be: one row of the table.

Seconds of one machine at one hour say little, so a figure stands beside its floor: the least
that the same machine needs for the same thing in the same run, measured in turn with it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal, Protocol, TypeAlias

from benchmarks.speed.stage import Stage

Say: TypeAlias = Callable[[str], None]
"""Takes a sentence of progress."""

Unit: TypeAlias = Literal["s", "ms", "MB", "chunks/s", "×", "bytes"]


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

    def holds(self, value: float, floor: float) -> bool:
        """Whether `value` is within it."""
        limit = self.limit(floor)
        return value >= limit if self.is_least else value <= limit

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


NO_FLOOR = Floor("–", 0.0)


@dataclass(frozen=True, slots=True)
class Figure:
    """One measurement after all its runs."""

    row: str
    """The module that measured it."""
    what: str
    """`first reply after start, 24,000 chunks`."""
    unit: Unit
    runs: int
    median: float
    p95: float
    floor: Floor
    bound: Bound | None
    """`None` for a figure that only explains others."""
    note: str = ""
    """What stands in, what was tried."""

    @property
    def is_met(self) -> bool:
        """Whether the median is within its bound."""
        return self.bound is None or self.bound.holds(self.median, self.floor.value)

    @property
    def ratio(self) -> float | None:
        """The median in floors, `None` without one."""
        return self.median / self.floor.value if self.floor.value else None


class Row(Protocol):
    """A module of `benchmarks.speed.rows`."""

    def figures(self, stage: Stage, say: Say) -> tuple[Figure, ...]:
        """Measure."""
        ...


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that `share` of the values do not exceed; there is at least one."""
    ordered = sorted(values)
    place = -(-share * len(ordered) // 1) - 1
    return ordered[max(0, int(place))]


def figure(
    row: str,
    what: str,
    unit: Unit,
    values: Sequence[float],
    bound: Bound | None = None,
    floor: tuple[str, Sequence[float]] | None = None,
    note: str = "",
) -> Figure:
    """The figure of `values`, of which there is at least one, beside its floor's values."""
    least = Floor(floor[0], median(floor[1])) if floor else NO_FLOOR
    middle, high = median(values), percentile(values, 0.95)
    return Figure(row, what, unit, len(values), middle, high, least, bound, note)


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
