"""A blog and queries in, everything one run can say about them out."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.ablations import Ablation, ablated, read_ablation
from benchmarks.blog import Embedding, build_index, open_index
from benchmarks.provenance import commit
from benchmarks.run import ask_all, ask_leg
from benchmarks.summary import ablation_rows, by_kind, fusion_rows, leg_rows, off_topic_rows
from benchmarks.types import AblationRow, Measurement, Outcome, Query
from blog_search_mcp.index.reader import Reader
from blog_search_mcp.index.search.ranking import Use
from blog_search_mcp.index.store.layout import Layout
from blog_search_mcp.ingest.report import Progress


@dataclass(frozen=True, slots=True)
class Bench:
    """A blog to measure, and where its index goes."""

    content: Path
    index: Path
    embedding: Embedding
    rebuild: bool = False

    def reader(self, ablations: Sequence[Ablation], progress: Progress) -> Reader:
        """The opened index, up to date; another one where an ablation shapes it."""
        reshaped = any(ablation.reshapes for ablation in ablations)
        index = _beside(self.index) if reshaped else self.index
        rebuild = self.rebuild or reshaped
        build_index(self.content, index, self.embedding, progress, rebuild=rebuild)
        return open_index(index, self.embedding)


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of a blog."""

    queries: Sequence[Query]
    off_topic: Sequence[Query] = ()
    """Queries that the blog has no answer to."""
    settings: Sequence[str] = ()
    """What to vary beside it, one after the other, each as `--ablate` takes it."""
    ablated: int | None = None
    """Queries of a kind that are asked again for each setting; all if `None`."""


def measure(
    bench: Bench,
    asked: Asked,
    progress: Progress,
    command: str,
    ablations: Sequence[Ablation] = (),
) -> Measurement:
    """Make the index, ask every query, summarise. Raises BlogSearchError.

    `ablations` are those in force already, `command` what the caller was started with.
    """
    reader = bench.reader(ablations, progress)
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
        ablations=tuple(_ablations(bench, asked, outcomes[Use.HYBRID], progress)),
    )


def _off_topic(
    reader: Reader, queries: Sequence[Query], progress: Progress
) -> Mapping[str, Sequence[Outcome]]:
    progress.start("asking off topic", len(queries))
    outcomes = {Use.HYBRID: ask_leg(reader, queries, Use.HYBRID, progress)}
    return {kind: legs[Use.HYBRID] for kind, legs in by_kind(queries, outcomes).items()}


def _ablations(
    bench: Bench, asked: Asked, before: Sequence[Outcome], progress: Progress
) -> Iterator[AblationRow]:
    places = _first_of_each(asked.queries, asked.ablated)
    queries = [asked.queries[place] for place in places]
    unvaried = [before[place] for place in places]
    for setting in asked.settings:
        ablations = [read_ablation(part) for part in setting.split()]
        with ablated(ablations):
            reader = bench.reader(ablations, progress)
            progress.start(setting, len(queries))
            varied = ask_leg(reader, queries, Use.HYBRID, progress)
        yield from ablation_rows(setting, queries, unvaried, varied)


def _first_of_each(queries: Sequence[Query], limit: int | None) -> list[int]:
    """Places of the first `limit` queries of each kind."""
    places: dict[str, list[int]] = {}
    for place, query in enumerate(queries):
        places.setdefault(query.kind, []).append(place)
    return [place for kind in places.values() for place in kind[:limit]]


def _beside(index: Path) -> Path:
    """A folder for ablated indexes, which starts with the embeddings of the ordinary one."""
    ablated_index = index.with_name(f"{index.name}-ablated")
    known, cache = Layout(index).cache, Layout(ablated_index).cache
    if known.is_file() and not cache.exists():
        ablated_index.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(known, cache)
    return ablated_index
