"""What processor time a warm search costs the server, beside a call that does nothing.

Whatever else the machine does hardly changes it, so it shows a search that has come to do more.
Linux alone tells.
"""

from __future__ import annotations

from benchmarks.speed.figure import Bound, Figure, Say, figure
from benchmarks.speed.process import BARE, Server, server
from benchmarks.speed.stage import Stage

FLOOR = "a bare server's echo of the query"
MOST = 22.0
"""Echoes that a search of at most SMALL chunks costs: 21.8 in each of two runs under load."""
SMALL = 2_000
ROUNDS = 3
CALLS = 40
"""Of each server in a round; the processor time of a process is told in hundredths of a second."""


def figures(stage: Stage, say: Say) -> tuple[Figure, ...]:
    """Ask both in turn, many calls at a time."""
    queries = list(stage.queries(CALLS))
    say(f"asking {len(queries)} queries {ROUNDS} times")
    taken, floors = [], []
    with server(stage.command()) as ours, server(BARE) as bare:
        _spent(ours, "search_blog", "query", queries)
        for _ in range(ROUNDS):
            taken.append(_spent(ours, "search_blog", "query", queries))
            floors.append(_spent(bare, "echo", "text", [*queries] * 3))
    what = f"processor time of a warm search_blog, {stage.counted():,} chunks"
    bound = Bound(MOST) if stage.chunks <= SMALL else None
    return (figure("work", what, "ms", taken, bound, (FLOOR, floors)),)


def _spent(one: Server, tool: str, name: str, values: list[str]) -> float:
    """Milliseconds of processor time a call."""
    before = one.spent()
    for value in values:
        one.call(tool, {name: value})
    return (one.spent() - before) / len(values)
