"""Ingest a content folder: plan, read, embed, write, calibrate, commit.

`ingest` is what `python -m ingest` and measurements call. Files are read until the first change;
only then is the writer lock taken and are numpy, FAISS and tantivy imported, so that a run without
changes writes nothing and takes little more time than to hash the index.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from blog_search_mcp.index.commands import TO_INGEST
from blog_search_mcp.index.embedders.registry import advise_other_model
from blog_search_mcp.index.errors import (
    ContentError,
    EmbedderError,
    IndexMissing,
    UnreadablePost,
)
from blog_search_mcp.index.posts.changes import MAX_NAMES
from blog_search_mcp.index.posts.document import SUFFIXES
from blog_search_mcp.index.posts.last_ingest import (
    FileState,
    LastIngest,
    format_folder,
    write_last_ingest,
)
from blog_search_mcp.index.posts.walk import Skipped, refuse_inside
from blog_search_mcp.index.stores import IndexStore, open_store
from blog_search_mcp.ingest.plan import Plan, make_plan
from blog_search_mcp.ingest.report import (
    INCLUDED,
    EmbeddingCounts,
    LinkCounts,
    Progress,
    Report,
    describe_contradiction,
    describe_unknown,
)
from blog_search_mcp.ingest.workers import LOST, WorkerPool

if TYPE_CHECKING:
    from blog_search_mcp.index.store.manifest import Manifest
    from blog_search_mcp.index.types import Calibration, Contradiction, Vectors
    from blog_search_mcp.index.writer import IndexWriter
    from blog_search_mcp.ingest.embedding import EmbeddingQueue
    from blog_search_mcp.ingest.plan import Job
    from blog_search_mcp.ingest.prepare import ParsedResult


class IngestCounts:
    """Counts of what becomes of the files of a plan, updated as they are read."""

    def __init__(self, plan: Plan) -> None:
        self._before = plan.base.posts if plan.base else {}
        self._skipped = list(plan.skipped)
        self.due = dict(plan.unchanged)
        """By source, the instant at which the same bytes will be treated differently, if any."""
        self.problems: list[str] = []
        self.unknown: dict[str, str] = {}
        """Fields that may keep posts back, and are not known, each with the first source."""
        self.unrelated: dict[str, str] = {}
        """By source, why a post of the index is not related to others."""
        self.contradiction: Contradiction | None = None
        """Of the addresses of posts, where most were read."""
        self.removed = list(plan.removed)
        """Sources to remove that are not added again."""
        self._written: set[str] = set()
        self.kept = len(plan.unchanged)
        self.linked = 0
        """Posts that were read and have a link."""
        self.unlinked: Counter[str] = Counter()
        """Posts that were read and have none, by the reason."""

    def count(self, result: ParsedResult) -> None:
        """Count one file that was read."""
        source = result.source
        self.due[source] = result.due
        self.problems += result.problems
        for name in result.unknown:
            self.unknown.setdefault(name, source)
        if result.new is not None:
            self.linked += not result.no_link
            self.unlinked.update(filter(None, [result.no_link]))
        if result.skipped is not None:
            self._skipped.append(result.skipped)
            self.removed += [source] if source in self._before else []
        elif result.new is None:
            self.kept += 1
        else:
            self._written.add(source)

    def refuse(self, skipped: Skipped) -> None:
        """Count a post that the index did not take, though it was kept or read before."""
        source = skipped.source
        self._skipped.append(skipped)
        self.removed += [source] if source in self._before else []
        if source in self._written:
            self._written.remove(source)
        else:
            self.kept -= 1

    @property
    def added(self) -> int:
        """Posts that are new in the index."""
        return len(self._written - self._before.keys())

    @property
    def changed(self) -> int:
        """Posts that replace what the index had of them."""
        return len(self._written & self._before.keys())

    def is_change(self, result: ParsedResult) -> bool:
        """Whether a file requires a new generation."""
        return result.new is not None or (
            result.skipped is not None and result.source in self._before
        )

    @property
    def skipped(self) -> tuple[Skipped, ...]:
        """Files that are not in the index, sorted by source."""
        return tuple(sorted(self._skipped, key=lambda skipped: skipped.source))

    def require_posts(self, job: Job) -> None:
        """Raise ContentError if no post would be left."""
        if not (self.kept or self.added or self.changed):
            raise ContentError(
                _describe_empty(job, self.skipped), for_clients="There is no post to index."
            )


def _describe_empty(job: Job, skipped: Sequence[Skipped]) -> str:
    """Describe why a folder has no post to index, with the first files that were left out."""
    advice = "Give the folder that holds the posts."
    if not skipped:
        endings = " or ".join((", ".join(SUFFIXES[:-1]), SUFFIXES[-1]))
        return f"No file below {job.content} ends in {endings}. {advice}"
    if any(file.reason in INCLUDED for file in skipped):
        advice = (
            f"`{TO_INGEST} --include-drafts` indexes drafts, future-dated and expired posts too."
        )
    reasons = ((file.source, file.reason.partition(";")[0]) for file in skipped[:MAX_NAMES])
    named = ", ".join(f"{source} ({reason})" for source, reason in reasons)
    more = f" and {len(skipped) - MAX_NAMES:,} more" if len(skipped) > MAX_NAMES else ""
    files = "the only post is" if len(skipped) == 1 else f"all {len(skipped):,} are"
    return f"No post to index below {job.content}: {files} left out, {named}{more}. {advice}"


@dataclass(frozen=True, slots=True)
class Run:
    """A plan whose files have been read up to the first change."""

    plan: Plan
    counts: IngestCounts
    """Of the files before the first change."""
    results: Iterator[ParsedResult]
    """Of the changed file and all after it, read as they are consumed."""
    has_changes: bool

    @property
    def is_complete(self) -> bool:
        """Whether the live generation has everything, also the vectors of its posts."""
        base = self.plan.base
        return not self.has_changes and base is not None and not base.waiting


def ingest(job: Job, progress: Progress) -> Report:
    """Bring the index up to date with the folder.

    Raises ContentError, UsageError, EmbedderError, IngestFailed or IndexProblem with the index
    as it was, or with the words of every post where the rest was still to be embedded.
    """
    started = time.monotonic()
    refuse_inside(job.content, job.index)
    store = open_store(job.index)
    with closing(WorkerPool(job.processes)) as workers:
        run, manifest, embedding = _Ingest(job, store, workers, progress).bring_up_to_date()
    advice = _advise_embedder(store, manifest, run.plan)
    return _make_report(manifest, run, embedding, advice, time.monotonic() - started)


@dataclass(frozen=True, slots=True)
class _Ingest:
    """One ingest: what all of its steps work with."""

    job: Job
    store: IndexStore
    workers: WorkerPool
    progress: Progress

    def bring_up_to_date(self) -> tuple[Run, Manifest, EmbeddingCounts]:
        """Write what changed, if anything; return what was read and the live manifest."""
        run = self._read_to_first_change()
        if run.is_complete:
            assert run.plan.base is not None
            self.store.verify(run.plan.base, trusts_stamps=True)
            self._record(run, run.plan.base)
            return run, run.plan.base, EmbeddingCounts()
        with self.store.lock_writer():
            if self._live_number() != run.plan.live:
                run = self._read_to_first_change()
            return run, *self._write_generations(run)

    def _read_to_first_change(self) -> Run:
        live = self._live_number()
        plan = make_plan(self.job, self.store.read_manifest(live) if live else None, self.workers)
        counts, results = IngestCounts(plan), self._read_files(plan)
        if plan.removed:
            return Run(plan, counts, results, has_changes=True)
        for result in results:
            if counts.is_change(result):
                return Run(plan, counts, chain([result], results), has_changes=True)
            counts.count(result)
        counts.require_posts(self.job)
        return Run(plan, counts, results, has_changes=False)

    def _live_number(self) -> int:
        """Return the live generation's number, 0 without one and for a rebuild."""
        try:
            return 0 if self.job.rebuild else self.store.current_number()
        except IndexMissing:
            return 0

    def _read_files(self, plan: Plan) -> Iterator[ParsedResult]:
        if not plan.to_read:
            return iter(())
        from blog_search_mcp.ingest.prepare import make_read_options, prepare_post, skip_lost

        prepare = partial(prepare_post, options=make_read_options(self.job, plan))
        return self.workers.map(prepare, plan.to_read, skip_lost)

    def _write_generations(self, run: Run) -> tuple[Manifest, EmbeddingCounts]:
        """Write what changed, then the backlog; each generation is published when complete."""
        from blog_search_mcp.ingest.embedding import CachedEmbedder, open_embedding_queue

        embedder, manifest = run.plan.choice.embedder, run.plan.base
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
        counts = EmbeddingCounts(cached.texts_embedded, queue.without_vector, cached.warnings)
        return manifest, counts

    def _write_changes(self, run: Run, queue: EmbeddingQueue) -> Manifest:
        """Write a generation with every change; without its vectors where they are many."""
        from blog_search_mcp.ingest.embedding import (
            WORDS_FIRST,
            embed_backlog,
            may_be_many,
            read_backlog,
        )

        plan, counts, progress = run.plan, run.counts, self.progress
        queue.holds_back = may_be_many(plan.to_read)
        progress.start("indexing posts", len(plan.to_read))
        first = queue.begin(run.results)
        from blog_search_mcp.index.writer import open_index_writer  # takes as long as ten texts

        with open_index_writer(self.store, plan.base, plan.choice.embedder.identity) as writer:
            queue.writer = writer
            for each in chain(first, run.results):
                result, chunk_ids = _write_post(writer, each)
                counts.count(result)
                if result.new is None:
                    progress.advance(1)
                else:
                    for block in queue.put(result.new, chunk_ids, result.windows):
                        progress.advance(block.posts)
            queue.flush()
            counts.require_posts(self.job)
            writer.remove(counts.removed)
            self._write_lexical(writer, counts)
            counts.require_posts(self.job)
            for block in queue.drain():
                progress.advance(block.posts)
            queue.holds_back = False
            windows = sum(writer.backlog().values())
            if 0 < windows <= WORDS_FIRST:
                progress.start("embedding texts", windows)
                embed_backlog(queue, read_backlog(queue), queue.queued + windows, progress)
            calibration = plan.base.calibration if plan.base else None
            return self._publish(writer, run, calibration, {})

    def _write_lexical(self, writer: IndexWriter, counts: IngestCounts) -> None:
        for source, reason in writer.write_lexical(self.workers.map).items():
            counts.refuse(Skipped(source, reason))

    def _write_backlog(self, run: Run, manifest: Manifest, queue: EmbeddingQueue) -> Manifest:
        """Embed what waits, publishing and recording now and then; return the last manifest."""
        from blog_search_mcp.index.writer import open_index_writer
        from blog_search_mcp.ingest.embedding import embed_backlog, milestones, read_backlog

        plan, progress = run.plan, self.progress
        windows, before = sum(post.waiting for post in manifest.posts.values()), queue.queued
        posts = read_backlog(queue)
        queries: dict[str, Vectors] = {}
        for milestone in milestones(windows):
            done = queue.written - before
            if done >= milestone:
                continue
            progress.start("embedding texts", windows, done)
            with open_index_writer(self.store, manifest, plan.choice.embedder.identity) as writer:
                queue.writer = writer
                try:
                    embed_backlog(queue, posts, before + milestone, progress)
                except EmbedderError as error:
                    raise _explain_failure(error, manifest) from error
                self._write_lexical(writer, run.counts)
                manifest = self._publish(writer, run, None, queries)
            self._record(run, manifest)
        return manifest

    def _publish(
        self,
        writer: IndexWriter,
        run: Run,
        calibration: Calibration | None,
        embedded: dict[str, Vectors],
    ) -> Manifest:
        """Complete the generation and make it live, calibrated unless `calibration` holds.

        `embedded` are queries of the calibration before it, to which this one adds its own.
        """
        from blog_search_mcp.index.store.disk import translate_disk_errors

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
        run.counts.unrelated.update(writer.unrelated)
        run.counts.contradiction = writer.contradiction or run.counts.contradiction
        self.progress.advance(1)
        return manifest

    def _record(self, run: Run, manifest: Manifest) -> None:
        """Record the folder as it was, for servers that compare it with the folder as it is."""
        due = {} if self.job.options.include_drafts else run.counts.due
        skipped = {skip.source: skip.reason for skip in run.counts.skipped}
        lost = {source: reason for source, reason in skipped.items() if reason in LOST}
        files = {
            source: FileState(
                size=file.size,
                mtime_ns=file.mtime_ns,
                due=due.get(source),
                lost=lost.get(source, ""),
            )
            for source, file in run.plan.files.items()
        }
        seen = LastIngest(
            generation=manifest.generation,
            created=manifest.created,
            walked=run.plan.walked,
            content=format_folder(self.job.content),
            suffixes=SUFFIXES,
            files=files,
            waiting=manifest.waiting,
            options=self.job.options,
            cascades=run.plan.cascades,
        )
        write_last_ingest(self.store, seen)


def _write_post(writer: IndexWriter, result: ParsedResult) -> tuple[ParsedResult, tuple[int, ...]]:
    """Write what was read of a post; return its chunks' ids, and it as skipped if that fails."""
    if result.new is None:
        return result, ()
    try:
        return result, writer.add(result.new)
    except UnreadablePost as error:
        skipped = Skipped(result.source, str(error))
        return replace(result, new=None, windows=(), skipped=skipped), ()


def _explain_failure(error: EmbedderError, manifest: Manifest) -> EmbedderError:
    """Add to the error what the index has, and how to go on."""
    posts, known = len(manifest.posts), len(manifest.posts) - manifest.waiting
    return EmbedderError(
        f"{error} The finished embeddings are kept. Meanwhile all posts can be searched by words, "
        f"{known:,} of {posts:,} by meaning. To go on: `{TO_INGEST}`."
    )


def _advise_embedder(store: IndexStore, manifest: Manifest, plan: Plan) -> str:
    """Advise a model that fits the blog as it now is better, if the index had this one before."""
    if not plan.live or plan.choice.is_asked:
        return ""
    overview = store.peek_overview()
    if overview is None:
        return ""
    posts = dict(overview.languages)
    posts[""] = overview.posts - sum(posts.values())
    return advise_other_model(manifest.embedder, posts)


def _make_report(
    manifest: Manifest, run: Run, embedding: EmbeddingCounts, advice: str, took: float
) -> Report:
    choice, counts = run.plan.choice, run.counts
    unrelated = (f"{source}: {reason}" for source, reason in sorted(counts.unrelated.items()))
    return Report(
        generation=manifest.generation,
        posts=len(manifest.posts),
        chunks=manifest.chunks,
        added=counts.added,
        changed=counts.changed,
        removed=len(counts.removed),
        embedded=embedding.texts,
        without_vector=embedding.without_vector,
        skipped=counts.skipped,
        warnings=(
            *choice.warnings(),
            *embedding.warnings,
            *counts.problems,
            *describe_unknown(counts.unknown),
            *unrelated,
            *describe_contradiction(counts.contradiction),
        ),
        links=LinkCounts(counts.linked, dict(counts.unlinked.most_common())),
        embedder=choice.embedder.identity.name,
        embedder_reason=" ".join(filter(None, (choice.reason, advice))),
        seconds=round(took, 3),
    )
