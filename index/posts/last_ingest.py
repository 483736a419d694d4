"""The content folder as the last ingest left it, a record beside the generations.

It is no part of a generation: an ingest that has nothing to write may still have met a new
draft or a touched post, and a server that compares the folder with it (`index.posts.changes`)
must not report those as changed for ever, nor the next ingest read a touched post again. A
folder's is written in place: a torn file is not JSON and counts as none. It names a folder of this
machine, which must not reach a client.
"""

import os
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, ValidationError

from blog_search_mcp.index.posts.cascades import Cascade
from blog_search_mcp.index.posts.metadata import CHANGE_FIELDS, Fields, first_date, normalize_names
from blog_search_mcp.index.posts.visibility import HiddenReason
from blog_search_mcp.index.types import Post

if TYPE_CHECKING:
    from blog_search_mcp.index.folder import FolderStore


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class LeftOut(_Frozen):
    """A post that is not public."""

    post: Post
    reason: str
    """`draft` or `future`; `""` for one of which its site has a page."""
    day: str
    """ISO day on which it was last changed, as its author says, else as the file system does."""
    is_written: bool
    """Whether `day` is the author's."""


class FileState(_Frozen):
    """One file that is a post by its name, in the index or left out of it."""

    size: int
    """Bytes."""
    mtime_ns: int
    """Nanoseconds since 1970, from the file system."""
    due: str | None = None
    """When an ingest would treat the same bytes otherwise, since a post of the future appears or
    one that expires goes: UTC, ISO 8601 to the second."""


class IngestOptions(_Frozen):
    """Options of an ingest besides its folders; one with others would undo its work."""

    include_drafts: bool = False
    index_descriptions: bool = True
    base_url: str = ""
    permalink: str = ""


def option_words(options: IngestOptions) -> tuple[str, ...]:
    """Write the options as they stand on a command line."""
    return (
        *(("--base-url", options.base_url) if options.base_url else ()),
        *(("--permalink", options.permalink) if options.permalink else ()),
        *(("--include-drafts",) if options.include_drafts else ()),
    )


class LastIngest(_Frozen):
    """A content folder as an ingest left it."""

    generation: int
    """The generation that was live afterwards; of another one, this holds nothing."""
    created: str
    """When the generation was made, as in its manifest."""
    walked: str = ""
    """When the folder was walked: UTC, ISO 8601 to the second. Files of the index that had not
    been written to for two seconds were read as it has them."""
    content: str
    """The folder's absolute path; bytes that are not UTF-8 are written as `\\xff`."""
    suffixes: tuple[str, ...]
    """What a post's name ends in."""
    files: dict[str, FileState]
    """By source."""
    left_out: tuple[LeftOut, ...] = ()
    """Sorted by source."""
    waiting: int = 0
    """Posts whose vectors another ingest has to make, since this one ended before."""
    options: IngestOptions = IngestOptions()
    cascades: tuple[Cascade, ...] = ()
    """What sections pass down to the posts below them, the nearest first."""


def write_last_ingest(store: "FolderStore", ingest: LastIngest) -> None:
    """Write the record unless the store holds the same already. Raises IndexProblem."""
    store.write_record(ingest.model_dump_json())


def read_last_ingest(store: "FolderStore", generation: int) -> LastIngest | None:
    """Read the record, `None` if it is missing, torn or about another generation."""
    ingest = read_any_last_ingest(store)
    return ingest if ingest is not None and ingest.generation == generation else None


def read_any_last_ingest(store: "FolderStore") -> LastIngest | None:
    """Read the record whatever generation it is about, `None` if it is missing or torn."""
    text = store.read_record()
    with suppress(ValidationError):
        return LastIngest.model_validate_json(text) if text else None
    return None


def format_folder(folder: Path) -> str:
    """Write the absolute path of a folder as `LastIngest.content` holds it."""
    return str(folder.resolve()).encode("utf-8", "backslashreplace").decode("utf-8")


@dataclass(frozen=True, slots=True)
class ContentFolder:
    """What lies in a content folder."""

    files: frozenset[str]
    """Paths of all files below it, hidden ones apart, with `/`; of posts alone if it is gone."""
    left_out: tuple[LeftOut, ...] = ()
    """As the last ingest found them, sorted by source."""
    problem: str = ""
    """Why the folder could not be read, in a sentence; empty if it could."""


def read_folder(
    last: LastIngest | None, content: Path | None, posts: Collection[str]
) -> ContentFolder:
    """List the folder of the last ingest, or `content` if it was moved.

    `posts` are the sources of the index. A folder that cannot be read is no error.
    """
    if last is None:
        problem = "It is not known where the posts lie, so drafts were not looked at"
        return ContentFolder(frozenset(posts), problem=f"{problem}; an ingest notes it.")
    files = frozenset(_list_files(content or Path(last.content)))
    problem = "" if files else "The folder of the posts cannot be read; ingest it where it is now."
    return ContentFolder(files.union(posts, last.files), last.left_out, problem)


def describe_left_out(post: Post, fields: Fields, reason: HiddenReason, mtime_ns: int) -> LeftOut:
    """Describe a post that is left out; `fields` are its own with what it inherits."""
    written = first_date(normalize_names(fields), CHANGE_FIELDS)
    day = written.isoformat() if written else post.date
    saved = datetime.fromtimestamp(mtime_ns / 1e9, tz=UTC).date().isoformat()
    has_page = reason not in ("draft", "future")
    return LeftOut(
        post=post, reason="" if has_page else reason, day=day or saved, is_written=day is not None
    )


def _list_files(folder: Path) -> Iterator[str]:
    for above, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name[0] != "." and name != "node_modules"]
        prefix = Path(above).relative_to(folder)
        yield from ((prefix / name).as_posix() for name in names)
