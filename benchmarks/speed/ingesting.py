"""What an ingest takes, by row: all of a blog, an edit, nothing new, the embedder alone."""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from subprocess import DEVNULL

import httpx

from benchmarks.speed.figure import Bound, Figure, figure, in_turn, timed
from benchmarks.speed.free_embedder import FixedEmbedder
from benchmarks.speed.made_posts import CHUNKS_PER_POST
from benchmarks.speed.paced_ollama import MINILM, MODEL, Pace, embedder_options, paced_ollama
from benchmarks.speed.process import (
    Server,
    free_ingest,
    python,
    ran,
    real_ingest,
    server,
    with_free_embedder,
)
from benchmarks.speed.stage import EMBEDDED, Stage, say
from blog_search_mcp.index.embedders import packaged
from blog_search_mcp.index.embedders.base import WINDOW
from blog_search_mcp.index.embedders.packaged import OnnxEmbedder, PackagedModel
from blog_search_mcp.index.embedders.registry import Choice
from blog_search_mcp.index.store.disk import Layout
from blog_search_mcp.index.types import Vectors
from blog_search_mcp.ingest import pipeline
from blog_search_mcp.ingest.embedding import BATCH
from blog_search_mcp.ingest.plan import Job
from blog_search_mcp.ingest.report import Progress

RUNS = 3
EDITS = 5
SIZES = (1_000, 10_000, 100_000)
"""Chunks of the growing blogs."""
LARGER = Pace(0.02, 0.0005)
"""Of a model like nomic-embed-text on a laptop, which takes about .15 s for a passage."""
PACED = ((400, MINILM, 1), (16, MINILM, 5), (16, LARGER, 3))
"""Posts, the pace, and how often it is measured."""
EMBEDDED_POSTS = 60
LOOKS = 0.02
"""Seconds between two looks whether something has come."""
HASHED = "reading and hashing the files"
FREE = "vectors that cost nothing"


def ingest(stage: Stage) -> Iterator[Figure]:
    """A first ingest without the embedder, beside reading and hashing the files."""
    counted, index = stage.counted(), stage.work / "ingest"
    taken, floors = [], []
    for number in range(RUNS):
        say(f"ingest {number + 1} of {RUNS}")
        floors.append(_hash_all(stage.content))
        taken.append(ran(free_ingest(stage.content, index, stage.dimension)).seconds)
        shutil.rmtree(index)
    what = f"first ingest, {stage.posts:,} posts"
    bound = Bound(plus=round(12.0 * stage.posts / 3_500, 1))
    yield figure(what, "s", taken, bound, (HASHED, floors), f"a new process; {FREE}")
    rates, least = [counted / seconds for seconds in taken], Bound(plus=2_000.0, is_least=True)
    yield figure(f"{what}, rate", "chunks/s", rates, least)


def words(stage: Stage) -> Iterator[Figure]:
    """From the start of a first ingest until every post can be searched by words.

    With the model in the package, until the first generation is live; it is ended there.
    """
    taken, floors = [], []
    for number in range(RUNS):
        say(f"ingest {number + 1} of {RUNS}")
        floors.append(_hash_all(stage.content))
        layout = Layout(stage.work / f"words-{number}")
        started = time.perf_counter()
        with python(real_ingest(stage.content, layout.root), DEVNULL) as process:
            while not layout.current.exists():
                assert process.poll() is None, "the ingest failed"
                time.sleep(LOOKS)
            taken.append(time.perf_counter() - started)
            process.kill()
    what = f"first ingest until {stage.posts:,} posts can be searched by words"
    bound = Bound(plus=round(25.0 * stage.posts / 3_478, 1))
    yield figure(what, "s", taken, bound, (HASHED, floors))


def _hash_all(content: Path) -> float:
    """Seconds of reading and hashing every post."""
    posts = content.rglob("*.md")
    return timed(lambda: [hashlib.sha256(path.read_bytes()).digest() for path in posts]) / 1000.0


def growth(stage: Stage) -> Iterator[Figure]:
    """First ingests of 1,000, 10,000 and 100,000 chunks: what each chunk costs, and the memory.

    Ten times as many may take a tenth more than ten times as long, which a run differs by anyway.
    """
    memory = "the process and its workers together, without files' pages"
    before = None
    for chunks in SIZES:
        say(f"{chunks:,} chunks")
        content, index = stage.work / f"growth-{chunks}", stage.work / f"growth-{chunks}-index"
        stage.write_blog(content, round(chunks / CHUNKS_PER_POST))
        took = ran(free_ingest(content, index, stage.dimension), weighed=True)
        shutil.rmtree(content)
        shutil.rmtree(index)
        what = f"first ingest, about {chunks:,} chunks"
        floor = ("ten times that of a tenth", [10.0 * before]) if before else None
        yield figure(what, "s", [took.seconds], Bound(1.1) if before else None, floor, FREE)
        most = Bound(plus=500.0) if chunks == SIZES[-1] else None
        yield figure(f"{what}, peak", "MB", [took.peak], most, None, memory)
        before = took.seconds


def unchanged(stage: Stage) -> Iterator[Figure]:
    """An ingest of a blog in which nothing has changed, beside a stat of its files."""
    command = real_ingest(stage.content, stage.index(EMBEDDED))
    say("ingesting what has not changed")
    taken, floors = in_turn(
        [stage.content] * (stage.runs // 2 + 1), lambda _content: ran(command), _stat
    )
    what = f"ingest of nothing new, {stage.posts:,} posts, start to exit"
    yield figure(what, "ms", taken, Bound(plus=500.0), ("stat of the files", floors))


def _stat(folder: Path) -> None:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                _stat(Path(entry.path))
            else:
                entry.stat()


def watch(stage: Stage) -> Iterator[Figure]:
    """From the saving of a post to its being found in a running server with `--watch`.

    One paragraph of one post is edited after the other, five seconds after the start and after the
    last edit: any ingest of nothing new has ended by then. The stage's index is of an earlier day
    and is brought up to today before.
    """
    content, index = stage.work / "watch", stage.work / "watch-index"
    shutil.copytree(stage.content, content)
    shutil.copytree(stage.index(), index)
    say("an ingest as of today")
    ran(free_ingest(content, index, stage.dimension))
    command = (*with_free_embedder(index, stage.dimension), str(content))
    posts = sorted(content.rglob("*.md"))
    taken = []
    with server(command) as watching:
        _first(watching, "a question")
        for number in range(EDITS + 1):
            time.sleep(5.0)
            say(f"edit {number} of {EDITS}")
            post = posts[number * len(posts) // (EDITS + 1)]
            milliseconds = _until_first(watching, post, str(post.relative_to(content)), number)
            taken += [milliseconds] if number else []
    what = f"one paragraph edited to found, {stage.counted():,} chunks, with --watch"
    yield figure(what, "ms", taken, Bound(plus=1000.0), None, FREE)


def _until_first(watching: Server, post: Path, source: str, number: int) -> float:
    """Milliseconds from the saving of `post` with a new word to its being the first hit for it."""
    word = f"quux{'abcdefghij'[number]}wort"
    text = f"{post.read_text(encoding='utf-8').rstrip()}\n\nHere stands the {word} of this post.\n"
    assert _first(watching, word) != source
    started = time.perf_counter()
    post.write_text(text, encoding="utf-8")
    while _first(watching, word) != source:
        assert time.perf_counter() < started + 60.0, "an edited post was not found"
        time.sleep(LOOKS)
    return 1000.0 * (time.perf_counter() - started)


def _first(watching: Server, query: str) -> str:
    """Whose passage is shown first; its preview may be another's, by vectors that mean nothing."""
    found = watching.call("search_blog", {"query": query})
    return str(found["structuredContent"]["results"][0]["source"])


def embedding(stage: Stage) -> Iterator[Figure]:
    """A first ingest with an embedder that takes its time, beside that embedder alone.

    An Ollama at a fixed pace needs nothing of this machine, as one on a graphics card; the embedder
    in the package competes with the ingest for the same processors. The queries of a calibration
    are texts too; what asks whether the server is well, and whether a batch is in order, is not.
    """
    for posts, pace, runs in PACED:
        say(f"an Ollama of {pace}, {posts} posts")
        yield _embedding(stage, posts, pace, runs)
    for model in packaged.PACKAGED.values():
        say(f"{model.identity.model} of the package")
        yield _embedding(stage, EMBEDDED_POSTS, model)


def _embedding(stage: Stage, posts: int, embedder: Pace | PackagedModel, runs: int = 1) -> Figure:
    """Measure with an Ollama of this pace, or with this model of the package."""
    content, index = stage.work / f"embedding-{posts}", stage.work / f"embedding-{posts}-index"
    stage.write_blog(content, posts)
    texts = _texts(content, embedder if isinstance(embedder, PackagedModel) else packaged.MINILM)
    taken, least = [], []
    with ExitStack() as stack:
        if isinstance(embedder, PackagedModel):
            name, model = f"{embedder.identity.model} of the package", embedder.identity.model
            embed: Callable[[Sequence[str]], object] = OnnxEmbedder(embedder).embed_documents
            command = real_ingest(content, index, "embedded", "--model", model)
        else:
            name, url = f"an Ollama of {embedder}", stack.enter_context(paced_ollama(embedder))
            command = real_ingest(content, index, *embedder_options(url))
            client = httpx.Client(base_url=url, timeout=300.0, trust_env=False)

            def embed(texts: Sequence[str]) -> object:
                """Embed by one request and nothing more."""
                return client.post("/api/embed", json={"model": MODEL, "input": texts}).json()

        for _ in range(runs):
            batches = [texts[start : start + BATCH] for start in range(0, len(texts), BATCH)]
            least.append(timed(lambda: [embed(batch) for batch in batches]) / 1000.0)  # noqa: B023
            taken.append(ran(command).seconds)
            shutil.rmtree(index)
    what = f"first ingest with {name}, {len(texts):,} texts"
    return figure(what, "s", taken, Bound(1.05), ("the embedder alone on the same texts", least))


class _Noting(FixedEmbedder):
    """Notes what it is asked for."""

    def __init__(self, model: PackagedModel) -> None:
        super().__init__(EMBEDDED)
        self.window_pieces = WINDOW
        self.texts: list[str] = []
        self._model = model

    def __reduce__(self) -> tuple[type[_Noting], tuple[PackagedModel]]:
        """Leave what is noted to this process; others ask how well texts are covered."""
        return _Noting, (self._model,)

    def vocabulary_coverage(self, texts: Sequence[str]) -> list[float]:
        """As the model that is measured."""
        return self._model.measure_coverage(texts)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        self.texts += texts
        return super().embed_documents(texts)


def _texts(content: Path, model: PackagedModel) -> list[str]:
    """What an ingest of these posts asks this model for."""
    noting, index = _Noting(model), content.with_name(f"{content.name}-noted")
    job = Job(content, index, lambda *_: Choice(noting, "to note"), datetime.now(UTC))
    pipeline.ingest(job, Progress())
    shutil.rmtree(index)
    return noting.texts
