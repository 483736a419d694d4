"""Turn one file into a post and its chunks, in this process or in a worker process."""

import hashlib
import os
import posixpath
import re
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from blog_search_mcp.index.errors import NoLink, UnreadablePost, refuse_post
from blog_search_mcp.index.store.manifest import IndexedPost, PendingPost
from blog_search_mcp.index.types import Chunk
from blog_search_mcp.index.words.documents import terms_of
from blog_search_mcp.ingest.foreign_files import read_file, read_if_there
from blog_search_mcp.ingest.last_ingest import LeftOut, make_left_out
from blog_search_mcp.ingest.plan import FileToRead
from blog_search_mcp.ingest.posts.cascades import apply_cascades
from blog_search_mcp.ingest.posts.chunks import chunk_body
from blog_search_mcp.ingest.posts.document import MAX_PARTS, Document, find_language, read_document
from blog_search_mcp.ingest.posts.front_matter import decode
from blog_search_mcp.ingest.posts.visibility import INCLUDED, check_visibility
from blog_search_mcp.ingest.posts.walk import NOT_PUBLISHED, SUFFIXES, Skipped, SourceFile, walk
from blog_search_mcp.ingest.sites.configuration import find_setting
from blog_search_mcp.ingest.sites.links import link_post
from blog_search_mcp.ingest.sites.site import Site


@dataclass(frozen=True, slots=True)
class ParsedResult:
    """Result of reading one file."""

    source: str
    due: str | None
    """Instant at which the post appears or expires without an edit; `None` if never."""
    skipped: Skipped | None = None
    """Reason why the file is not in the index; `None` if it is."""
    left_out: LeftOut | None = None
    """Entry of the post if it is skipped because it is empty or not public."""
    new: PendingPost | None = None
    """Post to add; `None` if the file is skipped or the index has its content already."""
    problems: tuple[str, ...] = ()
    """Warnings about the file, each beginning with its source."""
    has_parts: bool = False
    """Whether other files, even missing ones, are part of the post (included ones or `.meta`)."""
    no_link: str = ""
    """Reason why `new` has no link; empty if it has one, or if there is no `new`."""


def skip_post(file_to_read: FileToRead, reason: str) -> ParsedResult:
    """Return the result of a file that is skipped for this reason."""
    source = file_to_read.file.source
    return ParsedResult(source, None, Skipped(source, reason))


def prepare_post(
    file_to_read: FileToRead,
    *,
    now: datetime,
    include_drafts: bool,
    site: Site,
    measure_coverage: Callable[[Sequence[str]], list[float]],
) -> ParsedResult:
    """Read a file and make its post, unless the post is left out or the index has its content.

    `measure_coverage` returns the share of each text that the embedder's vocabulary covers.
    Raises UnreadablePost for any fault of the file; also other BlogSearchErrors and MemoryError.
    """
    file, before, cascades = file_to_read.file, file_to_read.before, file_to_read.cascades
    source = file.source
    with refuse_post("reading it"):
        data = read_file(file.content, source)
        if file.copy_of and _are_copies(data, read_file(file.content, file.copy_of)):
            return skip_post(file_to_read, f"it is a copy of {file.copy_of}; rename it if not")
        parts: dict[str, tuple[int, str]] = {}
        sidecar = read_if_there(file.content, f"{source.rpartition('.')[0]}.meta") or b""
        document = read_document(
            data,
            source,
            splits_tags=site.splits_tags,
            keeps_braces=site.generator.prints_braces()
            or not (site.is_configured or (b"{%" in data and not file.is_note)),
            reads_hashes=site.generator.reads_hashes,
            reads_hashtags=file.is_note or not site.is_configured,
            sidecar=decode(sidecar)[0],
            echoes=str(find_setting(site.generator.config, "execute.echo")).lower() != "false",
            includes=site.generator.includes,
            read_part=partial(_read_part, file, parts, now),
        )
        fields = apply_cascades(document.named, cascades)
        is_note = file.is_note and not site.is_configured
        reason, expires, due = check_visibility(fields, source, now, is_note=is_note)
        result = ParsedResult(
            source,
            due,
            problems=tuple(f"{source}: {problem}" for problem in document.problems),
            has_parts=bool(parts or sidecar),
        )
        if reason and not (include_drafts and reason in INCLUDED):
            left_out = make_left_out(document.post, fields, reason, file.mtime_ns)
            return replace(result, skipped=Skipped(source, reason), left_out=left_out)
        digested = [cascade.model_dump_json() for cascade in cascades]
        digested += [words for _, words in parts.values()]
        digest = hashlib.sha256(data + sidecar + "".join(digested).encode()).hexdigest()
        if before is not None and before.digest == digest:
            return result
        indexed = IndexedPost(digest, 0, expires=expires)
        new, no_link = _make_pending_post(document, indexed, site)
        if not new.chunks:
            left_out = make_left_out(document.post, fields, "empty", file.mtime_ns)
            return replace(result, skipped=Skipped(source, "empty"), left_out=left_out)
        coverage = measure_coverage([chunk.plain for chunk in new.chunks])
        pairs = zip(new.chunks, coverage, strict=True)
        chunks = tuple(replace(chunk, coverage=share) for chunk, share in pairs)
        new = replace(new, chunks=chunks, terms=terms_of(new.post, chunks))
        return replace(result, new=new, no_link=no_link)


def _read_part(
    file: SourceFile, parts: dict[str, tuple[int, str]], now: datetime, name: str
) -> str:
    """Return an included file's plain text; `""` if missing, not Markdown, too large or not public.

    `parts` caches (size, text) by source, with key `""` for missing files. Raises ContentError.
    """
    for base in (posixpath.dirname(file.source), "", "_includes", ".."):
        path = posixpath.normpath(posixpath.join(base, name.lstrip("@/")))
        source = path.removeprefix(f"../{file.content.name}/")
        if source.lower().endswith(SUFFIXES) and os.path.lexists(file.content / source):
            break
    else:
        if name.lower().endswith(SUFFIXES):
            parts[""] = 0, ""
        return ""
    room = MAX_PARTS - sum(size for size, _ in parts.values())
    if source not in parts and room > 0:
        data, words = b"", ""
        with suppress(UnreadablePost):
            listed = walk(file.content, source)
            if listed.files or Skipped(source, NOT_PUBLISHED) in listed.skipped:
                data = read_file(file.content, source)
            part = read_document(data if len(data) <= room else b"", source)
            if check_visibility(part.named, source, now)[0] is None:
                words = part.body.plain_text(0, len(part.body.text)).replace("\n", " ")
        parts[source] = max(len(data), 1_000), words  # at least 1,000, since its folder is listed
    return parts.get(source, (0, ""))[1]


MIN_COPY_SHARE = 0.8
"""Minimum share of the longer text's words that a copy has. Two posts on one event share .66."""
_COPY_WORD = re.compile(r"[^\W\u3000-\uffff]+|[\u3000-\uffff]")


def _are_copies(*files: bytes) -> bool:
    one, other = (Counter(_COPY_WORD.findall(decode(data)[0].lower())) for data in files)
    return (one & other).total() >= MIN_COPY_SHARE * max(one.total(), other.total())


_EMPTY_ITEMS = re.compile(r"(?:[\s>*+-]|\d+[.)](?=\s|\Z)|\[[ xX]?\](?=\s|\Z))*+")
"""Text of nothing but marks of list items and quotations, and check boxes."""


def _make_pending_post(
    document: Document, indexed: IndexedPost, site: Site
) -> tuple[PendingPost, str]:
    """Return the post with its chunks, and the reason why it has no link (`""` if it has one).

    A post without text gets one chunk: description, else `words`, else title if it has aliases.
    """
    post, (tag, key) = document.post, site.find_language(document.post.source)
    post = replace(
        post,
        language=post.language or tag or find_language(document, site.language),
        translation_key=post.translation_key or key,
        authors=tuple(site.authors.get(name, name) for name in post.authors),
    )
    document = replace(document, post=post)
    chunks = chunk_body(post.source, document.body, document.first_line, post.title)
    chunks = () if _EMPTY_ITEMS.fullmatch(document.body.text) else chunks
    text = post.description or post.words or (post.title if post.aliases else "")
    if not chunks and text:
        chunks = (Chunk(post.source, 0, text, text, (), 1, max(document.first_line - 1, 1)),)
    no_link, anchors = "", tuple[str, ...]()
    try:
        post, chunks, anchors = link_post(document, chunks, site)
    except NoLink as error:
        no_link = str(error)
    indexed = replace(indexed, chunks=len(chunks))
    return PendingPost(post, chunks, indexed, document.links, anchors), no_link
