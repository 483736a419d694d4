"""A measurement beside its floor: the least that the same machine needs in the same run.

Seconds of one machine at one hour say little, so a figure is judged by its ratio to the floor,
which is measured in turn with it.
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
    """One row after all its runs, of which there is at least one."""

    what: str
    """The name of the row with its unit: `start to first MCP reply, ms`."""
    taken: Sequence[float]
    floor_of: str
    floors: Sequence[float]
    most: float
    """Most times the floor that the median may be."""

    @property
    def ratio(self) -> float:
        """The median in medians of the floor."""
        return median(self.taken) / median(self.floors)

    @property
    def verdict(self) -> str:
        """The ratio, and whether it is above `most`."""
        excess = f", worse than {self.most:g}" if self.ratio > self.most else ""
        return f"{self.what}: {self.ratio:.2f} times its floor{excess}"


def in_turn(
    inputs: Iterable[T], *works: Callable[[T], object], uncounted: int = 1
) -> list[list[float]]:
    """Return the milliseconds of each work on each input, in turn so that all meet the same load.

    The first inputs are `uncounted`: they fill caches, which belong to no one.
    """

    def milliseconds(work: Callable[[T], object], given: T) -> float:
        started = time.perf_counter()
        work(given)
        return (time.perf_counter() - started) * 1000.0

    rounds = [[milliseconds(work, given) for work in works] for given in inputs]
    return [list(values) for values in zip(*rounds[uncounted:], strict=True)]


def as_table(figures: Iterable[Figure]) -> str:
    """Write the table of figures."""
    return table(HEADER, map(_write_cells, figures), (1, 2, 3, 4, 7))


def _write_cells(figure: Figure) -> list[str]:
    high = sorted(figure.taken)[max(0, -(-95 * len(figure.taken) // 100) - 1)]
    numbers = (median(figure.taken), high, median(figure.floors))
    cells = (f"{number:,.0f}" if number >= 100 else f"{number:.3g}" for number in numbers)
    ratio, most = f"{figure.ratio:.2f}", f"≤ {figure.most:g}"
    ratio = f"**{ratio}**" if figure.ratio > figure.most else ratio
    return [figure.what, *cells, ratio, most, figure.floor_of, str(len(figure.taken))]
