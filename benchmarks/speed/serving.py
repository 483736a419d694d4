"""What a server takes: to start, to answer, to keep. A stage in, figures out, by row.

All ask real servers over stdin and stdout. Of memory and processor time Linux alone tells.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import faiss
import httpx
import numpy as np

from benchmarks.speed.figure import Bound, Figure, figure, in_turn
from benchmarks.speed.free_embedder import FreeEmbedder
from benchmarks.speed.made_posts import CHUNKS_PER_POST, RARE, RARE_DAY
from benchmarks.speed.paced_ollama import MODEL, Pace, embedder_options, paced_ollama
from benchmarks.speed.process import (
    BARE,
    Server,
    ours,
    ran,
    real_ingest,
    server,
    with_free_embedder,
)
from benchmarks.speed.stage import EMBEDDED, Stage, say
from blog_search_mcp.index.embedders.packaged import E5, OnnxEmbedder
from blog_search_mcp.index.embedders.remote import LOOK_INTERVAL
from blog_search_mcp.index.vectors.store import use_one_thread

BARE_SERVER = "a bare server of two tools on the same SDK"
QUERY = "index latency"

SIZES = (1_000, 10_000, 100_000)
"""Chunks of a blog that grows a hundredfold."""

STARTS = 12
"""Of more than a second each."""
STARTS_BY_SIZE = 10


def start(stage: Stage) -> Iterator[Figure]:
    """From a process's start to its first reply, and from its input's end to its exit."""
    command = ours(stage.index(EMBEDDED))
    replies, floors, ends = [], [], []
    say("starting")
    for _ in range(stage.runs):
        with server(command) as started:
            replies.append(started.first_reply())
            ends.append(started.ended())
        floors.append(_first_reply(BARE))
    yield figure("start to first reply", "ms", replies, Bound(1.05), (BARE_SERVER, floors))
    yield figure("end of input to exit", "ms", ends, Bound(plus=50.0))


def first_search(stage: Stage) -> Iterator[Figure]:
    """From a process's start to its first answered `search_blog`, without and with a model.

    Each is asked as soon as it has said who it is.
    """
    index = stage.index(EMBEDDED)
    commands = {
        "start to first answer": stage.command(),
        "the same, embedded by all-MiniLM-L6-v2": ours(index),
        "the same, embedded by multilingual-e5-small": with_free_embedder(index, "e5"),
    }
    taken: dict[str, list[float]] = {name: [] for name in commands}
    floors = []
    for _ in range(min(stage.runs, STARTS)):
        for name, command in commands.items():
            taken[name].append(_first_answer(command, "search_blog", query=QUERY))
        floors.append(_first_answer(BARE, "imports"))
    say("started")
    bare = "a bare server's first reply, then the import of FAISS, tantivy and onnxruntime in it"
    for name, values in taken.items():
        yield figure(name, "ms", values, Bound(1.1), (bare, floors))


def sizes(stage: Stage) -> Iterator[Figure]:
    """What start and search cost as a blog grows a hundredfold.

    A start is to stay what it is at the smallest size; a search is to grow no faster than FAISS's
    own over all vectors, which reads every one of them.
    """
    stages = [replace(stage, chunks=size) for size in SIZES]
    for one in stages:
        say(f"{one.counted():,} chunks")
    commands = [BARE, *(one.command() for one in stages)]
    taken: list[list[float]] = [[] for _ in commands]
    # each round begins with another command: a process that has just been ended still gives its
    # memory back while the next one starts
    for number in range(min(stage.runs, STARTS_BY_SIZE)):
        for place in range(len(commands)):
            which = (number + place) % len(commands)
            taken[which].append(_first_reply(commands[which]))
    bare, smallest, *larger = taken
    what = "start to first reply, {:,} chunks"
    yield figure(what.format(SIZES[0]), "ms", smallest, None, (BARE_SERVER, bare))
    floor = ("the same of the smallest blog", smallest)
    for size, values in zip(SIZES[1:], larger, strict=True):
        yield figure(what.format(size), "ms", values, Bound(1.05), floor)
    for one in stages:
        chunks = f"{one.chunks:,} chunks, "
        yield _search_beside_faiss(one, stage.runs, lambda _vectors: Bound(1.0, 6.0), chunks)


def search(stage: Stage) -> Iterator[Figure]:
    """A warm `search_blog` without the embedding, beside FAISS's own search alone.

    From 100,000 vectors on the first pass over codes is to halve the time of the flat search.
    """
    yield _search_beside_faiss(
        stage, stage.runs * 4, lambda vectors: Bound(0.5) if vectors >= 100_000 else Bound(1.0, 6.0)
    )


def _search_beside_faiss(
    stage: Stage, count: int, bound: Callable[[int], Bound], chunks: str = ""
) -> Figure:
    """Ask the server and FAISS `count` queries in turn; the bound depends on how many vectors."""
    queries = stage.queries(count)
    embedder = FreeEmbedder(stage.dimension)
    asked = {query: embedder.embed_query(query)[None] for query in queries}
    flat = faiss.IndexFlatIP(stage.dimension)
    for path in stage.vectors():
        flat.add(np.load(path))
    use_one_thread()
    say("asking")
    with server(stage.command()) as started:
        taken, floors = in_turn(
            (*queries[:3], *queries),
            partial(_search, started),
            lambda query: flat.search(asked[query], 150),
            uncounted=3,
        )
    what = f"warm search_blog, {chunks}{flat.ntotal:,} vectors"
    floor = ("FAISS IndexFlatIP in one thread, 150 nearest of the same vectors", floors)
    return figure(what, "ms", taken, bound(flat.ntotal), floor)


def filters(stage: Stage) -> Iterator[Figure]:
    """A search within a filter that keeps a hundredth of the posts, beside one without a filter."""
    queries = stage.queries(stage.runs)
    kept = {"section": RARE, "tag": RARE, "after": RARE_DAY.isoformat()}
    ways: list[dict[str, str]] = [{}, *({name: kept[name]} for name in kept)]
    taken: list[list[float]] = [[] for _ in ways]
    say(f"asking {len(queries)} queries in {len(ways)} ways")
    with server(stage.command()) as started:
        works = [partial(_search, started, **way) for way in ways]
        for query in queries:
            for values, new in zip(taken, in_turn([query] * 3, *works), strict=True):
                values += new
    floor = ("the same queries without a filter", taken[0])
    for name, values in zip(kept, taken[1:], strict=True):
        yield figure(f"warm search_blog, {name} keeps 1 %", "ms", values, Bound(1.0), floor)


def query(stage: Stage) -> Iterator[Figure]:
    """A warm `search_blog` with the multilingual model in the package, which embeds each query.

    That model would take half an hour for the passages of a large blog, so their vectors are those
    that cost nothing: to search them takes the same time.
    """
    queries = stage.queries(stage.runs * 4)
    model = OnnxEmbedder(E5)
    say("asking")
    with server(with_free_embedder(stage.index(EMBEDDED), "e5")) as started:
        taken, floors = in_turn(
            (*queries[:3], *queries), partial(_search, started), model.embed_query, uncounted=3
        )
    what = f"warm search_blog with multilingual-e5-small, {stage.counted():,} chunks"
    floor = ("the model alone on the same query", floors)
    yield figure(what, "ms", taken, Bound(plus=30.0), floor)


def ollama(stage: Stage) -> Iterator[Figure]:
    """A warm `search_blog` whose query an Ollama embeds, beside that embedding alone.

    Questions in quick succession, and each after a pause, when the server looks whether Ollama is
    still the same before and after. A query takes what a small model on a processor takes.
    """
    chunks, warm, paused, pace = 1_000, 5, 8, Pace(0.01, 0.0)
    content, index = stage.work / "ollama", stage.work / "ollama-index"
    stage.write_blog(content, round(chunks / CHUNKS_PER_POST))
    queries = stage.queries(warm + stage.runs * 2 + paused)
    with paced_ollama(Pace(0.0, 0.0)) as url:
        ran(real_ingest(content, index, *embedder_options(url)))

    def after_pauses() -> Iterator[str]:
        for query in queries[-paused:]:
            time.sleep(LOOK_INTERVAL + 0.1)
            yield query

    with (
        paced_ollama(pace) as url,
        httpx.Client(base_url=url, trust_env=False) as bare,
        server((*ours(index), "--embedder-url", url)) as started,
    ):

        def embed(query: str) -> None:
            bare.post("/api/embed", json={"model": MODEL, "input": [query]}).json()

        works = (partial(_search, started), embed)
        often, least = in_turn(queries[:-paused], *works, uncounted=warm)
        seldom, least_seldom = in_turn(after_pauses(), *works, uncounted=0)
    say("asked")
    what = f"warm search_blog with an Ollama of {1000 * pace.text:g} ms, {chunks:,} chunks"
    alone = "the embedding of the same query alone, one request"
    yield figure(what, "ms", often, Bound(1.5), (alone, least))
    yield figure(f"{what}, after a pause", "ms", seldom, None, (alone, least_seldom))


def read(stage: Stage) -> Iterator[Figure]:
    """A warm `read_chunk`, beside a tool of a bare server that gives back as much text."""
    with server(stage.command()) as started, server(BARE) as bare:
        hit = _search(started, QUERY)["structuredContent"]["results"][0]
        place = {"source": hit["source"], "chunk_index": hit["chunk_index"]}
        text = started.call("read_chunk", place)["content"][0]["text"]
        say(f"reading {len(text):,} characters")
        taken, floors = in_turn(
            [text] * (stage.runs * 10 + 1),
            lambda _text: started.call("read_chunk", place),
            lambda text: bare.call("echo", {"text": text}),
        )
    floor = ("a bare server's echo of the same text", floors)
    yield figure("warm read_chunk", "ms", taken, Bound(1.0, 1.0), floor)


def work(stage: Stage) -> Iterator[Figure]:
    """What processor time a warm search costs the server, beside a call that does nothing.

    Whatever else the machine does hardly changes it, so it shows a search that has come to do more.
    A process's processor time is told in hundredths of a second, so many calls are one value. The
    bound, of at most 2,000 chunks: 21.8 in each of two runs under load.
    """
    rounds, queries = 3, stage.queries(40)
    taken, floors = [], []
    say(f"asking {len(queries)} queries {rounds} times")
    with server(stage.command()) as started, server(BARE) as bare:
        _spent(started, "search_blog", "query", queries)
        for _ in range(rounds):
            taken.append(_spent(started, "search_blog", "query", queries))
            floors.append(_spent(bare, "echo", "text", [*queries] * 3))
    what = f"processor time of a warm search_blog, {stage.counted():,} chunks"
    bound = Bound(22.0) if stage.chunks <= 2_000 else None
    yield figure(what, "ms", taken, bound, ("a bare server's echo of the query", floors))


def memory(stage: Stage) -> Iterator[Figure]:
    """What a warm server keeps for itself, and whether a second one shares the vectors' pages."""
    queries, files = stage.queries(stage.runs), stage.vectors()
    with server(stage.command()) as first, server(stage.command()) as second, server(BARE) as bare:
        bare.first_reply()
        for one in (first, second):
            for query in queries:
                _search(one, query)
        say("warm")
        bound, floor = Bound(1.0, 60.0), (BARE_SERVER, [bare.private()])
        yield figure("private memory of a warm server", "MB", [first.private()], bound, floor)
        pages = [one.mapped(files[0].parent) for one in (first, second)]
    megabytes = sum(path.stat().st_size for path in files) / 2**20
    what = "vectors' file held in private memory, of two servers"
    note = f"of {megabytes:,.0f} MB mapped, {pages[1][1]:,.0f} MB of it shared pages"
    yield figure(what, "MB", [sum(own for own, _ in pages)], Bound(plus=0.0), note=note)


def _first_reply(command: tuple[str, ...]) -> float:
    with server(command) as started:
        return started.first_reply()


def _first_answer(command: tuple[str, ...], tool: str, **arguments: str) -> float:
    with server(command) as started:
        started.first_reply()
        started.call(tool, arguments)
        return started.age()


def _search(started: Server, query: str, **filters: str) -> dict[str, Any]:
    return started.call("search_blog", {"query": query, **filters})


def _spent(one: Server, tool: str, name: str, values: Sequence[str]) -> float:
    """Milliseconds of processor time a call."""
    before = one.spent()
    for value in values:
        one.call(tool, {name: value})
    return (one.spent() - before) / len(values)
