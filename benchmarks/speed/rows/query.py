"""A warm `search_blog` with the multilingual model in the package, which embeds each query.

That model would take half an hour for the passages of a large blog, so their vectors are those that
cost nothing: to search them takes the same time.
"""

from __future__ import annotations

from dataclasses import replace

from benchmarks.speed.figure import Bound, Figure, Say, figure, timed
from benchmarks.speed.process import server, with_multilingual_model
from benchmarks.speed.stage import Stage
from blog_search_mcp.index.embedders.packaged import E5, OnnxEmbedder

FLOOR = "the model alone on the same query"
MOST = 30.0
"""Milliseconds."""
WARM = 3
"""Queries that are not counted."""


def figures(stage: Stage, say: Say) -> tuple[Figure, ...]:
    """Ask the server and the model in turn, each query once."""
    stage = replace(stage, dimension=E5.identity.dimension)
    queries = stage.queries(stage.runs * 4)
    embedder = OnnxEmbedder(E5)
    asked, floors = [], []
    say("asking")
    with server(with_multilingual_model(stage.index())) as started:
        for query in (*queries[:WARM], *queries):
            asked.append(timed(lambda query=query: started.call("search_blog", {"query": query})))  # type: ignore[misc]
            floors.append(timed(lambda query=query: embedder.embed_query(query)))  # type: ignore[misc]
    what = f"warm search_blog with multilingual-e5-small, {stage.counted():,} chunks"
    taken, least = asked[WARM:], (FLOOR, floors[WARM:])
    return (figure("query", what, "ms", taken, Bound(plus=MOST), least),)
