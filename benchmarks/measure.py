"""A blog and queries in, everything one run can say about them out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.blog import Embedding, build_index, open_index
from benchmarks.provenance import commit
from benchmarks.run import ask_all, ask_leg
from benchmarks.summary import by_kind, fusion_rows, leg_rows, off_topic_rows
from benchmarks.types import Measurement, Outcome, Query
from blog_search_mcp.index.reader import Reader
from blog_search_mcp.index.search.ranking import Use
from blog_search_mcp.ingest.report import Progress


@dataclass(frozen=True, slots=True)
class Bench:
    """A blog to measure, and where its index goes."""

    content: Path
    index: Path
    embedding: Embedding
    rebuild: bool = False

    def reader(self, progress: Progress) -> Reader:
        """Bring the index up to date and open it."""
        build_index(self.content, self.index, self.embedding, progress, rebuild=self.rebuild)
        return open_index(self.index, self.embedding)


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of a blog."""

    queries: Sequence[Query]
    off_topic: Sequence[Query] = ()
    """Queries that the blog has no answer to."""


def measure(
    bench: Bench,
    asked: Asked,
    progress: Progress,
    command: str,
) -> Measurement:
    """Make the index, run every query, summarise. Raises BlogSearchError."""
    reader = bench.reader(progress)
    outcomes = ask_all(reader, asked.queries, progress)
    kinds = by_kind(asked.queries, outcomes)
    off_topic = _off_topic(reader, asked.off_topic, progress)
    return Measurement(
        commit=commit(),
        command=command,
        posts=len(reader.manifest.posts),
        chunks=reader.manifest.chunks,
        embedder=reader.manifest.embedder.name,
        legs=leg_rows(kinds),
        fusion=fusion_rows(kinds),
        off_topic=off_topic_rows(kinds, off_topic) if off_topic else (),
    )


def _off_topic(
    reader: Reader, queries: Sequence[Query], progress: Progress
) -> Mapping[str, Sequence[Outcome]]:
    progress.start("asking off topic", len(queries))
    outcomes = {Use.HYBRID: ask_leg(reader, queries, Use.HYBRID, progress)}
    return {kind: legs[Use.HYBRID] for kind, legs in by_kind(queries, outcomes).items()}
