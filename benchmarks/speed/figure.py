"""A measurement beside its floor: the minimum that the same machine needs in the same run.

Seconds depend on the machine and its load. So a figure is judged by its ratio to the floor, and
both are measured in turn.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TypeVar

from benchmarks.options import table

T = TypeVar("T")

HEADER = ("what", "median", "p95", "floor", "ratio", "target", "floor of", "runs")


@dataclass(frozen=True, slots=True)
class Figure:
    """One row of the table, with the values of one or more runs."""

    what: str
    """Name of the row with its unit: `start to first MCP reply, ms`."""
    taken: Sequence[float]
    floor_of: str
    floors: Sequence[float]
    most: float
    """Maximum ratio of the median to the floor's median."""

    @property
    def ratio(self) -> float:
        """Ratio of the median to the floor's median."""
        return median(self.taken) / median(self.floors)

    @property
    def verdict(self) -> str:
        """Sentence with the ratio, and whether it is above `most`."""
        excess = f", worse than {self.most:g}" if self.ratio > self.most else ""
        return f"{self.what}: {self.ratio:.2f} times its floor{excess}"


def in_turn(
    inputs: Iterable[T], *works: Callable[[T], object], uncounted: int = 1
) -> list[list[float]]:
    """Return the milliseconds by work and input; works run in turn, so that load is the same.

    The first `uncounted` inputs fill caches, and their times are left out.
    """

    def milliseconds(work: Callable[[T], object], given: T) -> float:
        started = time.perf_counter()
        work(given)
        return (time.perf_counter() - started) * 1000.0

    rounds = [[milliseconds(work, given) for work in works] for given in inputs]
    return [list(values) for values in zip(*rounds[uncounted:], strict=True)]


def as_table(figures: Iterable[Figure]) -> str:
    """Return the figures as a Markdown table."""
    return table(HEADER, map(_write_cells, figures), (1, 2, 3, 4, 7))


def _write_cells(figure: Figure) -> list[str]:
    high = sorted(figure.taken)[max(0, -(-95 * len(figure.taken) // 100) - 1)]
    numbers = (median(figure.taken), high, median(figure.floors))
    cells = (f"{number:,.0f}" if number >= 100 else f"{number:.3g}" for number in numbers)
    ratio, most = f"{figure.ratio:.2f}", f"≤ {figure.most:g}"
    ratio = f"**{ratio}**" if figure.ratio > figure.most else ratio
    return [figure.what, *cells, ratio, most, figure.floor_of, str(len(figure.taken))]
