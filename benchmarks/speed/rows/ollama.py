"""A warm `search_blog` whose query an Ollama embeds, beside that embedding alone.

Questions in quick succession, and each after a pause, when the server looks whether Ollama is still
the same before and after.
"""

from __future__ import annotations

import time

from benchmarks.speed.figure import Bound, Figure, Say, figure, timed
from benchmarks.speed.made_posts import CHUNKS_PER_POST, material_of, write_posts
from benchmarks.speed.paced_ollama import MODEL, Pace, paced_ollama
from benchmarks.speed.process import ollama_ingest, ours, ran, server
from benchmarks.speed.stage import Stage
from blog_search_mcp.index.embedders.guarded import TRUSTED

PACE = Pace(0.01, 0.0)
"""A query's time is that of a small model on a processor, a request to it included."""
CHUNKS = 1_000
FLOOR = "the embedding of the same query alone, one request"
WARM = 5
"""Queries that are not counted."""
PAUSED = 8
"""Queries that come after a pause."""


def figures(stage: Stage, say: Say) -> tuple[Figure, ...]:
    """Ask server and Ollama in turn, each query once."""
    import httpx

    content, index = stage.work / "ollama", stage.work / "ollama-index"
    write_posts(content, material_of(stage.blog), round(CHUNKS / CHUNKS_PER_POST), stage.seed)
    queries = stage.queries(WARM + stage.runs * 2 + PAUSED)
    asked, floors = [], []
    with paced_ollama(Pace(0.0, 0.0)) as url:
        ran(ollama_ingest(content, index, MODEL, url))
    with (
        paced_ollama(PACE) as url,
        httpx.Client(base_url=url, trust_env=False) as bare,
        server((*ours(index), "--embedder-url", url)) as started,
    ):
        for number, query in enumerate(queries):
            if number >= len(queries) - PAUSED:
                time.sleep(TRUSTED + 0.1)
            asked.append(timed(lambda query=query: started.call("search_blog", {"query": query})))  # type: ignore[misc]
            body = {"model": MODEL, "input": [query]}
            floors.append(timed(lambda body=body: bare.post("/api/embed", json=body).json()))  # type: ignore[misc]
    say("asked")
    often, seldom = slice(WARM, -PAUSED), slice(-PAUSED, None)
    what = f"warm search_blog with an Ollama of {1000 * PACE.text:g} ms, {CHUNKS:,} chunks"
    return (
        figure("ollama", what, "ms", asked[often], Bound(1.5), (FLOOR, floors[often])),
        figure(
            "ollama", f"{what}, after a pause", "ms", asked[seldom], None, (FLOOR, floors[seldom])
        ),
    )
