"""From a process's start to its first answered `search_blog`, lexical and embedded."""

from __future__ import annotations

from benchmarks.speed.figure import Bound, Figure, Say, figure
from benchmarks.speed.process import BARE, ours, server
from benchmarks.speed.stage import Stage

FLOOR = "a bare server's first reply, then the import of FAISS, tantivy and onnxruntime in it"
EMBEDDED = 384
"""Dimension of the embedder in the package, which the server opens by itself."""
MOST = 12
"""Runs, of more than a second each."""


def figures(stage: Stage, say: Say) -> tuple[Figure, ...]:
    """Start all in turn; each is asked as soon as it has said who it is."""
    embedded = ours(stage.index(EMBEDDED))
    free = stage.command()
    by_words, by_meaning, floors = [], [], []
    for _ in range(min(stage.runs, MOST)):
        by_words.append(_answered(free, "search_blog", {"query": "index latency"}))
        by_meaning.append(_answered(embedded, "search_blog", {"query": "index latency"}))
        floors.append(_answered(BARE, "imports", {}))
    say("started")
    floor = (FLOOR, floors)
    model = "embedded by the model in the package"
    return (
        figure("first_search", "start to first answer", "ms", by_words, Bound(1.1), floor),
        figure("first_search", f"the same, {model}", "ms", by_meaning, Bound(1.1), floor),
    )


def _answered(command: tuple[str, ...], tool: str, arguments: dict[str, str]) -> float:
    with server(command) as started:
        started.first_reply()
        started.call(tool, arguments)
        return started.age()
