"""What start and search cost as a blog grows a hundredfold: one stage in, figures at each size.

A start is to stay what it is at the smallest size; a search is to grow no faster than FAISS's
own over all vectors, which reads every one of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from benchmarks.speed.figure import Bound, Figure, Say, figure
from benchmarks.speed.process import BARE, server
from benchmarks.speed.rows.search import FLOOR, asked_in_turn
from benchmarks.speed.stage import Stage

SIZES = (1_000, 10_000, 100_000)
"""Chunks."""
MOST = 10
"""Starts of each size."""


def figures(stage: Stage, say: Say) -> tuple[Figure, ...]:
    """Start servers of all sizes in turn, then search in each."""
    stages = [replace(stage, chunks=size) for size in SIZES]
    for one in stages:
        say(f"{one.counted():,} chunks")
    return (*_starts(stages, min(stage.runs, MOST)), *(_search(one, say) for one in stages))


def _starts(stages: Sequence[Stage], runs: int) -> list[Figure]:
    commands = [BARE, *(one.command() for one in stages)]
    floors, *sizes = _replies(commands, runs)
    bare = ("a bare server of two tools on the same SDK", floors)
    least = ("the same of the smallest blog", sizes[0])
    first, *others = [
        (f"start to first reply, {size:,} chunks", values)
        for size, values in zip(SIZES, sizes, strict=True)
    ]
    return [
        figure("sizes", first[0], "ms", first[1], None, bare),
        *(figure("sizes", what, "ms", values, Bound(1.05), least) for what, values in others),
    ]


def _replies(commands: Sequence[tuple[str, ...]], runs: int) -> list[list[float]]:
    """By command, what each run took; each round begins with another command.

    A process that has just been ended still gives its memory back while the next one starts.
    """
    taken: list[list[float]] = [[] for _ in commands]
    for number in range(runs):
        for place in range(len(commands)):
            which = (number + place) % len(commands)
            taken[which].append(_reply(commands[which]))
    return taken


def _reply(command: tuple[str, ...]) -> float:
    with server(command) as started:
        return started.first_reply()


def _search(stage: Stage, say: Say) -> Figure:
    asked, floors, vectors = asked_in_turn(stage, stage.runs)
    what = f"warm search_blog, {stage.chunks:,} chunks, {vectors:,} vectors"
    say(f"{what}: {median(asked):.1f} ms beside {median(floors):.1f} ms")
    return figure("sizes", what, "ms", asked, Bound(1.0, 6.0), (FLOOR, floors))
