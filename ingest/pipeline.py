"""Ingest a content folder in four stages: plan, prepare, embed, write.

`ingest` is what the command and measurements call. Files are read until the first change; only
then is the writer lock taken and are numpy, FAISS and tantivy imported, so that a run without
changes writes nothing and takes little more time than to hash the index.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING

from blog_search_mcp.index.commands import TO_INGEST
from blog_search_mcp.index.embedders.registry import advise_other_model
from blog_search_mcp.index.errors import EmbedderError, IndexMissing, UnreadablePost
from blog_search_mcp.index.posts.last_ingest import (
    FileState,
    LastIngest,
    format_folder,
    write_last_ingest,
)
from blog_search_mcp.index.posts.walk import SUFFIXES, Skipped, refuse_inside
from blog_search_mcp.index.stores import open_store
from blog_search_mcp.ingest.plan import Plan, make_plan
from blog_search_mcp.ingest.report import Counts, Progress, Report
from blog_search_mcp.ingest.workers import WorkerPool

if TYPE_CHECKING:
    from blog_search_mcp.index.folder import FolderStore
    from blog_search_mcp.index.store.manifest import Manifest
    from blog_search_mcp.index.types import Calibration, Vectors
    from blog_search_mcp.index.writer import IndexWriter
    from blog_search_mcp.ingest.embedding import EmbeddingQueue
    from blog_search_mcp.ingest.plan import Job
    from blog_search_mcp.ingest.prepare import ParsedResult


def ingest(job: Job, progress: Progress) -> Report:
    """Bring the index up to date with the folder.

    Raises ContentError, UsageError, EmbedderError, IngestFailed or IndexProblem with the index
    as it was, or with the words of every post where the rest was still to be embedded.
    """
    started = time.monotonic()
    refuse_inside(job.content, job.index)
    with closing(WorkerPool(job.processes)) as workers:
        stages = _Stages(job, open_store(job.index), workers, progress)
        run, manifest = stages.bring_up_to_date()
    advice = _advise_embedder(stages.store, manifest, run.plan)
    return run.counts.report(manifest, run.plan.choice, advice, time.monotonic() - started)


@dataclass(frozen=True, slots=True)
class _Run:
    """A plan whose files have been read up to the first change."""

    plan: Plan
    counts: Counts
    """Of the files before the first change; the others are counted as they are written."""
    results: Iterator[ParsedResult]
    """Of the changed file and all after it, read as they are consumed."""
    has_changes: bool


@dataclass(frozen=True, slots=True)
class _Stages:
    """One ingest: what all of its stages work with."""

    job: Job
    store: FolderStore
    workers: WorkerPool
    progress: Progress

    def bring_up_to_date(self) -> tuple[_Run, Manifest]:
        """Write what changed, if anything; return what was read and the live manifest."""
        run = self._plan()
        base = run.plan.base
        if base is not None and not (run.has_changes or base.waiting):
            self.store.verify(base, trusts_stamps=True)
            self._record(run, base)
            return run, base
        with self.store.lock_writer():
            if self._live_number() != run.plan.live:
                run = self._plan()
            return run, self._embed(run)

    def _plan(self) -> _Run:
        """Compare the folder with the live generation, and read files to the first change."""
        live = self._live_number()
        plan = make_plan(self.job, self.store.read_manifest(live) if live else None, self.workers)
        counts, results = Counts(plan), self._prepare(plan)
        if plan.removed:
            return _Run(plan, counts, results, has_changes=True)
        for result in results:
            if counts.is_change(result):
                return _Run(plan, counts, chain([result], results), has_changes=True)
            counts.count(result)
        counts.require_posts(self.job.content)
        return _Run(plan, counts, results, has_changes=False)

    def _live_number(self) -> int:
        """Return the live generation's number, 0 without one and for a rebuild."""
        try:
            return 0 if self.job.rebuild else self.store.current_number()
        except IndexMissing:
            return 0

    def _prepare(self, plan: Plan) -> Iterator[ParsedResult]:
        """Read files and make their posts ready, in processes where these pay."""
        if not plan.to_read:
            return iter(())
        from blog_search_mcp.ingest.prepare import make_read_options, prepare_post, skip_post

        prepare = partial(prepare_post, options=make_read_options(self.job, plan))
        return self.workers.map(prepare, plan.to_read, skip_post)

    def _embed(self, run: _Run) -> Manifest:
        """Write what changed, then the backlog; each generation is published when complete."""
        from blog_search_mcp.ingest.embedding import CachedEmbedder, open_embedding_queue

        embedder, manifest, counts = run.plan.choice.embedder, run.plan.base, run.counts
        with ExitStack() as opened:
            cache = opened.enter_context(self.store.open_cache(embedder.identity))
            cached = CachedEmbedder(embedder, cache)
            queue = opened.enter_context(open_embedding_queue(cached))
            if manifest is None or run.has_changes:
                manifest = self._write_changes(run, queue)
            self._record(run, manifest)
            if manifest.waiting:
                self.progress.say(
                    "All posts can be searched by words now. Search by meaning follows for "
                    f"{manifest.waiting:,} of {len(manifest.posts):,}, the newest first."
                )
            manifest = self._write_backlog(run, manifest, queue)
            counts.embedded, counts.without_vector = cached.texts_embedded, queue.without_vector
            counts.problems += cached.warnings
        return manifest

    def _write_changes(self, run: _Run, queue: EmbeddingQueue) -> Manifest:
        """Write a generation with every change; without its vectors where they are many."""
        from blog_search_mcp.ingest.embedding import BATCH, WORDS_FIRST, may_be_many

        plan, counts, progress = run.plan, run.counts, self.progress
        queue.holds_back = may_be_many(plan.to_read)
        progress.start("indexing posts", len(plan.to_read))
        first = list(islice(run.results, BATCH))
        queue.embed_ahead(first)
        from blog_search_mcp.index.writer import open_index_writer  # takes as long as ten texts

        with open_index_writer(self.store, plan.base, plan.choice.embedder.identity) as writer:
            queue.writer = writer
            for result in chain(first, run.results):
                _write_post(writer, result, counts, queue)
                progress.advance(1)
            queue.flush()
            counts.require_posts(self.job.content)
            writer.remove(counts.removed)
            self._write_lexical(writer, counts)
            counts.require_posts(self.job.content)
            if queue.holds_back:
                queue.stop_holding_back()
            self._embed_all(queue.drain(), queue.queued - queue.written)
            windows = sum(writer.backlog().values())
            if windows <= WORDS_FIRST:
                self._embed_all(queue.embed_backlog(windows), windows)
            calibration = plan.base.calibration if plan.base else None
            return self._publish(writer, run, calibration, {})

    def _embed_all(self, steps: Iterator[int], windows: int, done: int = 0) -> None:
        """Take steps of embedding, of so many windows in all, and tell how far they are."""
        self.progress.start("embedding texts", windows, done)
        for step in steps:
            self.progress.advance(step)

    def _write_lexical(self, writer: IndexWriter, counts: Counts) -> None:
        for source, reason in writer.write_lexical(self.workers.map).items():
            counts.refuse(Skipped(source, reason))

    def _write_backlog(self, run: _Run, manifest: Manifest, queue: EmbeddingQueue) -> Manifest:
        """Embed what waits, publishing and recording now and then; return the last manifest."""
        from blog_search_mcp.index.writer import open_index_writer
        from blog_search_mcp.ingest.embedding import milestones

        identity = run.plan.choice.embedder.identity
        queries: dict[str, Vectors] = {}
        windows, before = sum(post.waiting for post in manifest.posts.values()), queue.queued
        for milestone in milestones(windows):
            done = queue.queued - before
            if done >= milestone:
                continue
            with open_index_writer(self.store, manifest, identity) as writer:
                queue.writer = writer
                try:
                    self._embed_all(queue.embed_backlog(milestone - done), windows, done)
                except EmbedderError as error:
                    raise _explain_failure(error, manifest) from error
                self._write_lexical(writer, run.counts)
                manifest = self._publish(writer, run, None, queries)
            self._record(run, manifest)
        return manifest

    def _publish(
        self,
        writer: IndexWriter,
        run: _Run,
        calibration: Calibration | None,
        embedded: dict[str, Vectors],
    ) -> Manifest:
        """Complete the generation and make it live, calibrated unless `calibration` holds.

        `embedded` are queries of the calibration before it, to which this one adds its own.
        """
        from blog_search_mcp.index.store.catalog import translate_disk_errors

        self.progress.start("writing the index", 1)
        writer.complete()
        if calibration is None or calibration.is_stale(writer.chunk_ids()):
            from blog_search_mcp.index.search.calibration import calibrate

            with (
                translate_disk_errors(),
                closing(writer.open_snapshot(run.plan.choice.embedder)) as opened,
            ):
                calibration = calibrate(opened, embedded)
        manifest = writer.commit(run.plan.created, run.plan.build, calibration)
        run.counts.problems += filter(None, (writer.unrelated, writer.contradiction))
        self.progress.advance(1)
        return manifest

    def _record(self, run: _Run, manifest: Manifest) -> None:
        """Record the folder as it was, for servers that compare it with the folder as it is."""
        due = {} if self.job.options.include_drafts else run.counts.due
        seen = LastIngest(
            generation=manifest.generation,
            created=manifest.created,
            walked=run.plan.walked,
            content=format_folder(self.job.content),
            suffixes=SUFFIXES,
            files={
                source: FileState(size=file.size, mtime_ns=file.mtime_ns, due=due.get(source))
                for source, file in run.plan.files.items()
            },
            left_out=tuple(run.counts.left_out),
            waiting=manifest.waiting,
            options=self.job.options,
            cascades=run.plan.cascades,
        )
        write_last_ingest(self.store, seen)


def _write_post(
    writer: IndexWriter, result: ParsedResult, counts: Counts, queue: EmbeddingQueue
) -> None:
    """Write what was read of a post and queue its windows; count it, as skipped if that fails."""
    if result.new is None:
        counts.count(result)
        return
    try:
        chunk_ids = writer.add(result.new)
    except UnreadablePost as error:
        skipped = Skipped(result.source, str(error))
        counts.count(replace(result, new=None, windows=(), skipped=skipped))
        return
    counts.count(result)
    queue.put(result.new, chunk_ids, result.windows)


def _explain_failure(error: EmbedderError, manifest: Manifest) -> EmbedderError:
    """Add to the error what the index has, and how to go on."""
    posts, embedded = len(manifest.posts), len(manifest.posts) - manifest.waiting
    return EmbedderError(
        f"{error} The finished embeddings are kept. Meanwhile all posts can be searched by words, "
        f"{embedded:,} of {posts:,} by meaning. To go on: `{TO_INGEST}`."
    )


def _advise_embedder(store: FolderStore, manifest: Manifest, plan: Plan) -> str:
    """Advise a model that fits the blog as it now is better, if the index had this one before."""
    if not plan.live or plan.choice.is_asked:
        return ""
    overview = store.peek_overview()
    if overview is None:
        return ""
    posts = dict(overview.languages)
    posts[""] = overview.posts - sum(posts.values())
    return advise_other_model(manifest.embedder, posts)
