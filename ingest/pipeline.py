"""The whole of an ingest: a content folder in, the next generation of its index out.

This is the one function others call (`python -m ingest`, and a server that
watches its content). Files are read until one has changed; only then is the writer
lock taken, so that a run which changes nothing writes nothing, and only then are the libraries
imported that an index is written with, since such a run is to take no time.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from index.content_folder import refuse_inside
from index.errors import IndexMissing
from index.generations import live_number, load_manifest, writer_lock
from index.layout import Layout
from index.manifest import Manifest
from index.seen import note
from index.untouched import verify_unless_untouched
from ingest.job import Job as Job
from ingest.look import Look, look_at
from ingest.progress import Progress
from ingest.report import Embedding, Report
from ingest.run import Run
from ingest.tally import Tally
from ingest.workers import Workers, workers

if TYPE_CHECKING:
    from ingest.outcome import Outcome


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
            if _live_number(layout, job) != run.look.live:
                helpers.close()
                run = _begin(job, layout, helpers)
            from ingest.indexing import index_posts  # FAISS and tantivy, only where they are needed

            manifest, embedded = index_posts(job, layout, run, helpers, progress)
            note(layout, run.tally.seen(job, manifest))
    return _report(manifest, run, embedded, started)


def _begin(job: Job, layout: Layout, helpers: Workers) -> Run:
    """Look at the folder, and read until a file has changed."""
    live = _live_manifest(layout, job)
    look = look_at(job, live, job.choose(live.embedder if live else None))
    tally, outcomes = Tally(look), _outcomes(job, look, helpers)
    if look.gone:
        return Run(look, tally, outcomes, changes=True)
    for outcome in outcomes:
        if tally.is_change(outcome):
            return Run(look, tally, chain([outcome], outcomes), changes=True)
        tally.count(outcome)
    tally.refuse_none(job)
    return Run(look, tally, outcomes, changes=False)


def _outcomes(job: Job, look: Look, helpers: Workers) -> Iterator[Outcome]:
    if not look.scan.unread:
        return iter(())
    helpers.begin(len(look.scan.unread), "ingest.outcome")
    from ingest.outcome import how_of, outcome_of  # the parsers, likewise

    outcomes = helpers.map(partial(outcome_of, how=how_of(job, look)), look.scan.unread)
    if look.base is None:
        import ingest.indexing  # noqa: F401 - while the processes read the first posts
    return iter(outcomes)


def _unchanged(job: Job, layout: Layout, run: Run, started: float) -> Report:
    base = run.look.base
    assert base is not None
    verify_unless_untouched(layout.generation(base.generation), base)
    note(layout, run.tally.seen(job, base))
    return _report(base, run, Embedding(), started)


def _live_manifest(layout: Layout, job: Job) -> Manifest | None:
    """The live generation's, or `None` if there is none or it shall not count."""
    if job.rebuild:
        return None
    try:
        return load_manifest(layout, live_number(layout))
    except IndexMissing:
        return None


def _live_number(layout: Layout, job: Job) -> int:
    try:
        return 0 if job.rebuild else live_number(layout)
    except IndexMissing:
        return 0


def _report(manifest: Manifest, run: Run, embedded: Embedding, started: float) -> Report:
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
            *run.look.warnings,
            *tally.problems,
        ),
        embedder=choice.embedder.identity.name,
        embedder_reason=choice.reason,
        seconds=round(time.monotonic() - started, 3),
    )
