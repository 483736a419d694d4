"""One file in, what becomes of it out: a post made ready for the index, or why it is not in it.

Everything that costs a processor and needs nothing but the file is done here, so that several
processes can do it for several files (`ingest.workers`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING

from blog_search_mcp.index.analysis.languages import language_of
from blog_search_mcp.index.content.read_file import read
from blog_search_mcp.index.content.walk import Skipped, SourceFile
from blog_search_mcp.index.errors import PostChanging, UnreadablePost
from blog_search_mcp.index.store.manifest import IndexedPost, PendingPost
from blog_search_mcp.index.types import Chunk, Post
from blog_search_mcp.ingest.chunking.chunker import chunks_of
from blog_search_mcp.ingest.chunking.packing import windows
from blog_search_mcp.ingest.documents.read_post import ParsedPost, read_post
from blog_search_mcp.ingest.documents.visibility import day_after
from blog_search_mcp.ingest.markdown.blocks import structure
from blog_search_mcp.ingest.plan import FileToRead
from blog_search_mcp.ingest.sites.base import Site
from blog_search_mcp.ingest.sites.urls import link_post

if TYPE_CHECKING:
    from blog_search_mcp.ingest.job import Job
    from blog_search_mcp.ingest.plan import Plan


def embedding_text(post: Post, chunk: Chunk, window: str) -> str:
    """Title, heading path and `window`, a part of the chunk's plain text."""
    return "\n".join(filter(None, (post.title, " > ".join(chunk.headings), window)))


@dataclass(frozen=True, slots=True)
class How:
    """What decides what becomes of a file besides its bytes."""

    today: date
    include_drafts: bool
    index_descriptions: bool
    site: Site | None
    readable: Callable[[Sequence[str]], list[float]]
    """The embedder's."""


def how_of(job: Job, plan: Plan) -> How:
    """How the files of a plan are read."""
    return How(
        today=job.today,
        include_drafts=job.options.include_drafts,
        index_descriptions=job.options.index_descriptions,
        site=plan.site and plan.site.with_sources(plan.files),
        readable=plan.choice.embedder.readable,
    )


@dataclass(frozen=True, slots=True)
class Window:
    """A text to embed."""

    chunk: int
    """Of its post, from 0."""
    text: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What becomes of one file."""

    source: str
    due: str | None
    """First ISO day on which the same bytes would be treated otherwise, `None` if never."""
    skipped: Skipped | None = None
    """Why it does not belong in the index; `None` if it does."""
    new: PendingPost | None = None
    """What is to go in; `None` if nothing is, or if the index has it already."""
    windows: tuple[Window, ...] = ()
    """Of its chunks, in their order."""
    problems: tuple[str, ...] = ()
    """What was odd about it, each with its source."""


def outcome_of(unread: FileToRead, how: How) -> Outcome:
    """Read the file, and unless the index has these bytes, make it ready. Raises EmbedderError."""
    source, before = unread.file.source, unread.before
    try:
        parsed = read_post(unread.file, read(unread.file.path), how.today)
    except PostChanging as error:
        if before is None:
            return Outcome(source, None, Skipped(source, str(error)))
        kept = f"{source}: {error}; the index keeps what it had"
        return Outcome(source, day_after(before.expires), problems=(kept,))
    except UnreadablePost as error:
        return Outcome(source, None, Skipped(source, str(error)))
    problems = tuple(f"{source}: {problem}" for problem in parsed.problems)
    if parsed.left_out and not how.include_drafts:
        return Outcome(source, parsed.due, Skipped(source, parsed.left_out), problems=problems)
    if before is not None and before.digest == parsed.digest:
        return Outcome(source, parsed.due, problems=problems)
    new = _new_post(parsed, unread.file, how)
    return Outcome(source, parsed.due, None, new, tuple(_windows(new)), problems)


def _new_post(parsed: ParsedPost, file: SourceFile, how: How) -> PendingPost:
    if not how.index_descriptions:
        parsed = replace(parsed, post=replace(parsed.post, description=""))
    post = parsed.post
    body = structure(parsed.body)
    passages = chunks_of(post.source, body, parsed.first_line, post.title)
    post, passages = link_post(parsed, passages, how.site)
    indexed = IndexedPost(
        digest=parsed.digest,
        size=file.size,
        mtime_ns=file.mtime_ns,
        chunks=len(passages),
        expires=parsed.expires,
    )
    readable = how.readable([chunk.plain for chunk in passages])
    return PendingPost(_spoken(post, passages), passages, tuple(readable), indexed)


def _spoken(post: Post, passages: Sequence[Chunk]) -> Post:
    """The post with the language it is written in, if its author does not say."""
    if post.language:
        return post
    words = "\n".join((post.title, *(chunk.plain for chunk in passages)))
    return replace(post, language=language_of(words))


def _windows(new: PendingPost) -> list[Window]:
    """The windows of every chunk that the embedder can read."""
    return [
        Window(chunk.index, embedding_text(new.post, chunk, window))
        for chunk, readable in zip(new.chunks, new.readable, strict=True)
        if readable > 0.0
        for window in windows(chunk.plain)
    ]
