"""Ingest a content folder in four stages: plan, prepare, embed, write.

A run takes the writer lock and imports NumPy, FAISS and tantivy only for changes or waiting
vectors. Else it takes little longer than the walk: index files with an old stamp are not hashed.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
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
from blog_search_mcp.ingest.posts.walk import refuse_content_inside
from blog_search_mcp.ingest.report import Counts, Progress, Report
from blog_search_mcp.ingest.workers import WorkerPool

if TYPE_CHECKING:
    from blog_search_mcp.index.folder import FolderStore
    from blog_search_mcp.ingest.embed import EmbeddingQueue
    from blog_search_mcp.ingest.prepare import ParsedResult
    from blog_search_mcp.ingest.write import IndexWriter

GRAIN_NS = 2_000_000_000
"""Resolution of FAT's time stamps in nanoseconds: a file may change twice with the same stamp."""


def ingest(job: Job, progress: Progress) -> Report:
    """Bring the index up to date with the folder.

    Raises ContentError, UsageError, EmbedderError, IngestFailed or IndexProblem. After an error the
    last generation stays live. If a first ingest fails to embed, its keyword index is published.
    """
    started = time.monotonic()
    refuse_content_inside(job.content, job.index)
    with closing(WorkerPool(job.processes)) as workers:
        run = _Ingest(job, progress, workers)
        manifest = run.bring_up_to_date()
    advice = _advise_embedder(run.store, manifest, run.plan)
    return run.counts.report(manifest, advice, time.monotonic() - started)


class _Ingest:
    """One ingest: the state that its stages share."""

    def __init__(self, job: Job, progress: Progress, workers: WorkerPool) -> None:
        self.job = job
        self.progress = progress
        self.workers = workers
        self.store: FolderStore = open_store(job.index)

    def bring_up_to_date(self) -> Manifest:
        """Write the changes, if any, and return the manifest of the generation then live."""
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
        """Compare the folder with the live generation, and read files up to the first change.

        Unchanged files are counted here. The first changed file goes back to the head of
        `results`, a lazy iterator, and is counted when it is written.
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
        """Return the number of the live generation; 0 if there is none, or for a rebuild."""
        try:
            return 0 if self.job.rebuild else self.store.current_number()
        except IndexMissing:
            return 0

    def _prepare(self) -> Iterator[ParsedResult]:
        """Read and prepare the files of the plan, in worker processes if there are many files."""
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
        return self.workers.map(read, self.plan.to_read, skip_post)

    def _write(self) -> Manifest:
        """Write the changes in one generation, then the waiting vectors in one or several more."""
        embedder, manifest = self.plan.choice.embedder, self.plan.base
        if self.job.embeds:
            preload(embedder.identity.name)
        from blog_search_mcp.ingest.embed import EmbeddingQueue
        from blog_search_mcp.ingest.embedding_cache import EmbeddingCache

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
        """Publish all changes, with vectors if at most MAX_INLINE_WINDOWS windows (texts) wait."""
        from blog_search_mcp.ingest.embed import MAX_INLINE_WINDOWS
        from blog_search_mcp.ingest.write import open_index_writer

        self.progress.start("indexing posts", len(self.plan.to_read))
        with open_index_writer(self.store, self.plan.base, queue.embedder.identity) as writer:
            queue.writer = writer
            for result in self.results:
                self.counts.count(result)
                if result.new is not None:
                    queue.put(result.new, writer.add(result.new))
                self.progress.advance(1)
            queue.flush()
            writer.remove(self.counts.removed)
            writer.write_lexical()
            self.counts.require_posts(self.job.content)
            windows = sum(writer.backlog().values())
            if windows <= MAX_INLINE_WINDOWS and self.job.embeds:
                self._embed_windows(queue, windows, windows)
            return self._publish(writer)

    def _embed_windows(self, queue: EmbeddingQueue, most: int, windows: int) -> int:
        """Embed about `most` windows of the backlog; return how many of all `windows` are done.

        Raises EmbedderError. If there is no index yet, a keyword index is published first.
        """
        backlog = queue.writer.backlog()
        self.progress.start("embedding texts", windows, windows - sum(backlog.values()))
        try:
            queue.embed_backlog(backlog, most)
        except EmbedderError as error:
            if self.store.peek_overview() is None:
                self._record(self._publish(queue.writer))
                self.job.on_searchable()
            kept = "The finished embeddings are kept; search by words works. To go on: "
            remedy = "; by a packaged model: ", rebuild_command("embedded"), "."
            cure, hidden = (kept, TO_INGEST, *remedy), error.for_clients
            raise EmbedderError(error.message, cure, for_clients=hidden) from error
        return windows - sum(queue.writer.backlog().values())

    def _write_backlog(self, manifest: Manifest, queue: EmbeddingQueue) -> Manifest:
        """Embed the waiting windows. Publish at the end; if many, also at an eighth and at half."""
        from blog_search_mcp.ingest.embed import MAX_INLINE_WINDOWS
        from blog_search_mcp.ingest.write import open_index_writer

        done, windows = 0, sum(post.waiting for post in manifest.posts.values())
        parts = (part for part in (windows // 8, windows // 2) if part >= MAX_INLINE_WINDOWS)
        for milestone in (*parts, windows):
            if done >= milestone:
                continue
            with open_index_writer(self.store, manifest, queue.embedder.identity) as writer:
                queue.writer = writer
                done = self._embed_windows(queue, milestone - done, windows)
                writer.write_lexical()
                manifest = self._publish(writer)
            self._record(manifest)
        return manifest

    def _publish(self, writer: IndexWriter) -> Manifest:
        self.progress.start("writing the index", 1)
        plan, site = self.plan, self.plan.site
        are_notes = not site.is_configured and any(file.is_note for file in plan.files.values())
        about = (*describe_blog(self.job.content, site.generator.config), are_notes)
        manifest = writer.commit(plan.created, plan.build, about)
        self.counts.problems += [writer.contradiction] if writer.contradiction else []
        self.progress.advance(1)
        return manifest

    def _record(self, manifest: Manifest) -> None:
        """Record the folder's state at the walk; servers compare the folder with it later."""
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
    """Return advice to use a better model; `""` for a new index or a model that was asked for."""
    overview = store.peek_overview() if plan.live_number and not plan.choice.is_asked else None
    if overview is None:
        return ""
    posts = dict(overview.languages)
    posts[""] = overview.posts - sum(posts.values())
    return advise_other_model(manifest.embedder, posts)
