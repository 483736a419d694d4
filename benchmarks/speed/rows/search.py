"""A warm `search_blog` over stdio without the embedding, beside FAISS's own search alone."""

from __future__ import annotations

import faiss
import numpy as np

from benchmarks.speed.figure import Bound, Figure, Say, figure, timed
from benchmarks.speed.free_embedder import FreeEmbedder
from benchmarks.speed.process import server
from benchmarks.speed.stage import Stage
from blog_search_mcp.index.vectors.memmap_store import use_one_thread

FLOOR = "FAISS IndexFlatIP in one thread, 150 nearest of the same vectors"
NEAREST = 150
LARGE = 100_000
"""Vectors from which on the first pass over codes is to halve the time of the flat search."""


def figures(stage: Stage, say: Say) -> tuple[Figure, ...]:
    """Ask the server and FAISS in turn, each query once."""
    say("asking")
    asked, floors, vectors = asked_in_turn(stage, stage.runs * 4)
    what = f"warm search_blog, {vectors:,} vectors"
    bound = Bound(1.0, 6.0) if vectors < LARGE else Bound(0.5)
    found = figure("search", what, "ms", asked, bound, (FLOOR, floors))
    half = figure("search", f"{what}, p95", "ms", [found.p95], Bound(2.0), ("its median", asked))
    return (found, half)


def asked_in_turn(stage: Stage, count: int) -> tuple[list[float], list[float], int]:
    """Milliseconds of the server and of FAISS, asked each query in turn, and how many vectors."""
    queries = stage.queries(count)
    embedder = FreeEmbedder(stage.dimension)
    segments = sorted(stage.files().vectors.glob("*.npy"))
    rows = np.concatenate([np.load(path) for path in segments])
    flat = faiss.IndexFlatIP(rows.shape[1])
    flat.add(rows)
    asked, floors = [], []
    use_one_thread()
    with server(stage.command()) as started:
        for number, query in enumerate((*queries[:3], *queries)):
            vector = embedder.embed_query(query)[None]
            took = timed(lambda query=query: started.call("search_blog", {"query": query}))  # type: ignore[misc]
            least = timed(lambda vector=vector: flat.search(vector, NEAREST))  # type: ignore[misc]
            if number >= 3:
                asked.append(took)
                floors.append(least)
    return asked, floors, flat.ntotal
