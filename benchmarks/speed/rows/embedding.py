"""A first ingest with an embedder that takes its time, beside that embedder alone.

Embedders at a fixed pace need nothing of this machine, as Ollama on a graphics card; the one in the
package competes with the ingest for the same processors. The queries of a calibration are texts
too.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from benchmarks.speed.figure import Bound, Figure, Say, figure, timed
from benchmarks.speed.free_embedder import FixedEmbedder
from benchmarks.speed.made_posts import material_of, write_posts
from benchmarks.speed.process import free_ingest, ran, real_ingest
from benchmarks.speed.stage import Stage
from blog_search_mcp.index.embedders.base import Embedder
from blog_search_mcp.index.embedders.packaged import OnnxEmbedder
from blog_search_mcp.index.embedders.registry import Choice
from blog_search_mcp.ingest.embedding import BATCH
from blog_search_mcp.ingest.pipeline import ingest
from blog_search_mcp.ingest.plan import Job
from blog_search_mcp.ingest.report import Progress

PACED = ((400, 0.005), (22, 0.005), (12, 0.03))
"""Posts, and seconds a text: 24,000 chunks in two minutes, which no Ollama did yet, and about what
a small model takes in an Ollama on two cores."""
EMBEDDED_POSTS = 60
WITHIN = 1.05
FLOOR = "the embedder alone on the same texts"


class _Noting(FixedEmbedder):
    """Notes what it is asked for."""

    def __init__(self) -> None:
        super().__init__(384)
        self.texts: list[str] = []

    def embed_documents(self, texts: Sequence[str]):  # type: ignore[no-untyped-def]
        self.texts += texts
        return super().embed_documents(texts)


def figures(stage: Stage, say: Say) -> tuple[Figure, ...]:
    """Each ingest once, and its embedder alone before it."""
    found = []
    for posts, pace in PACED:
        say(f"an embedder of {1000 * pace:g} ms a text, {posts} posts")
        found.append(_figure(stage, posts, pace))
    say("the embedder in the package")
    return (*found, _figure(stage, EMBEDDED_POSTS))


def _figure(stage: Stage, posts: int, pace: float = 0.0) -> Figure:
    """Measure with an embedder of this pace, or without one with that in the package."""
    embedder: Embedder = FixedEmbedder(384, pace) if pace else OnnxEmbedder()
    content = stage.work / f"embedding-{posts}"
    write_posts(content, material_of(stage.blog), posts, stage.seed)
    texts = _texts(stage, posts)
    least = timed(lambda: _embedded(embedder, texts)) / 1000.0
    index = stage.work / f"embedding-{posts}-index"
    command = free_ingest(content, index, 384, pace) if pace else real_ingest(content, index)
    name = f"{1000 * pace:g} ms a text" if pace else "in the package"
    what = f"first ingest with an embedder, {name}, {len(texts):,} texts"
    taken = [ran(command).seconds]
    return figure("embedding", what, "s", taken, Bound(WITHIN), (FLOOR, [least]))


def _texts(stage: Stage, posts: int) -> list[str]:
    """What an ingest of these posts asks an embedder for, in its order."""
    noting = _Noting()
    index = stage.work / f"embedding-{posts}-noted"
    job = Job(
        stage.work / f"embedding-{posts}", index, lambda *_: Choice(noting, "to note"), date.today()
    )
    ingest(job, Progress())
    return noting.texts


def _embedded(embedder: Embedder, texts: Sequence[str]) -> None:
    for start in range(0, len(texts), BATCH):
        embedder.embed_documents(texts[start : start + BATCH])
