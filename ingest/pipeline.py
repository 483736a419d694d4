"""The whole of an ingest: a content folder in, the next generation of its index out.

This is the one function others call (`python -m ingest`, and a server that
watches its content). It plans first and takes the writer lock only when there
is something to write, so that a run which changes nothing writes nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path

from index.builder import NewPost, NextGeneration, build
from index.content_folder import SourceFile, refuse_inside
from index.embedder.base import Embedder, EmbedderIdentity
from index.embedder.choose import Choice
from index.errors import ContentError, IndexMissing
from index.generations import live_number, load_manifest, writer_lock
from index.languages import language_of
from index.layout import Layout
from index.manifest import IndexedPost, Manifest
from index.seals import verify
from index.seen import Asked, note
from index.types import Chunk, Post
from ingest.chunk_vectors import ChunkVectors, chunk_vectors
from ingest.chunker import chunks
from ingest.links import knowing, linked, warnings
from ingest.mentions import mentions
from ingest.plan import Plan, plan
from ingest.post import ParsedPost
from ingest.progress import Progress
from ingest.recipe import Recipe, recipe
from ingest.report import Report
from ingest.scan import NOTHING_KNOWN, Known, Scan, as_seen, scan
from ingest.site import Site
from ingest.site_files import find_site

GRAIN_NS = 2_000_000_000
"""Coarsest time stamp of a common file system: FAT keeps two seconds."""

Chooser = Callable[[EmbedderIdentity | None], Choice]
"""Given the embedder of the index there is, if any, the one to use."""


@dataclass(frozen=True, slots=True)
class Job:
    """What to ingest and how."""

    content: Path
    index: Path
    choose: Chooser
    today: date
    include_drafts: bool = False
    rebuild: bool = False
    index_descriptions: bool = True
    """Off for a measurement whose queries are the descriptions."""
    base_url: str = ""
    """Where the blog is published; empty for what its site's configuration says."""
    permalink: str = ""
    """A generator, a pattern or both (`ingest.site_files`); empty likewise."""

    @property
    def asked(self) -> Asked:
        """What to ask again when the folder has changed."""
        return Asked(
            include_drafts=self.include_drafts,
            index_descriptions=self.index_descriptions,
            base_url=self.base_url,
            permalink=self.permalink,
        )


@dataclass(frozen=True, slots=True)
class _Prepared:
    base: Manifest | None
    """The generation to start from; `None` if all must be made anew."""
    recipe: Recipe
    site: Site | None
    """What links are made with; `None` if they cannot be."""
    scan: Scan
    plan: Plan
    began: str
    """When the folder was looked at, UTC, ISO 8601 to the second."""


def ingest(job: Job, progress: Progress) -> Report:
    """Bring the index up to date with the folder.

    Raises ContentError, UsageError, EmbedderError or IndexProblem with the index as it was.
    """
    started = time.monotonic()
    refuse_inside(job.content, job.index)
    layout = Layout(job.index)
    live = _live_manifest(layout, job)
    choice = job.choose(live.embedder if live else None)
    prepared = _prepare(job, live, choice)
    if prepared.base is not None and prepared.plan.changes_nothing:
        verify(layout.generation(prepared.base.generation), prepared.base)
        note(layout, as_seen(prepared.scan, job.content, prepared.base, job.asked))
        return _report(prepared.base, prepared, choice, None, started)
    with writer_lock(layout):
        now = _live_manifest(layout, job)
        if _number(now) != _number(live):
            choice = job.choose(now.embedder if now else None)
            prepared = _prepare(job, now, choice)
        manifest, embedded = _build(layout, prepared, choice, progress)
        note(layout, as_seen(prepared.scan, job.content, manifest, job.asked))
    return _report(manifest, prepared, choice, embedded, started)


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


def _prepare(job: Job, live: Manifest | None, choice: Choice) -> _Prepared:
    began = datetime.now(UTC).isoformat(timespec="seconds")
    site = find_site(job.content, job.base_url, job.permalink)
    wanted = recipe(job.include_drafts, job.index_descriptions, site.digest if site else "")
    base = live if live and live.recipe == wanted else None
    seen = _seen(base, choice) if base else {}
    scanned = scan(job.content, _known(base, seen), job.today, job.include_drafts)
    if not scanned.digests:
        raise ContentError(
            f"No post to index below {job.content} ({len(scanned.skipped)} files left out). "
            "Give the folder that holds the posts."
        )
    before = {source: post.digest for source, post in seen.items()}
    site = site and knowing(site, scanned.files)
    return _Prepared(base, wanted, site, scanned, plan(before, scanned.digests), began)


def _seen(base: Manifest, choice: Choice) -> dict[str, IndexedPost]:
    """The posts of the base; one that lacks a vector counts as changed once Ollama is another.

    The same version would only fail on it again.
    """
    lacking = {source: post for source, post in base.posts.items() if post.unembedded}
    before = base.embedder.fingerprint
    if not lacking or before is None or choice.version_now() in ("", before.version):
        return base.posts
    changed = {"digest": "", "size": -1}
    return base.posts | {s: post.model_copy(update=changed) for s, post in lacking.items()}


def _known(base: Manifest | None, seen: Mapping[str, IndexedPost]) -> Known:
    if base is None:
        return NOTHING_KNOWN
    created = datetime.fromisoformat(base.created).timestamp()
    return Known(seen, int(created) * 1_000_000_000 - GRAIN_NS)


def _build(
    layout: Layout, prepared: _Prepared, choice: Choice, progress: Progress
) -> tuple[Manifest, ChunkVectors]:
    """The generation that was written, and what was embedded for it."""
    sources = sorted((*prepared.plan.added, *prepared.plan.changed))
    progress.start("chunking", len(sources))
    added = []
    for source in sources:
        parsed, file = prepared.scan.parsed[source], prepared.scan.files[source]
        if not prepared.recipe["index_descriptions"]:
            parsed = replace(parsed, post=replace(parsed.post, description=""))
        added.append(_new_post(parsed, file, prepared.site, choice.embedder))
        progress.advance(1)
    embedded = chunk_vectors(layout.cache, added, choice.embedder, progress)
    following = NextGeneration(
        base=prepared.base,
        removed=(*prepared.plan.removed, *prepared.plan.changed),
        added=embedded.posts,
        vectors=embedded.new,
        embedder=choice.embedder,
        recipe=prepared.recipe,
        created=prepared.began,
    )
    progress.start("writing", 1)
    manifest = build(layout, following)
    progress.advance(1)
    return manifest, embedded


def _new_post(
    parsed: ParsedPost, file: SourceFile, site: Site | None, embedder: Embedder
) -> NewPost:
    post = parsed.post
    passages = chunks(post.source, parsed.body, parsed.first_line, post.title)
    post, passages = linked(parsed, passages, site)
    indexed = IndexedPost(
        digest=parsed.digest,
        size=file.size,
        mtime_ns=file.mtime_ns,
        chunks=len(passages),
        expires=parsed.expires,
    )
    readable = embedder.readable([chunk.plain for chunk in passages])
    said = mentions(parsed.body, passages, site.base_url if site else "")
    return NewPost(_spoken(post, passages), passages, tuple(readable), said, indexed)


def _spoken(post: Post, passages: Sequence[Chunk]) -> Post:
    """The post with the language it is written in, if its author does not say."""
    if post.language:
        return post
    words = "\n".join((post.title, *(chunk.plain for chunk in passages)))
    return replace(post, language=language_of(words))


def _report(
    manifest: Manifest,
    prepared: _Prepared,
    choice: Choice,
    embedded: ChunkVectors | None,
    started: float,
) -> Report:
    return Report(
        generation=manifest.generation,
        posts=len(manifest.posts),
        chunks=manifest.chunks,
        added=len(prepared.plan.added),
        changed=len(prepared.plan.changed),
        removed=len(prepared.plan.removed),
        embedded=embedded.computed if embedded else 0,
        without_vector=embedded.without if embedded else (),
        skipped=prepared.scan.skipped,
        warnings=(
            *choice.warnings(),
            *(embedded.warnings if embedded else ()),
            *warnings(prepared.site),
            *prepared.scan.problems,
        ),
        embedder=choice.embedder.identity.name,
        embedder_reason=choice.reason,
        seconds=round(time.monotonic() - started, 3),
    )
