"""The whole of an ingest: a content folder in, the next generation of its index out.

This is the one function others call (`python -m ingest`, and a server that
watches its content). Files are read until one has changed; only then is the writer
lock taken, so that a run which changes nothing writes nothing, and only then are the libraries
imported that an index is written with, since such a run is to take no time.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from itertools import chain
from typing import TYPE_CHECKING

from blog_search_mcp.index.content.last_ingest import Seen, SeenFile, content_path, note
from blog_search_mcp.index.content.walk import refuse_inside
from blog_search_mcp.index.errors import ContentError, IndexMissing
from blog_search_mcp.index.store.checksums import verify_unless_untouched
from blog_search_mcp.index.store.generations import live_number, load_manifest, writer_lock
from blog_search_mcp.index.store.layout import Layout
from blog_search_mcp.index.store.manifest import Manifest
from blog_search_mcp.ingest.job import Job as Job
from blog_search_mcp.ingest.plan import SUFFIXES, Look, look_at
from blog_search_mcp.ingest.report import Embedding, Progress, Report
from blog_search_mcp.ingest.workers import Workers, workers

if TYPE_CHECKING:
    from blog_search_mcp.index.content.walk import Skipped
    from blog_search_mcp.index.writer import IndexWriter
    from blog_search_mcp.ingest.embedding import ChunkVectors
    from blog_search_mcp.ingest.prepare import Outcome


class Tally:
    """Counts as it goes."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self._before = look.base.posts if look.base else {}
        self._due = dict(look.scan.untouched)
        self._skipped = list(look.scan.skipped)
        self.problems: list[str] = []
        self.removed: list[str] = list(look.gone)
        """Sources to take out that do not come in again."""
        self.added = 0
        self.changed = 0
        self.kept = len(look.scan.untouched)
        """Posts that stay as they were."""

    def count(self, outcome: Outcome) -> None:
        """Count what became of one more file."""
        source = outcome.source
        self._due[source] = outcome.due
        self.problems += outcome.problems
        if outcome.skipped is not None:
            self._skipped.append(outcome.skipped)
            self.removed += [source] if source in self._before else []
        elif outcome.new is None:
            self.kept += 1
        elif source in self._before:
            self.changed += 1
        else:
            self.added += 1

    def is_change(self, outcome: Outcome) -> bool:
        """Whether a file asks for something to be written."""
        return outcome.new is not None or (
            outcome.skipped is not None and outcome.source in self._before
        )

    @property
    def skipped(self) -> tuple[Skipped, ...]:
        """What is left out, by source."""
        return tuple(sorted(self._skipped, key=lambda skip: skip.source))

    def refuse_none(self, job: Job) -> None:
        """Raise ContentError if no post would be left."""
        if not (self.kept or self.added or self.changed):
            raise ContentError(
                f"No post to index below {job.content} ({len(self._skipped)} files left out). "
                "Give the folder that holds the posts."
            )

    def seen(self, job: Job, manifest: Manifest) -> Seen:
        """What a server needs to tell later that the index is behind, and to renew it."""
        due = {} if job.include_drafts else self._due
        files = {
            source: SeenFile(size=file.size, mtime_ns=file.mtime_ns, due=due.get(source))
            for source, file in self._look.files.items()
        }
        return Seen(
            generation=manifest.generation,
            created=manifest.created,
            content=content_path(job.content),
            suffixes=SUFFIXES,
            files=files,
            options=job.asked,
        )


@dataclass(frozen=True, slots=True)
class Run:
    """One look at the folder, and what has become of its files so far."""

    look: Look
    tally: Tally
    """Of the files that were read."""
    outcomes: Iterator[Outcome]
    """Of the others, beginning with one that has changed, if any has."""
    changes: bool


def index_posts(
    job: Job, layout: Layout, run: Run, helpers: Workers, progress: Progress
) -> tuple[Manifest, Embedding]:
    """The generation that was written, and what was embedded for it."""
    # FAISS and tantivy are imported only where they are needed.
    from blog_search_mcp.index.embedders.cache import open_cache
    from blog_search_mcp.index.search.calibration import calibrated
    from blog_search_mcp.index.store.disk import refusals_told
    from blog_search_mcp.index.writer import open_index_writer
    from blog_search_mcp.ingest.embedding import CachedEmbedder, chunk_vectors

    look, embedder = run.look, run.look.choice.embedder
    progress.start("indexing", len(look.scan.unread))
    with (
        open_index_writer(layout, look.base, embedder.identity) as writer,
        open_cache(layout.cache, embedder.identity) as cache,
    ):
        cached = CachedEmbedder(embedder, cache)
        with chunk_vectors(writer, cached) as vectors:
            for outcome in run.outcomes:
                run.tally.count(outcome)
                progress.advance(_put(outcome, writer, vectors))
            vectors.ask()
            run.tally.refuse_none(job)
            writer.remove(run.tally.removed)
            writer.write_lexical(helpers.map)
            for done in vectors.finish():
                progress.advance(done)
        progress.start("writing", 1)
        writer.finish_files()
        with refusals_told():
            calibration = calibrated(writer.files, embedder, look.base, writer.chunks)
        manifest = writer.commit(look.began, look.recipe, calibration)
        progress.advance(1)
    return manifest, Embedding(cached.asked, vectors.without, cached.warnings)


def _put(outcome: Outcome, writer: IndexWriter, vectors: ChunkVectors) -> int:
    """Put what is new of a file in; how many files are done by now."""
    if outcome.new is None:
        return 1
    return vectors.put(outcome.new, writer.add(outcome.new), outcome.windows)


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
    helpers.begin(len(look.scan.unread), "blog_search_mcp.ingest.prepare")
    from blog_search_mcp.ingest.prepare import how_of, outcome_of  # the parsers, likewise

    outcomes = helpers.map(partial(outcome_of, how=how_of(job, look)), look.scan.unread)
    if look.base is None:
        import_module("blog_search_mcp.ingest.embedding")  # while the processes read
        import_module("blog_search_mcp.index.writer")
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
