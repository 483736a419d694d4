"""A warm `read_chunk` over stdio, beside a tool of a bare server that gives back as much text."""

from __future__ import annotations

from benchmarks.speed.figure import Bound, Figure, Say, figure, in_turn
from benchmarks.speed.process import BARE, server
from benchmarks.speed.stage import Stage

FLOOR = "a bare server's echo of the same text"


def figures(stage: Stage, say: Say) -> tuple[Figure, ...]:
    """Ask both in turn."""
    command = stage.command()
    with server(command) as ours, server(BARE) as bare:
        found = ours.call("search_blog", {"query": "index latency"})["structuredContent"]
        hit = found["results"][0]
        asked = {"source": hit["source"], "chunk_index": hit["chunk_index"]}
        text = ours.call("read_chunk", asked)["content"][0]["text"]
        say(f"reading {len(text):,} characters")
        works = (
            lambda: ours.call("read_chunk", asked),
            lambda: bare.call("echo", {"text": text}),
        )
        taken, floors = in_turn(works, stage.runs * 10)
    return (figure("read", "warm read_chunk", "ms", taken, Bound(1.0, 1.0), (FLOOR, floors)),)
