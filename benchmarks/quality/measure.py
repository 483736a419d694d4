"""Measure one blog: make its indexes, run the queries, sum up the outcomes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks.quality.blog import Embedding, build_indexes, open_index
from benchmarks.quality.corpora import Corpus
from benchmarks.quality.search import run_queries, run_retriever
from benchmarks.quality.summary import (
    group_by_kind,
    summarise_absence,
    summarise_fusion,
    summarise_retrievers,
)
from benchmarks.quality.types import Measurement, Query
from blog_search_mcp.index.reader import IndexReader
from blog_search_mcp.index.search.ranking import Use
from blog_search_mcp.ingest.report import Progress


def measure(
    corpus: Corpus,
    off_topic: Sequence[Query],
    cache: Path,
    embedding: Embedding,
    progress: Progress,
    *,
    rebuild: bool = False,
) -> Measurement:
    """Make the indexes below `cache`, run every query, summarise. Raises BlogSearchError."""
    unanswered = [*corpus.absent, *off_topic]
    every = [*corpus.queries, *unanswered]
    indexes = build_indexes(
        corpus.content, every, cache, embedding, progress, rebuild=rebuild or None
    )
    opened = {index: open_index(index, embedding) for index in set(map(indexes.of, every))}

    def readers(query: Query) -> IndexReader:
        return opened[indexes.of(query)]

    kinds = group_by_kind(corpus.queries, run_queries(readers, corpus.queries, progress))
    progress.start("searching what is not there", len(unanswered))
    outcomes = {Use.HYBRID: run_retriever(readers, unanswered, Use.HYBRID, progress)}
    manifest = readers(every[0]).manifest
    return Measurement(
        language=corpus.language,
        posts=len(manifest.posts),
        chunks=manifest.chunks,
        embedder=manifest.embedder.name,
        rows=summarise_retrievers(kinds),
        fusion=summarise_fusion(kinds),
        absence=tuple(summarise_absence(kinds, group_by_kind(unanswered, outcomes))),
    )
