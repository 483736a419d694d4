"""A search within a filter that keeps a hundredth of the posts, beside one without a filter."""

from __future__ import annotations

from functools import partial

from benchmarks.speed.figure import Bound, Figure, Say, figure, in_turn
from benchmarks.speed.made_posts import RARE, RARE_DAY
from benchmarks.speed.process import Server, server
from benchmarks.speed.stage import Stage

FLOOR = "the same queries without a filter"
FILTERS = {"section": RARE, "tag": RARE, "after": RARE_DAY.isoformat()}


def figures(stage: Stage, say: Say) -> tuple[Figure, ...]:
    """Ask every query in all four ways, in turn."""
    queries = stage.queries(stage.runs)
    taken: list[list[float]] = [[] for _ in range(1 + len(FILTERS))]
    say(f"asking {len(queries)} queries in {len(taken)} ways")
    with server(stage.command()) as started:
        for query in queries:
            ways = [{"query": query}, *({"query": query, name: FILTERS[name]} for name in FILTERS)]
            new = in_turn([_ask(started, way) for way in ways], 2)
            taken = [[*values, *more] for values, more in zip(taken, new, strict=True)]
    floor = (FLOOR, taken[0])
    return tuple(
        figure("filters", f"warm search_blog, {name} keeps 1 %", "ms", values, Bound(1.0), floor)
        for name, values in zip(FILTERS, taken[1:], strict=True)
    )


def _ask(started: Server, arguments: dict[str, str]) -> partial[dict[str, object]]:
    return partial(started.call, "search_blog", arguments)
