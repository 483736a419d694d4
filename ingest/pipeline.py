"""Ingest a content folder in four stages: plan, prepare, embed, write.

`ingest` is what the command and measurements call. Files are read until the first change; only
then is the writer lock taken and are numpy, FAISS and tantivy imported, so that a run without
changes writes nothing and takes little more time than to hash the index.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from blog_search_mcp.index.embedders.embedder import rebuild_command
from blog_search_mcp.index.embedders.registry import advise_other_model, preload
from blog_search_mcp.index.errors import EmbedderError, IndexMissing, IndexOutdated
from blog_search_mcp.index.invocation import TO_INGEST
from blog_search_mcp.index.store.manifest import Guard, Manifest
from blog_search_mcp.index.stores import open_store
from blog_search_mcp.ingest.blog import describe_blog
from blog_search_mcp.ingest.last_ingest import FileState, LastIngest, format_folder
from blog_search_mcp.ingest.plan import Job, Plan, make_plan
from blog_search_mcp.ingest.posts.walk import refuse_inside
from blog_search_mcp.ingest.report import Counts, Progress, Report
from blog_search_mcp.ingest.workers import WorkerPool

if TYPE_CHECKING:
    from blog_search_mcp.index.folder import FolderStore
    from blog_search_mcp.ingest.embed import EmbeddingQueue
    from blog_search_mcp.ingest.prepare import ParsedResult
    from blog_search_mcp.ingest.write import IndexWriter

GRAIN_NS = 2_000_000_000
"""Coarsest time stamp of a common file system, FAT's: a file may change again within it."""
LARGE_POST = 64_000
"""Bytes from which on a post is read in a process of its own also in a small blog, so that one that
takes too long can be ended: 1 % of 4,919 posts of eleven blogs are larger."""


def ingest(job: Job, progress: Progress) -> Report:
    """Bring the index up to date with the folder.

    Raises ContentError, UsageError, EmbedderError, IngestFailed or IndexProblem with the index
    as it was, or with the words of every post where the rest was still to be embedded.
    """
    started = time.monotonic()
    refuse_inside(job.content, job.index)
    with closing(WorkerPool(job.processes)) as workers:
        run = _Ingest(job, progress, workers)
        manifest = run.bring_up_to_date()
    advice = _advise_embedder(run.store, manifest, run.plan)
    return run.counts.report(manifest, advice, time.monotonic() - started)


class _Ingest:
    """One ingest: what all of its stages work with."""

    def __init__(self, job: Job, progress: Progress, workers: WorkerPool) -> None:
        self.job = job
        self.progress = progress
        self.workers = workers
        self.store: FolderStore = open_store(job.index)

    def bring_up_to_date(self) -> Manifest:
        """Write what changed, if anything; return the live manifest."""
        self._plan()
        base = self.plan.base
        if base is not None and not (self.has_changes or base.waiting):
            Guard(self.store.layout.generation(base.generation), base)
            self._record(base)
            return base
        with self.store.lock_writer():
            if self._read_live_number() != self.live_number:
                self._plan()
            return self._write()

    def _plan(self) -> None:
        """Compare the folder with the live generation, and read files to the first change.

        It and those after it are counted as they are written; `results` reads them when consumed.
        """
        self.live_number, manifest, embedder = self._read_live_number(), None, None
        try:
            manifest = self.store.read_manifest(self.live_number) if self.live_number else None
        except IndexOutdated as error:
            embedder = error.embedder
        embedder = manifest.embedder if manifest else embedder
        self.plan = make_plan(self.job, manifest, embedder, self.workers)
        self.counts, self.results = Counts(self.plan), self._prepare()
        self.has_changes, base = bool(self.plan.removed), self.plan.base
        if self.has_changes:
            return
        for result in self.results:
            if result.new or (result.skipped and base and result.source in base.posts):
                self.has_changes, self.results = True, chain([result], self.results)
                return
            self.counts.count(result)
        self.counts.require_posts(self.job.content)

    def _read_live_number(self) -> int:
        """Return the live generation's number, 0 without one and for a rebuild."""
        try:
            return 0 if self.job.rebuild else self.store.current_number()
        except IndexMissing:
            return 0

    def _prepare(self) -> Iterator[ParsedResult]:
        """Read files and make their posts ready, in processes where these pay."""
        if not self.plan.to_read:
            return iter(())
        from blog_search_mcp.ingest.prepare import prepare_post, skip_post

        read = partial(
            prepare_post,
            now=self.job.now,
            include_drafts=self.job.options.include_drafts,
            site=self.plan.site,
            measure_coverage=self.plan.choice.embedder.vocabulary_coverage,
        )
        return self.workers.map(
            read, self.plan.to_read, skip_post, lambda item: item.file.size > LARGE_POST
        )

    def _write(self) -> Manifest:
        """Write what changed, then the backlog; each generation is published when complete."""
        embedder, manifest = self.plan.choice.embedder, self.plan.base
        if self.job.embeds:
            preload(embedder.identity.name)
        from blog_search_mcp.index.embedders.cache import EmbeddingCache
        from blog_search_mcp.ingest.embed import EmbeddingQueue

        with EmbeddingCache(self.store.layout.cache, embedder.identity) as cache:
            queue = EmbeddingQueue(embedder, cache, self.progress)
            if manifest is None or self.has_changes:
                manifest = self._write_changes(queue)
            self._record(manifest)
            if not self.job.embeds:
                return manifest
            if manifest.waiting:
                self.progress.say(
                    "All posts can be searched by words now. Search by meaning follows for "
                    f"{manifest.waiting:,} of {len(manifest.posts):,}, the newest first."
                )
                self.job.on_searchable()
            manifest = self._write_backlog(manifest, queue)
            if self.job.rebuild:
                cache.prune()
            self.counts.embedded = queue.texts_sent
            self.counts.without_vector = queue.without_vector
            self.counts.problems += cache.warnings
        return manifest

    def _write_changes(self, queue: EmbeddingQueue) -> Manifest:
        """Write a generation with every change; without its vectors where they are many."""
        from blog_search_mcp.ingest.embed import MAX_INLINE_WINDOWS

        self.progress.start("indexing posts", len(self.plan.to_read))
        with self._open_writer(self.plan.base, queue) as writer:
            for result in self.results:
                self._write_post(result, queue)
                self.progress.advance(1)
            queue.flush()
            writer.remove(self.counts.removed)
            writer.write_lexical()
            self.counts.require_posts(self.job.content)
            windows = sum(writer.backlog().values())
            if windows <= MAX_INLINE_WINDOWS and self.job.embeds:
                self._embed_windows(queue, windows, windows)
            return self._publish(writer)

    @contextmanager
    def _open_writer(self, base: Manifest | None, queue: EmbeddingQueue) -> Iterator[IndexWriter]:
        """Open the writer of a generation, into which `queue` writes."""
        from blog_search_mcp.ingest.write import open_index_writer

        with open_index_writer(self.store, base, self.plan.choice.embedder.identity) as writer:
            queue.writer = writer
            yield writer

    def _write_post(self, result: ParsedResult, queue: EmbeddingQueue) -> None:
        """Write what was read of a post and queue its windows; count it."""
        self.counts.count(result)
        if result.new is not None:
            queue.put(result.new, queue.writer.add(result.new))

    def _embed_windows(self, queue: EmbeddingQueue, most: int, windows: int) -> int:
        """Embed `most` of so many windows; return how many are done.

        Raises EmbedderError once an index that is there, if only of words, can be searched.
        """
        backlog = queue.writer.backlog()
        self.progress.start("embedding texts", windows, windows - sum(backlog.values()))
        try:
            queue.embed_backlog(backlog, most)
        except EmbedderError as error:
            if self.store.peek_overview() is None:
                self._record(self._publish(queue.writer))
                self.job.on_searchable()
            kept = (
                "The finished embeddings are kept; the index can be searched by words. To go on: "
            )
            remedy = "; by a model of the package: ", rebuild_command("embedded"), "."
            cure, hidden = (kept, TO_INGEST, *remedy), error.for_clients
            raise EmbedderError(error.message, cure, for_clients=hidden) from error
        return windows - sum(queue.writer.backlog().values())

    def _write_backlog(self, manifest: Manifest, queue: EmbeddingQueue) -> Manifest:
        """Embed what waits, publishing and recording now and then; return the last manifest."""
        from blog_search_mcp.ingest.embed import MAX_INLINE_WINDOWS

        done, windows = 0, sum(post.waiting for post in manifest.posts.values())
        parts = (part for part in (windows // 8, windows // 2) if part >= MAX_INLINE_WINDOWS)
        for milestone in (*parts, windows):
            if done >= milestone:
                continue
            with self._open_writer(manifest, queue) as writer:
                done = self._embed_windows(queue, milestone - done, windows)
                writer.write_lexical()
                manifest = self._publish(writer)
            self._record(manifest)
        return manifest

    def _publish(self, writer: IndexWriter) -> Manifest:
        """Complete the generation and make it live."""
        self.progress.start("writing the index", 1)
        plan = self.plan
        about = describe_blog(self.job.content, plan.site.generator.config)
        manifest = writer.commit(plan.created, plan.build, about)
        self.counts.problems += [writer.contradiction] if writer.contradiction else []
        self.progress.advance(1)
        return manifest

    def _record(self, manifest: Manifest) -> None:
        """Record the folder as it was, for servers that compare it with the folder as it is."""
        plan = self.plan
        due = {} if self.job.options.include_drafts else self.counts.due
        settled_before = datetime.fromisoformat(plan.created).timestamp() * 1e9 - GRAIN_NS
        files = {
            source: FileState(
                size=file.size,
                mtime_ns=file.mtime_ns,
                ctime_ns=file.ctime_ns,
                settled=file.mtime_ns < settled_before and source not in self.counts.with_parts,
                due=due.get(source),
            )
            for source, file in plan.files.items()
        }
        last = LastIngest(
            generation=manifest.generation,
            created=manifest.created,
            content=format_folder(self.job.content),
            files=files,
            left_out=tuple(self.counts.left_out),
            skipped=self.counts.skipped,
            waiting=manifest.waiting,
            options=self.job.options,
            cascades=plan.cascades,
            inode=self.store.layout.root.stat().st_ino,
        )
        self.store.write_record(last.model_dump_json())


def _advise_embedder(store: FolderStore, manifest: Manifest, plan: Plan) -> str:
    """Advise a model that fits the blog as it now is better, if the index had this one before."""
    overview = store.peek_overview() if plan.live and not plan.choice.is_asked else None
    if overview is None:
        return ""
    posts = dict(overview.languages)
    posts[""] = overview.posts - sum(posts.values())
    return advise_other_model(manifest.embedder, posts)
