"""The whole of an ingest: a content folder in, the next generation of its index out.

This is the one function others call (`python -m ingest`, and a server that
watches its content). Files are read until one has changed; only then is the writer
lock taken, so that a run which changes nothing writes nothing. From there on reading,
embedding and writing go on side by side.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain

from index.builder import Building, Start, building
from index.cache import open_cache
from index.content_folder import refuse_inside
from index.errors import IndexMissing
from index.generations import live_number, load_manifest, writer_lock
from index.layout import Layout
from index.manifest import Manifest
from index.seals import verify
from index.seen import note
from ingest.chunk_vectors import ChunkVectors, WithoutVector, chunk_vectors
from ingest.embed import CachedEmbedder
from ingest.job import Job as Job
from ingest.links import warnings
from ingest.look import Look, look_at
from ingest.outcome import Outcome, outcome_of
from ingest.progress import Progress
from ingest.report import Report
from ingest.tally import Tally
from ingest.workers import Workers, workers


@dataclass(frozen=True, slots=True)
class _Run:
    """One look at the folder, and what has become of its files so far."""

    look: Look
    tally: Tally
    """Of the files that were read."""
    outcomes: Iterator[Outcome]
    """Of the others, beginning with one that has changed, if any has."""
    changes: bool


@dataclass(frozen=True, slots=True)
class _Embedded:
    """What embedding came to."""

    asked: int = 0
    without: tuple[WithoutVector, ...] = ()
    warnings: tuple[str, ...] = ()


def ingest(job: Job, progress: Progress) -> Report:
    """Bring the index up to date with the folder.

    Raises ContentError, UsageError, EmbedderError, IngestFailed or IndexProblem with the index
    as it was.
    """
    started = time.monotonic()
    refuse_inside(job.content, job.index)
    layout = Layout(job.index)
    with workers(job.processes) as helpers:
        run = _begin(job, layout, helpers)
        if not run.changes:
            return _unchanged(job, layout, run, started)
        with writer_lock(layout):
            if _number(_live_manifest(layout, job)) != run.look.live:
                helpers.close()
                run = _begin(job, layout, helpers)
            manifest, embedded = _build(job, layout, run, helpers, progress)
            note(layout, run.tally.seen(job, manifest))
    return _report(manifest, run, embedded, started)


def _begin(job: Job, layout: Layout, helpers: Workers) -> _Run:
    """Look at the folder, and read until a file has changed."""
    live = _live_manifest(layout, job)
    look = look_at(job, live, job.choose(live.embedder if live else None))
    tally = Tally(look)
    outcomes = iter(helpers.map(partial(outcome_of, how=look.how(job)), look.scan.unread))
    if look.gone:
        return _Run(look, tally, outcomes, changes=True)
    for outcome in outcomes:
        if tally.is_change(outcome):
            return _Run(look, tally, chain([outcome], outcomes), changes=True)
        tally.count(outcome)
    tally.refuse_none(job)
    return _Run(look, tally, outcomes, changes=False)


def _unchanged(job: Job, layout: Layout, run: _Run, started: float) -> Report:
    base = run.look.base
    assert base is not None
    verify(layout.generation(base.generation), base)
    note(layout, run.tally.seen(job, base))
    return _report(base, run, _Embedded(), started)


def _live_manifest(layout: Layout, job: Job) -> Manifest | None:
    """The live generation's, or `None` if there is none or it shall not count."""
    if job.rebuild:
        return None
    try:
        return load_manifest(layout, live_number(layout))
    except IndexMissing:
        return None


def _number(manifest: Manifest | None) -> int:
    return manifest.generation if manifest else 0


def _build(
    job: Job, layout: Layout, run: _Run, helpers: Workers, progress: Progress
) -> tuple[Manifest, _Embedded]:
    """The generation that was written, and what was embedded for it."""
    look, embedder = run.look, run.look.choice.embedder
    progress.start("indexing", len(look.scan.unread))
    start = Start(look.base, embedder, look.recipe, look.began)
    with building(layout, start) as made, open_cache(layout.cache, embedder.identity) as cache:
        cached = CachedEmbedder(embedder, cache)
        with chunk_vectors(made, cached) as vectors:
            for outcome in run.outcomes:
                run.tally.count(outcome)
                progress.advance(_put(outcome, made, vectors))
            for done in vectors.finish():
                progress.advance(done)
        run.tally.refuse_none(job)
        made.remove(run.tally.removed)
        progress.start("writing", 1)
        manifest = made.finish(helpers.map)
        progress.advance(1)
    return manifest, _Embedded(cached.asked, vectors.without, cached.warnings)


def _put(outcome: Outcome, made: Building, vectors: ChunkVectors) -> int:
    """Put what is new of a file in; how many files are done by now."""
    if outcome.new is None:
        return 1
    return vectors.put(outcome.new, made.add(outcome.new), outcome.windows)


def _report(manifest: Manifest, run: _Run, embedded: _Embedded, started: float) -> Report:
    choice, tally = run.look.choice, run.tally
    return Report(
        generation=manifest.generation,
        posts=len(manifest.posts),
        chunks=manifest.chunks,
        added=tally.added,
        changed=tally.changed,
        removed=len(tally.removed),
        embedded=embedded.asked,
        without_vector=embedded.without,
        skipped=tally.skipped,
        warnings=(
            *choice.warnings(),
            *embedded.warnings,
            *warnings(run.look.site),
            *tally.problems,
        ),
        embedder=choice.embedder.identity.name,
        embedder_reason=choice.reason,
        seconds=round(time.monotonic() - started, 3),
    )
