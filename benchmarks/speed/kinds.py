"""`python -m benchmarks.speed.kinds`: which kind of FAISS index to search vectors with.

The vectors of a made blog's index, or of a real one, in; a table of recall, time, size and time
to build for each number of them out. All kinds search in turn, so that they meet the same load,
each in one thread, as one query is searched.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

import faiss
import numpy as np
from rich.table import Column, Table

from benchmarks.markdown import inserted, markdown
from benchmarks.options import cache_folder, count, folder
from benchmarks.provenance import commit
from benchmarks.speed.figure import percentile
from benchmarks.speed.free_embedder import FreeEmbedder
from benchmarks.speed.machine import this_machine
from benchmarks.speed.measured import timed
from benchmarks.speed.stage import Stage
from blog_search_mcp.index.vectors.memmap import VectorRows, one_thread
from blog_search_mcp.index.vectors.rabitq import CANDIDATES

if TYPE_CHECKING:
    from blog_search_mcp.index.types import Vectors
    from blog_search_mcp.index.vectors.searcher import Ids

MARK = "kinds"
SIZES = (24_000, 100_000)
QUERIES = 60
NEAREST = 20
"""Whose recall is told."""
RERANKED = 200
"""Candidates of scalar quantisation, whose order is nearly right."""

Search = Callable[["Vectors"], "Any"]
"""A query of shape (1, d) in, the places of the nearest out."""


class Kind(NamedTuple):
    """A way to search."""

    name: str
    make: Callable[[Any], Any]
    """The index, filled with rows."""
    candidates: int = 0
    """That are compared whole; 0 for none."""


def kinds(size: int) -> Iterator[Kind]:
    """All that are compared; the first is exact."""
    cells = math.isqrt(size)
    yield Kind("flat", lambda rows: _filled("Flat", rows))
    yield Kind("flat, fp16", lambda rows: _filled("SQfp16", rows))
    yield Kind(f"SQ8, {RERANKED} re-ranked", lambda rows: _filled("SQ8", rows), RERANKED)
    yield Kind("HNSW32, efSearch 128", lambda rows: _filled("HNSW32", rows))
    yield Kind(f"IVF{cells}, nprobe {cells // 8}", lambda rows: _filled(f"IVF{cells},Flat", rows))
    yield Kind(
        f"RaBitQ, {CANDIDATES:,} re-ranked", lambda rows: _filled("RaBitQ", rows), CANDIDATES
    )
    yield Kind(
        f"RaBitQ fast scan, {CANDIDATES:,} re-ranked",
        lambda rows: _filled("RaBitQfs", rows),
        CANDIDATES,
    )


def _filled(description: str, rows: Vectors) -> Any:
    made: Any = faiss.index_factory(rows.shape[1], description, faiss.METRIC_INNER_PRODUCT)
    made.train(rows)
    made.add(rows)
    if hasattr(made, "hnsw"):
        made.hnsw.efSearch = 128
    if hasattr(made, "nprobe"):
        made.nprobe = made.nlist // 8
    return made


def searching(kind: Kind, made: Any, rows: Vectors) -> Search:
    """How `made` is asked for the nearest."""

    def alone(query: Vectors) -> Any:
        return made.search(query, NEAREST)[1][0]

    def reranked(query: Vectors) -> Any:
        places = np.sort(made.search(query, kind.candidates)[1][0])
        cosines = np.einsum("ij,j->i", rows[places], query[0])  # BLAS would wait for its threads
        return places[np.argsort(-cosines)[:NEAREST]]

    return reranked if kind.candidates else alone


def table(rows: Vectors, queries: Sequence[Vectors]) -> Table:
    """All kinds with these rows."""
    numbers = ("Recall@20", "p50 ms", "p95 ms", "In flat's", "Size MB", "Build s")
    shown = Table("Kind", *(Column(name, justify="right") for name in numbers))
    searches: list[tuple[str, Search, float, float]] = []
    for kind in kinds(len(rows)):
        _say(f"  {kind.name}")
        started = time.perf_counter()
        made = kind.make(rows)
        seconds = time.perf_counter() - started
        size = len(faiss.serialize_index(made)) / 2**20
        searches.append((kind.name, searching(kind, made, rows), size, seconds))
    taken, found = _asked([search for _, search, *_ in searches], queries)
    flat = median(taken[0])
    recalls = [
        [recall(rows, *each) for each in zip(queries, found[0], places, strict=True)]
        for places in found
    ]
    for (name, _, size, seconds), times, shares in zip(searches, taken, recalls, strict=True):
        middle = median(times)
        shown.add_row(
            name,
            f"{np.mean(shares):.3f}",
            f"{middle:.2f}",
            f"{percentile(times, 0.95):.2f}",
            f"{middle / flat:.2f}",
            f"{size:,.1f}",
            f"{seconds:.1f}",
        )
    return shown


def recall(rows: Vectors, query: Vectors, exact: Ids, found: Ids) -> float:
    """The share of `found` that is as near as the last of `exact`: of equals any will do."""
    least = float((rows[exact] @ query[0]).min()) - 1e-6
    return float((rows[found[found >= 0]] @ query[0] >= least).sum()) / len(exact)


def _asked(
    searches: Sequence[Search], queries: Sequence[Vectors]
) -> tuple[list[list[float]], list[list[Ids]]]:
    """Milliseconds and what was found, by search and query."""
    taken: list[list[float]] = [[] for _ in searches]
    found: list[list[Ids]] = [[] for _ in searches]
    threads = faiss.omp_get_max_threads()
    one_thread()
    for query in queries:
        for number, search in enumerate(searches):
            places: list[Any] = []
            taken[number].append(timed(lambda s=search, q=query, p=places: p.append(s(q))))  # type: ignore[misc]
            found[number].append(places[0])
    faiss.omp_set_num_threads(threads)
    return taken, found


def rows_of(vectors: Path, size: int) -> Vectors:
    """`size` of the vectors in the file, or all there are, evenly from all over it."""
    opened = VectorRows([vectors], np.zeros(0, dtype=np.int64))
    count = len(opened.ids)
    return opened.at(np.linspace(0, count - 1, min(size, count)).astype(np.int64))


def document(options: argparse.Namespace, work: Path) -> str:
    """The tables with what they were measured by."""
    stage = Stage(options.blog, options.cache, work, options.chunks, options.dim)
    embedder = FreeEmbedder(options.dim)
    queries = [embedder.embed_query(query)[None] for query in stage.queries(QUERIES)]
    parts = [
        f"`python -m benchmarks.speed.kinds --chunks {options.chunks} --dim {options.dim}` at "
        f"`{commit()[:12]}`, {this_machine()}. {len(queries)} queries, one at a time; vectors of "
        f"{options.dim} numbers from the index of a made blog."
    ]
    for size in options.sizes:
        rows = rows_of(stage.files().vectors, size)
        _say(f"{len(rows):,} vectors:")
        parts += [f"{len(rows):,} vectors:", markdown(table(rows, queries))]
    return "\n\n".join(parts) + "\n"


def _say(sentence: str) -> None:
    sys.stderr.write(f"{sentence}\n")
    sys.stderr.flush()


def main() -> int:
    """Measure; the exit status."""
    parser = argparse.ArgumentParser(prog="benchmarks.speed.kinds", description=__doc__)
    parser.add_argument("--sizes", type=count, nargs="+", default=SIZES, metavar="N")
    parser.add_argument("--chunks", type=count, default=max(SIZES), metavar="N", help="of the blog")
    parser.add_argument("--dim", type=int, choices=(384, 768), default=768)
    parser.add_argument("--blog", type=folder, default=Path("content"), metavar="CONTENT")
    parser.add_argument("--write", type=Path, metavar="FILE", help="renew the tables in FILE too")
    parser.set_defaults(cache=cache_folder(os.environ))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        measured = document(options, Path(work))
    if options.write is not None:
        before = options.write.read_text(encoding="utf-8")
        options.write.write_text(inserted(before, measured, MARK), encoding="utf-8")
    sys.stdout.write(measured)
    return 0


if __name__ == "__main__":
    sys.exit(main())
