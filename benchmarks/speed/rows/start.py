"""From a process's start to its first reply, and from its input's end to its exit."""

from __future__ import annotations

from benchmarks.speed.figure import Bound, Figure, Say, figure
from benchmarks.speed.process import BARE, ours, server
from benchmarks.speed.stage import Stage

FLOOR = "a bare server of two tools on the same SDK"
EMBEDDED = 384
"""Dimension of the embedder in the package, which the server opens by itself."""


def figures(stage: Stage, say: Say) -> tuple[Figure, ...]:
    """Start both servers in turn."""
    command = ours(stage.index(EMBEDDED))
    replies, floors, ends = [], [], []
    say("starting")
    for _ in range(stage.runs):
        with server(command) as started:
            replies.append(started.first_reply())
            ends.append(started.ended())
        with server(BARE) as bare:
            floors.append(bare.first_reply())
    return (
        figure("start", "start to first reply", "ms", replies, Bound(1.05), (FLOOR, floors)),
        figure("start", "end of input to exit", "ms", ends, Bound(plus=50.0)),
    )
