"""Turn one file into what the index takes: its post, chunks and texts to embed.

Everything that costs a processor and needs nothing but the file happens here, so that several
processes can do it for several files (`ingest.workers`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from blog_search_mcp.index.analysis.languages import language_of
from blog_search_mcp.index.embedders.base import embedding_text
from blog_search_mcp.index.errors import (
    STOPS,
    BlogSearchError,
    NoLink,
    PostChanging,
    UnreadablePost,
    describe_refusal,
)
from blog_search_mcp.index.posts.cascades import apply_cascades
from blog_search_mcp.index.posts.chunks import chunk_body, split_windows
from blog_search_mcp.index.posts.document import Document, read_document
from blog_search_mcp.index.posts.visibility import (
    PROFILES,
    Visibility,
    check_visibility,
    find_unknown,
)
from blog_search_mcp.index.posts.walk import Skipped, SourceFile, read_file
from blog_search_mcp.index.store.manifest import IndexedPost, PendingPost
from blog_search_mcp.ingest.plan import FileToRead, Job, Plan
from blog_search_mcp.ingest.report import INCLUDED
from blog_search_mcp.ingest.sites.base import Site
from blog_search_mcp.ingest.sites.discovery import explain_no_site
from blog_search_mcp.ingest.sites.links import link_post


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What decides about a file besides its bytes."""

    now: datetime
    include_drafts: bool
    index_descriptions: bool
    site: Site | None
    no_site: str
    """Why `site` is `None`."""
    measure_coverage: Callable[[Sequence[str]], list[float]]
    """The embedder's: for each text the share of it that its vocabulary covers, in [0, 1]."""
    window_pieces: int
    """The embedder's: estimated word pieces of an embedding window."""


def make_read_options(job: Job, plan: Plan) -> ReadOptions:
    """Collect how the files of a plan are read."""
    return ReadOptions(
        now=job.now,
        include_drafts=job.options.include_drafts,
        index_descriptions=job.options.index_descriptions,
        site=plan.site,
        no_site="" if plan.site else explain_no_site(job.content),
        measure_coverage=plan.choice.embedder.vocabulary_coverage,
        window_pieces=plan.choice.embedder.window_pieces,
    )


@dataclass(frozen=True, slots=True)
class EmbeddingWindow:
    """A text to embed, no longer than an embedder reads at once."""

    chunk: int
    """Index of its chunk in the post, from 0."""
    text: str


@dataclass(frozen=True, slots=True)
class ParsedResult:
    """What becomes of one file."""

    source: str
    due: str | None
    """The instant at which the same bytes would be treated otherwise, `None` if never."""
    skipped: Skipped | None = None
    """Why it does not belong in the index; `None` if it does."""
    new: PendingPost | None = None
    """What is to go in; `None` if nothing is, or if the index has it already."""
    windows: tuple[EmbeddingWindow, ...] = ()
    """Of its chunks, in their order."""
    problems: tuple[str, ...] = ()
    """What was odd about it, each with its source."""
    no_link: str = ""
    """Why `new` has no link; empty if it has one."""
    unknown: tuple[str, ...] = ()
    """Its fields that may keep a post back, and of which nobody knows."""


def prepare_post(file_to_read: FileToRead, options: ReadOptions) -> ParsedResult:
    """Read a file and, unless the index has these bytes, make it ready.

    Whatever a file makes a parser raise, it is skipped with that as the reason, so that no post
    ends an ingest. Raises EmbedderError and MemoryError.
    """
    try:
        return _prepare(file_to_read, options)
    except (BlogSearchError, MemoryError, *STOPS):
        raise
    except BaseException as error:
        source = file_to_read.file.source
        return ParsedResult(source, None, Skipped(source, describe_refusal("reading it", error)))


def skip_lost(file_to_read: FileToRead, reason: str) -> ParsedResult:
    """Skip a file that `WorkerPool.map` could not have read, with the reason."""
    source = file_to_read.file.source
    return ParsedResult(source, None, Skipped(source, reason))


def _prepare(file_to_read: FileToRead, options: ReadOptions) -> ParsedResult:
    source, before = file_to_read.file.source, file_to_read.before
    cascades = file_to_read.cascades
    profiles = " ".join(str(cascade.fields.get(PROFILES, "")) for cascade in cascades).split()
    try:
        data = read_file(file_to_read.file.path)
        document = read_document(data, source, *profiles)
    except PostChanging as error:
        if before is None:
            return ParsedResult(source, None, Skipped(source, str(error)))
        kept = f"{source}: {error}; the index keeps what it had"
        return ParsedResult(source, before.expires, problems=(kept,))
    except UnreadablePost as error:
        return ParsedResult(source, None, Skipped(source, str(error)))
    fields = apply_cascades(document.fields, cascades) if cascades else document.fields
    visibility = check_visibility(fields, file_to_read.file.origin, options.now)
    problems = tuple(f"{source}: {problem}" for problem in document.problems)
    included = INCLUDED if options.include_drafts else ()
    if visibility.left_out and visibility.left_out not in included:
        skipped = Skipped(source, visibility.left_out)
        return ParsedResult(source, visibility.due, skipped, problems=problems)
    passed = "".join(cascade.model_dump_json() for cascade in cascades)
    digest = hashlib.sha256(data + passed.encode()).hexdigest()
    if before is not None and before.digest == digest:
        return ParsedResult(source, visibility.due, problems=problems)
    new, no_link = _make_pending_post(document, file_to_read.file, digest, visibility, options)
    windows = make_windows(new, options.window_pieces)
    unknown = tuple(find_unknown(document.fields))
    return ParsedResult(source, visibility.due, None, new, windows, problems, no_link, unknown)


def _make_pending_post(
    document: Document, file: SourceFile, digest: str, visibility: Visibility, options: ReadOptions
) -> tuple[PendingPost, str]:
    """Return the post made ready, and why it has no link."""
    description = document.post.description if options.index_descriptions else ""
    post = replace(document.post, description=description, language=find_language(document))
    document, body = replace(document, post=post), document.body
    chunks = chunk_body(post.source, body, document.first_line, post.title)
    no_link, anchors = options.no_site, tuple[str, ...]()
    try:
        if options.site:
            post, chunks, anchors = link_post(document, chunks, options.site)
    except NoLink as error:
        no_link = str(error)
    indexed = IndexedPost(
        digest=digest,
        size=file.size,
        mtime_ns=file.mtime_ns,
        chunks=len(chunks),
        expires=visibility.expires,
    )
    coverage = options.measure_coverage([chunk.plain for chunk in chunks])
    skipped = document.first_line - 1
    links = tuple(replace(link, line=link.line + skipped) for link in body.links.links)
    return PendingPost(post, chunks, tuple(coverage), indexed, links, anchors), no_link


CHARACTERS = 6_000
"""Of prose that are looked at. 20,000 give another language to 3 of the 4,647 posts of nine
blogs, all of them in two languages; these take 2 ms a post."""

_CODE = ("fence", "code_block")


def find_language(document: Document) -> str:
    """The author's tag (`zh-tw`), else what `language_of` finds in the title and the prose.

    Code is left out: its keywords are English and its names anything, in whatever language it is
    explained.
    """
    post = document.post
    return post.language or language_of("\n".join((post.title, *_prose(document))))


def _prose(document: Document) -> Iterator[str]:
    """The words of the blocks that are no code, of the first CHARACTERS of their markup."""
    left = CHARACTERS
    for block in document.body.blocks:
        if left > 0 and block.kind not in _CODE:
            end = min(block.end, block.start + left)
            left -= end - block.start
            yield document.body.plain_text(block.start, end)


def make_windows(new: PendingPost, most: int) -> tuple[EmbeddingWindow, ...]:
    """Cut every chunk whose words the embedder knows at all into windows of `most` word pieces."""
    return tuple(
        EmbeddingWindow(chunk.index, embedding_text(new.post.title, chunk.headings, window))
        for chunk, coverage in zip(new.chunks, new.vocabulary_coverage, strict=True)
        if coverage > 0.0
        for window in split_windows(chunk.plain, most)
    )
