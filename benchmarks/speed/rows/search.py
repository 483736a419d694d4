"""A warm `search_blog` over stdio without the embedding, beside FAISS's own search alone."""

from __future__ import annotations

from typing import Any

import faiss

from benchmarks.speed.figure import Bound, Figure, Say, figure
from benchmarks.speed.free_embedder import FreeEmbedder
from benchmarks.speed.measured import timed
from benchmarks.speed.process import server
from benchmarks.speed.stage import Stage

FLOOR = "FAISS IndexFlatIP, 150 nearest of the same vectors"
NEAREST = 150


def figures(stage: Stage, say: Say) -> tuple[Figure, ...]:
    """Ask the server and FAISS in turn, each query once."""
    queries = stage.queries(stage.runs * 4)
    embedder = FreeEmbedder(stage.dimension)
    flat: Any = faiss.read_index(str(stage.files().vectors), faiss.IO_FLAG_MMAP_IFC)
    asked, floors = [], []
    say(f"asking {len(queries)} queries")
    with server(stage.command()) as started:
        for number, query in enumerate((queries[0], *queries)):
            vector = embedder.embed_query(query)[None]
            took = timed(lambda query=query: started.call("search_blog", {"query": query}))  # type: ignore[misc]
            least = timed(lambda vector=vector: flat.search(vector, NEAREST))  # type: ignore[misc]
            if number:
                asked.append(took)
                floors.append(least)
    what = f"warm search_blog, {flat.ntotal:,} vectors"
    bound = Bound(1.0, 6.0) if stage.chunks < 60_000 else Bound(1.5)
    found = figure("search", what, "ms", asked, bound, (FLOOR, floors))
    tail = figure(
        "search", f"{what}, p95", "ms", [found.p95], Bound(2.0), ("its median", [found.median])
    )
    return (found, tail)
