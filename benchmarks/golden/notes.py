"""Measures of the judged queries of the project obsidian-hybrid-search on a folder of notes.

A golden set is a list of {"query", "category", "relevant_paths", "partial_paths"}, as in that
project's `eval/golden-sets`; paths are relative to the folder. In nDCG@5, a relevant note counts 1
and a partial one .5. MRR and hit@k use the first relevant note. Each note counts once, at its best
passage.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean, median

from pydantic import BaseModel, TypeAdapter, ValidationError

from benchmarks.options import cache_folder, read_commit, table
from benchmarks.quality.blogs import Embedding, index_posts
from benchmarks.quality.metrics import READ, gain, rank_of
from blog_search_mcp import Filters
from blog_search_mcp.index.errors import UsageError
from blog_search_mcp.server.engine import Engine

PASSAGES = 30
"""Number of hits per query. A note may have several; the first READ notes are judged."""
HEADER = ("commit", "queries", "nDCG@5", "MRR", "hit@1", "hit@5", "ms")


class GoldenQuery(BaseModel):
    """A query, and the notes that answer it completely or in part."""

    query: str
    relevant_paths: tuple[str, ...]
    partial_paths: tuple[str, ...] = ()


def read_golden(path: Path) -> list[GoldenQuery]:
    """Read the judged queries that have a relevant note. Raises UsageError."""
    try:
        judged = TypeAdapter(list[GoldenQuery]).validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        raise UsageError(f"{path} is no list of judged queries: {error}") from error
    return [query for query in judged if query.relevant_paths]


def judge(engine: Engine, judged: GoldenQuery) -> tuple[float, ...]:
    """Ask one query; return nDCG@5, 1 / rank, hit@1, hit@5 and milliseconds."""
    start = time.perf_counter()
    hits = engine.search(judged.query, Filters(), limit=PASSAGES, offset=0).hits
    taken = time.perf_counter() - start
    notes = list(dict.fromkeys(hit.post.source for hit in hits))
    first = rank_of(judged.relevant_paths, notes)
    worth = dict.fromkeys(judged.partial_paths, 0.5) | dict.fromkeys(judged.relevant_paths, 1.0)
    found, best = (
        sum(value * gain(rank) for rank, value in enumerate(values[:READ], 1))
        for values in ([worth.get(note, 0.0) for note in notes], sorted(worth.values())[::-1])
    )
    return found / best, 1 / first, first <= 1, first <= READ, 1000 * taken


def measure_notes(notes: Path, golden: Path, model: str | None) -> Iterator[str]:
    """Index the notes in the user's cache, ask every query, and yield the table.

    Raises BlogSearchError.
    """
    key = hashlib.sha256(f"{notes.resolve()}\n{model}".encode()).hexdigest()[:12]
    place, queries = cache_folder(os.environ) / f"golden-{key}", read_golden(golden)
    engine = index_posts(notes, place, Embedding(model=model))
    *shares, taken = zip(*(judge(engine, query) for query in queries), strict=True)
    figures = [*(f"{fmean(share):.3f}" for share in shares), f"{median(taken):.1f}"]
    row = [read_commit() or "unknown", str(len(queries)), *figures]
    yield table(HEADER, [row], range(1, len(HEADER)))
