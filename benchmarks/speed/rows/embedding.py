"""A first ingest with an embedder that takes its time, beside that embedder alone.

An Ollama at a fixed pace needs nothing of this machine, as one on a graphics card; the embedder in
the package competes with the ingest for the same processors. The queries of a calibration are
texts too; what asks whether the server is well, and whether a batch is in order, is not.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from datetime import date
from pathlib import Path

from benchmarks.speed.figure import Bound, Figure, Say, figure, timed
from benchmarks.speed.free_embedder import FixedEmbedder
from benchmarks.speed.made_posts import material_of, write_posts
from benchmarks.speed.paced_ollama import MINILM, MODEL, Pace, paced_ollama
from benchmarks.speed.process import ollama_ingest, ran, real_ingest
from benchmarks.speed.stage import Stage
from blog_search_mcp.index.embedders.packaged import OnnxEmbedder, english_coverage
from blog_search_mcp.index.embedders.registry import Choice
from blog_search_mcp.ingest.embedding import BATCH
from blog_search_mcp.ingest.pipeline import ingest
from blog_search_mcp.ingest.plan import Job
from blog_search_mcp.ingest.report import Progress

LARGER = Pace(0.02, 0.0005)
"""Of a model like nomic-embed-text on a laptop, which takes about .15 s for a passage."""
PACED = ((400, MINILM, 1), (22, MINILM, 5), (12, MINILM, 5), (12, LARGER, 3))
"""Posts, the pace, and how often it is measured."""
EMBEDDED_POSTS = 60
WITHIN = 1.05
FLOOR = "the embedder alone on the same texts"

Embed = Callable[[Sequence[str]], object]


class _Noting(FixedEmbedder):
    """Notes what it is asked for."""

    def __init__(self) -> None:
        super().__init__(384)
        self.texts: list[str] = []

    @staticmethod
    def vocabulary_coverage(texts: Sequence[str]) -> list[float]:
        """As the models that are measured; other processes need it without what is noted."""
        return english_coverage(texts)

    def embed_documents(self, texts: Sequence[str]):  # type: ignore[no-untyped-def]
        self.texts += texts
        return super().embed_documents(texts)


def figures(stage: Stage, say: Say) -> tuple[Figure, ...]:
    """Each ingest, and its embedder alone before it."""
    found = []
    for posts, pace, runs in PACED:
        say(f"an Ollama of {pace}, {posts} posts")
        found.append(_figure(stage, posts, pace, runs))
    say("the embedder in the package")
    return (*found, _figure(stage, EMBEDDED_POSTS))


def _figure(stage: Stage, posts: int, pace: Pace | None = None, runs: int = 1) -> Figure:
    """Measure with an Ollama of this pace, or without one with the model in the package."""
    content, index = stage.work / f"embedding-{posts}", stage.work / f"embedding-{posts}-index"
    write_posts(content, material_of(stage.blog), posts, stage.seed)
    texts = _texts(content)
    taken, least = [], []
    with ExitStack() as stack:
        embed: Embed = OnnxEmbedder().embed_documents
        command = real_ingest(content, index)
        if pace is not None:
            url = stack.enter_context(paced_ollama(pace))
            embed = _client(url)
            command = ollama_ingest(content, index, MODEL, url)
        for _ in range(runs):
            least.append(timed(lambda: _embed_all(embed, texts)) / 1000.0)
            taken.append(ran(command).seconds)
            shutil.rmtree(index)
    name = f"an Ollama of {pace}" if pace else "the model in the package"
    what = f"first ingest with {name}, {len(texts):,} texts"
    return figure("embedding", what, "s", taken, Bound(WITHIN), (FLOOR, least))


def _client(url: str) -> Embed:
    """What embeds by one request and nothing more."""
    import httpx

    client = httpx.Client(base_url=url, timeout=300.0, trust_env=False)
    return lambda texts: client.post("/api/embed", json={"model": MODEL, "input": texts}).json()


def _texts(content: Path) -> list[str]:
    """What an ingest of these posts asks an embedder for."""
    noting, index = _Noting(), content.with_name(f"{content.name}-noted")
    ingest(Job(content, index, lambda *_: Choice(noting, "to note"), date.today()), Progress())
    shutil.rmtree(index)
    return noting.texts


def _embed_all(embed: Embed, texts: Sequence[str]) -> None:
    for start in range(0, len(texts), BATCH):
        embed(texts[start : start + BATCH])
