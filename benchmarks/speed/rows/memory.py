"""What a warm server keeps for itself, and whether a second one shares the vectors' pages."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.speed.figure import Bound, Figure, Say, figure
from benchmarks.speed.process import BARE, Server, server
from benchmarks.speed.stage import Stage

FLOOR = "a bare server of two tools on the same SDK"


def figures(stage: Stage, say: Say) -> tuple[Figure, ...]:
    """Ask two servers a number of queries each, then look at them. Linux alone tells."""
    command = stage.command()
    queries = stage.queries(stage.runs)
    with server(command) as first, server(command) as second, server(BARE) as bare:
        bare.first_reply()
        for one in (first, second):
            _warm(one, queries)
        say("warm")
        floor = (FLOOR, [bare.private()])
        vectors = stage.files().vectors
        megabytes = vectors.stat().st_size / 2**20
        pages = [one.mapped(vectors) for one in (first, second)]
        return (
            figure(
                "memory",
                "private memory of a warm server",
                "MB",
                [first.private()],
                Bound(1.0, 60.0),
                floor,
            ),
            figure(
                "memory",
                "vectors' file held in private memory, of two servers",
                "MB",
                [sum(private for private, _ in pages)],
                Bound(plus=0.0),
                note=f"of {megabytes:,.0f} MB mapped, {pages[1][1]:,.0f} MB of it shared pages",
            ),
        )


def _warm(one: Server, queries: Sequence[str]) -> None:
    for query in queries:
        one.call("search_blog", {"query": query})
