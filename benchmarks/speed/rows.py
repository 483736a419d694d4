"""The rows of the table: one function each, which takes a stage and returns a figure.

Rows ask real servers over stdin and stdout, and run real ingests. Vectors of passages are made
without a model (`free`), except in `embed`; queries are embedded with the packaged model.
"""

import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import faiss
from markdown_it import MarkdownIt

from benchmarks.speed.figure import Figure, in_turn
from benchmarks.speed.made_posts import CHUNKS_PER_POST, material_of, write_posts
from benchmarks.speed.server import BARE, Server, measure_peak, ours, run_python, server
from blog_search_mcp.index.embedders.embedder import WINDOW, embedding_text
from blog_search_mcp.index.embedders.packaged import MINILM
from blog_search_mcp.index.store.catalog import open_catalog
from blog_search_mcp.index.store.disk import GenerationFiles
from blog_search_mcp.ingest.posts.chunks import split_windows

QUERY = "index latency"
NEAREST = 150
"""Number of nearest vectors that a search gets from FAISS."""
INGESTS, EDITS = 3, 3
TEXTS = 300
"""Approximate number of chunks that the model embeds, as in a small blog."""
IMPORTED = "free", "ingest.prepare", "ingest.embed", "ingest.write"
QUIET = 3.0
"""Seconds to wait before an edit, so that the ingest of the previous one has ended."""
LOOKS = 0.02
"""Seconds between two searches for the edited post."""
PATIENCE = 60.0


@dataclass(frozen=True)
class Stage:
    """A made blog and its index, made once for all rows."""

    blog: Path
    """Folder of the real blog."""
    work: Path
    """Folder for the made blog and its indexes, empty at first."""
    chunks: int
    """Approximate number of chunks of the made blog."""
    runs: int
    """Number of runs of quick rows. Rows slower than a second have fewer runs."""

    @property
    def posts(self) -> int:
        """Number of posts of the made blog."""
        return max(1, round(self.chunks / CHUNKS_PER_POST))

    @cached_property
    def content(self) -> Path:
        """Folder of the made blog's posts."""
        folder = self.work / "content"
        write_posts(folder, material_of(self.blog), self.posts)
        return folder

    @cached_property
    def first_ingest(self) -> tuple[Path, float, float]:
        """The index of `content`, and the milliseconds and peak MB of its ingest."""
        content, folder, started = self.content, self.work / "index", time.perf_counter()
        megabytes = measure_peak("-m", "benchmarks.speed.free", content, folder)
        return folder, (time.perf_counter() - started) * 1000.0, megabytes

    @property
    def index(self) -> Path:
        """The index of `content`."""
        return self.first_ingest[0]

    def queries(self, count: int) -> Sequence[str]:
        """Return `count` queries: headings, and questions made from beginnings of paragraphs."""
        material = material_of(self.blog)
        asked = [heading for heading in material.headings if len(heading.split()) > 1]
        for block in material.blocks:
            words = block.split()
            if block[:1].isalpha() and len(words) > 12:
                asked.append(f"how does {' '.join(words[3:11])}?")
        step = max(1, len(asked) // count)
        return (asked[::step] * (count // max(len(asked[::step]), 1) + 1))[:count]


def start(stage: Stage) -> Figure:
    """Measure the start of a process to its first reply; floor: a bare server."""
    ready = ours(stage.index)
    taken, floors = in_turn(
        range(stage.runs + 1), lambda _: _ask_once(ready), lambda _: _ask_once(BARE)
    )
    floor = "a bare server on the same SDK"
    return Figure("start to first MCP reply, ms", taken, floor, floors, 1.1)


def first(stage: Stage) -> Figure:
    """Measure the start of a process to its first search reply; floor: the libraries' imports."""
    ready = ours(stage.index)
    taken, floors = in_turn(
        range(stage.runs // 3 + 2),
        lambda _: _ask_once(ready, "search_blog", query=QUERY),
        lambda _: _ask_once(BARE, "imports"),
    )
    floor = "a bare server that imports FAISS, tantivy and onnxruntime"
    return Figure("start to first search result, ms", taken, floor, floors, 2.0)


def search(stage: Stage) -> Figure:
    """Measure a warm search; floor: a call, the model, and FAISS over the same vectors."""
    queries = stage.queries(stage.runs * 4)
    flat, model = faiss.IndexFlatIP(MINILM.identity.dimension), MINILM
    for path in sorted(stage.index.glob("generations/*/vectors/*.faiss")):
        flat.add(faiss.read_index(str(path)).reconstruct_n())
    faiss.omp_set_num_threads(1)
    with server(ours(stage.index)) as started, server(BARE) as bare:

        def do_parts(query: str) -> None:
            bare.call("echo", text=query)
            flat.search(model.embed_query(query)[None], NEAREST)

        taken, floors = in_turn(
            (*queries[:3], *queries),
            lambda query: started.call("search_blog", query=query),
            do_parts,
            uncounted=3,
        )
    floor = "all-MiniLM-L6-v2 and FAISS IndexFlatIP alone, for the same query"
    return Figure(f"warm search_blog, {flat.ntotal:,} vectors, ms", taken, floor, floors, 4.0)


def read(stage: Stage) -> Figure:
    """Measure a warm `read_chunk`; floor: a bare server's tool that returns the same text."""
    with server(ours(stage.index)) as started, server(BARE) as bare:
        [hit, *_] = _hits(started, QUERY)
        place = {"source": hit["source"], "chunk_index": hit["chunk_index"]}
        text = started.call("read_chunk", **place)["content"][0]["text"]
        taken, floors = in_turn(
            [text] * (stage.runs * 10 + 1),
            lambda _text: started.call("read_chunk", **place),
            lambda text: bare.call("echo", text=text),
        )
    floor = "a bare server's echo of the same text"
    return Figure("warm read_chunk, ms", taken, floor, floors, 2.5)


def ingest(stage: Stage) -> Figure:
    """Measure a first ingest without a model; floor: parsing the posts' Markdown."""
    parser, index = MarkdownIt("commonmark").enable("table"), stage.work / "ingest"

    def parse(content: Path) -> None:
        for path in content.rglob("*.md"):
            parser.parse(path.read_text(encoding="utf-8"))

    def ingest_anew(content: Path) -> None:
        shutil.rmtree(index, ignore_errors=True)
        run_python("-m", "benchmarks.speed.free", content, index)

    taken, floors = in_turn([stage.content] * INGESTS, ingest_anew, parse, uncounted=0)
    what = f"first ingest, {stage.posts:,} posts, ms"
    return Figure(what, taken, "markdown-it on the same posts, in one process", floors, 8.0)


def peak(stage: Stage) -> Figure:
    """Measure the peak memory of a first ingest; floor: a process with the same imports."""
    modules = (
        f"{'benchmarks.speed' if '.' not in it else 'blog_search_mcp'}.{it}" for it in IMPORTED
    )
    floors = [measure_peak("-c", f"import {', '.join(modules)}")]
    what = f"memory peak of a first ingest, {stage.posts:,} posts, MB"
    taken = [stage.first_ingest[2]]
    return Figure(what, taken, "a process with the same imports", floors, 4.0)


def embed(stage: Stage) -> Figure:
    """Measure a first ingest with the packaged model; floor: the model on the same texts."""
    content, index = stage.work / "few", stage.work / "embedded"
    write_posts(content, material_of(stage.blog), round(TEXTS / CHUNKS_PER_POST))

    def ingest_anew(_texts: Sequence[str]) -> None:
        shutil.rmtree(index, ignore_errors=True)
        model = MINILM.identity.model
        run_python("-m", "blog_search_mcp.ingest", content, "--index", index, "--model", model)

    ingest_anew(())
    catalog = open_catalog(GenerationFiles(max((index / "generations").iterdir())))
    texts = [
        embedding_text(post.title, chunk.headings, window)
        for number, post in catalog.every_post().items()
        for chunk in catalog.chunks_of(number).values()
        for window in split_windows(chunk.plain, WINDOW)
        if chunk.coverage > 0.0
    ]
    texts = [*dict.fromkeys(texts)]
    inputs = [texts] * (INGESTS + 1)
    taken, floors = in_turn(inputs, ingest_anew, MINILM.embed_documents)
    what, floor = f"first ingest of {len(texts)} texts with all-MiniLM-L6-v2, ms", "the model alone"
    return Figure(what, taken, floor, floors, 1.05)


def edit(stage: Stage) -> Figure:
    """Measure saving a post until a `--watch` server finds it; floor: an ingest without changes."""
    for name in ("watched", "still"):
        shutil.copytree(stage.content, stage.work / name / "posts", dirs_exist_ok=True)
        shutil.copytree(stage.index, stage.work / name / "index", dirs_exist_ok=True)
        _ingest_changes(stage.work / name)
    watched = stage.work / "watched"
    posts = sorted((watched / "posts").rglob("*.md"))
    chosen = [posts[number * len(posts) // (EDITS + 1)] for number in range(EDITS + 1)]
    with server(ours(watched / "index", "--watch", watched / "posts")) as watching:

        def wait(_post: Path) -> None:
            _find(watching, "a question")
            time.sleep(QUIET)

        def change(post: Path) -> None:
            word = f"quux{''.join('abcdefghij'[int(digit)] for digit in post.stem[-6:])}wort"
            text = post.read_text(encoding="utf-8").rstrip()
            post.write_text(f"{text}\n\nHere stands the {word} of this post.\n", encoding="utf-8")
            end = time.monotonic() + PATIENCE
            while _find(watching, word) != post.relative_to(watched / "posts").as_posix():
                assert time.monotonic() < end, "an edited post was not found"
                time.sleep(LOOKS)

        _, taken, floors = in_turn(
            chosen, wait, change, lambda _post: _ingest_changes(stage.work / "still")
        )
    floor = "an ingest of nothing new, start to exit"
    return Figure("from save to searchable, with --watch, ms", taken, floor, floors, 5.0)


def _ingest_changes(folder: Path) -> None:
    content, index = folder / "posts", folder / "index"
    run_python("-m", "blog_search_mcp.ingest", content, "--index", index)


def _find(watching: Server, query: str) -> str:
    """Return the source of the first hit, `""` if there is none."""
    hits = _hits(watching, query)
    return str(hits[0]["source"]) if hits else ""


def _hits(started: Server, query: str) -> list[dict[str, Any]]:
    """Return the facts of the hits."""
    reply = started.call("search_blog", query=query, response_format="json")
    return list(reply["structuredContent"]["results"])


def _ask_once(command: tuple[str, ...], tool: str = "", **arguments: Any) -> None:
    """Start a server, wait for its first reply, and call `tool` if it is given."""
    with server(command) as started:
        started.request("server/discover")
        if tool:
            started.call(tool, **arguments)
