"""The embedder in the package: texts of 250 word pieces a second, and one query."""

from __future__ import annotations

from benchmarks.speed.figure import Bound, Figure, Say, figure, timed
from benchmarks.speed.made_posts import material_of
from benchmarks.speed.stage import Stage
from blog_search_mcp.index.embedders.packaged import MINILM, OnnxEmbedder

PIECES = 250
TEXTS = 32
ROUNDS = 4
LEAST = 30.0
"""Texts a second, on two cores."""
MOST = 5.0
"""Milliseconds for a query."""


def figures(stage: Stage, say: Say) -> tuple[Figure, ...]:
    """Embed; the first round, in which the model loads, is not counted."""
    embedder, texts = OnnxEmbedder(), _texts(stage)
    say(f"{TEXTS} texts of {PIECES} word pieces")
    times = [timed(lambda: embedder.embed_documents(texts)) for _ in range(ROUNDS + 1)][1:]
    rates = [1000.0 * TEXTS / milliseconds for milliseconds in times]
    say("queries")
    queries = [
        timed(lambda query=query: embedder.embed_query(query))  # type: ignore[misc]
        for query in stage.queries(stage.runs * 2)
    ]
    what = f"embedded embedder, texts of {PIECES} word pieces"
    least = Bound(plus=LEAST, is_least=True)
    return (
        figure("embedder", what, "chunks/s", rates, least),
        figure("embedder", "embedded embedder, a query", "ms", queries, Bound(plus=MOST)),
    )


def _texts(stage: Stage) -> list[str]:
    """Runs of the blog's own text of that many word pieces."""
    tokenizer = MINILM.tokenizer
    ids = tokenizer.encode("\n".join(material_of(stage.blog).blocks), add_special_tokens=False).ids
    runs = [ids[start : start + PIECES] for start in range(0, len(ids) - PIECES, PIECES)]
    return [tokenizer.decode(run) for run in (runs * (TEXTS // len(runs) + 1))[:TEXTS]]
