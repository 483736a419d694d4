"""What a content folder holds besides the posts of the index: drafts, and files of all kinds.

An index has public posts alone. Whoever judges a link by it must know what else is there.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from pathlib import Path

from blog_search_mcp.index.errors import ContentError, UnreadablePost, refuse_post
from blog_search_mcp.index.posts.cascades import Cascade, apply_cascades, cascades_of
from blog_search_mcp.index.posts.document import read_document
from blog_search_mcp.index.posts.last_ingest import LastIngest
from blog_search_mcp.index.posts.metadata import CHANGE_FIELDS, first_date
from blog_search_mcp.index.posts.visibility import check_visibility
from blog_search_mcp.index.posts.walk import SourceFile, read_file, walk
from blog_search_mcp.index.types import Post


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A file that is a post by its name and is not public."""

    post: Post
    reason: str
    """`draft` or `future`; `""` for one of which its site has a page."""
    day: str
    """ISO day on which it was last changed, as its author says, else as the file system does."""
    is_written: bool
    """Whether `day` is the author's."""


@dataclass(frozen=True, slots=True)
class ContentFolder:
    """What lies in a content folder."""

    files: frozenset[str]
    """Paths of all files below it, hidden ones apart, with `/`; of posts alone if it is gone."""
    left_out: tuple[LeftOut, ...] = ()
    """Sorted by source."""
    problem: str = ""
    """Why the folder could not be read, in a sentence; empty if it could."""


def read_folder(
    last: LastIngest | None, content: Path | None, posts: Collection[str], today: date
) -> ContentFolder:
    """Read the folder of the last ingest, or `content` if it was moved.

    `posts` are the sources of the index. A folder that cannot be read is no error.
    """
    if last is None:
        problem = "It is not known where the posts lie, so drafts were not looked at"
        return ContentFolder(frozenset(posts), problem=f"{problem}; an ingest notes it.")
    folder = content or Path(last.content)
    try:
        files = walk(folder, last.suffixes).files
    except ContentError:
        problem = "The folder of the posts cannot be read, so drafts were not looked at"
        known = frozenset((*posts, *last.files))
        return ContentFolder(known, problem=f"{problem}; ingest it where it is now.")
    both, now = last.options.include_drafts, datetime.combine(today, time.max, UTC)
    read = (
        _try_left_out(file, last.cascades, now)
        for file in files
        if both or file.source not in posts
    )
    return ContentFolder(
        frozenset((*posts, *_list_files(folder))), tuple(each for each in read if each)
    )


def _list_files(folder: Path) -> list[str]:
    found = []
    for above, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name[0] != "." and name != "node_modules"]
        prefix = Path(above).relative_to(folder).as_posix()
        found += [name if prefix == "." else f"{prefix}/{name}" for name in names]
    return found


def _try_left_out(file: SourceFile, cascades: Sequence[Cascade], now: datetime) -> LeftOut | None:
    """Read a file; one that cannot be read is passed over, since the ingest says what is wrong."""
    with suppress(UnreadablePost), refuse_post("reading it"):
        document = read_document(read_file(file.path), file.source)
        fields = apply_cascades(document.fields, cascades_of(cascades, file.origin))
        reason = check_visibility(fields, file.origin, now).left_out
        if reason is None:
            return None
        written = first_date(fields, CHANGE_FIELDS)
        day = written.isoformat() if written else document.post.date
        saved = datetime.fromtimestamp(file.mtime_ns / 1e9, tz=UTC).date().isoformat()
        has_page = reason not in ("draft", "future")
        return LeftOut(document.post, "" if has_page else reason, day or saved, day is not None)
    return None
