"""Measure one blog: make its indexes, run the queries, sum up the outcomes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.provenance import read_commit
from benchmarks.quality.blog import Embedding, build_indexes, open_index
from benchmarks.quality.search import run_queries, run_retriever
from benchmarks.quality.summary import (
    group_by_kind,
    summarise_fusion,
    summarise_off_topic,
    summarise_retrievers,
)
from benchmarks.quality.types import Measurement, Query
from blog_search_mcp.index.search.ranking import Use
from blog_search_mcp.ingest.report import Progress


@dataclass(frozen=True, slots=True)
class Setup:
    """A blog to measure, where its indexes go, and what it is asked."""

    content: Path
    cache: Path
    embedding: Embedding
    queries: Sequence[Query]
    off_topic: Sequence[Query] = ()
    """Queries that the blog has no answer to."""
    rebuild: bool = False


def measure(setup: Setup, progress: Progress, command: str) -> Measurement:
    """Make the indexes, run every query, summarise. Raises BlogSearchError."""
    every = (*setup.queries, *setup.off_topic)
    indexes = build_indexes(
        setup.content, every, setup.cache, setup.embedding, progress, rebuild=setup.rebuild
    )
    opened = {index: open_index(index, setup.embedding) for index in set(map(indexes.of, every))}
    reader = next(iter(opened.values()))
    outcomes = run_queries(lambda query: opened[indexes.of(query)], setup.queries, progress)
    kinds = group_by_kind(setup.queries, outcomes)
    progress.start("searching off topic", len(setup.off_topic))
    foreign = run_retriever(
        lambda query: opened[indexes.of(query)], setup.off_topic, Use.HYBRID, progress
    )
    off_topic = group_by_kind(setup.off_topic, {Use.HYBRID: foreign})
    return Measurement(
        commit=read_commit(),
        command=command,
        posts=len(reader.manifest.posts),
        chunks=reader.manifest.chunks,
        embedder=reader.manifest.embedder.name,
        retrievers=summarise_retrievers(kinds),
        fusion=summarise_fusion(kinds),
        off_topic=summarise_off_topic(kinds, off_topic) if off_topic else (),
    )
