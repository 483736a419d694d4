"""Record the state of the content folder at an ingest, and compare the folder with it later.

The record is a file beside the generations. An ingest may find a new draft or a touched post and
still write no generation. The record then keeps these files from being read again, or reported as
changed for ever. It has the content folder's path, which must not reach a client.

A file counts as changed if it is new, gone or due, or its size or mtime differs. Ingests, and
servers that can ingest, also compare ctime, which a copy changes. An edited draft counts too.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, ValidationError

from blog_search_mcp.index.errors import IndexProblem
from blog_search_mcp.index.invocation import TO_INGEST, Blog, Message, command
from blog_search_mcp.index.store.disk import DEFAULT_FOLDER, require_own
from blog_search_mcp.index.stores import Location, open_store
from blog_search_mcp.index.types import Post
from blog_search_mcp.ingest.posts.cascades import Cascade
from blog_search_mcp.ingest.posts.metadata import CHANGE_FIELDS, Fields, first_date
from blog_search_mcp.ingest.posts.visibility import VISIBILITY, HiddenReason
from blog_search_mcp.ingest.posts.walk import Skipped, SourceFile, walk

if TYPE_CHECKING:
    from blog_search_mcp.index.folder import FolderStore


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class LeftOut(_Frozen):
    """A post that is not indexed, since it is empty or not public."""

    post: Post
    reason: str
    """`draft` or `future`; `""` for a reason that need not keep the page off the site."""
    day: str
    """ISO day: the front matter's last change, else the post's date, else the file's mtime."""


class FileState(_Frozen):
    """State of a file that the walk takes for a post, whether it is indexed or left out."""

    size: int
    """Bytes."""
    mtime_ns: int
    ctime_ns: int = 0
    """Both times are in nanoseconds since 1970, from the file system."""
    settled: bool = False
    """Whether the same size and times will prove that the post is unchanged: it includes no other
    file, and was last written more than two seconds before the walk."""
    due: str | None = None
    """Instant at which the post appears or expires without an edit: UTC, ISO 8601 to the second."""


class IngestOptions(_Frozen):
    """Options of an ingest, which are the defaults of the next one."""

    include_drafts: bool = False
    base_url: str = ""
    permalink: str = ""


class LastIngest(_Frozen):
    """State of a content folder after an ingest."""

    generation: int
    """Number of the live generation after the ingest. The record is valid only for this one."""
    created: str
    """Time of the generation, as in its manifest."""
    content: str
    """Absolute path of the folder; bytes that are not UTF-8 are escaped, `ff` as `\\udcff`."""
    files: dict[str, FileState]
    """State of each file that the walk takes for a post, keyed by source."""
    left_out: tuple[LeftOut, ...] = ()
    """Posts that are empty or not public, sorted by source."""
    skipped: tuple[Skipped, ...] = ()
    """Files and folders that are left out and reported, sorted by source."""
    waiting: int = 0
    """Number of posts whose vectors a later ingest has to make."""
    options: IngestOptions = IngestOptions()
    cascades: tuple[Cascade, ...] = ()
    """Fields that are passed down to posts, the nearest section first."""
    inode: int | None = None
    """Inode of the index folder. A move keeps it; a copy, such as a clone, has another one."""


def read_last_ingest(store: FolderStore, generation: int | None = None) -> LastIngest | None:
    """Read the record; `None` without a valid one (of `generation`, if that is given)."""
    with suppress(OSError, ValidationError, IndexProblem):
        require_own([store.layout.last_ingest], stat.S_IFREG)
        last = LastIngest.model_validate_json(store.layout.last_ingest.read_bytes())
        return last if generation in (None, last.generation) else None
    return None


def format_folder(folder: Path) -> str:
    """Return the absolute path of a folder in the form of `LastIngest.content`."""
    return str(folder.resolve()).encode("utf-8", "backslashreplace").decode("utf-8")


def make_left_out(post: Post, fields: Fields, reason: HiddenReason, mtime_ns: int) -> LeftOut:
    """Return a post's entry; `fields` are its own and inherited ones, by normalized name."""
    author_day = first_date(fields, CHANGE_FIELDS)
    file_day = datetime.fromtimestamp(mtime_ns / 1e9, tz=UTC).date()
    day = author_day.isoformat() if author_day else post.date or file_day.isoformat()
    return LeftOut(post=post, reason=reason if reason in ("draft", "future") else "", day=day)


def name_skipped(skipped: Iterable[Skipped]) -> str:
    """Return a sentence on the first ten left-out files with reasons, faults first, or `""`."""
    order = {reason: rank for rank, reason in enumerate(VISIBILITY)}
    ordered = sorted(skipped, key=lambda skip: order.get(skip.reason, -1))
    first = [f"{skip.source} ({skip.reason.partition(';')[0]})" for skip in ordered[:10]]
    unlisted = len(ordered) - len(first)
    more = f" and {unlisted:,} more (ingest --json lists all)" if unlisted else ""
    return f"Left out: {', '.join(first)}{more}." if first else ""


@dataclass(frozen=True, slots=True)
class ContentFolder:
    """Files of a content folder."""

    files: frozenset[str]
    """POSIX paths of files outside hidden folders and `node_modules`, and of all known posts."""
    left_out: tuple[LeftOut, ...] = ()
    """Posts that the last ingest left out, sorted by source."""
    problem: str = ""
    """Sentence that says why the folder could not be read; empty if it could."""


def read_folder(last: LastIngest | None, posts: Collection[str]) -> ContentFolder:
    """List the files of the last ingest's folder; `posts` are the sources in the index."""
    if last is None:
        problem = "Where the posts lie is not known, nor their drafts; an ingest notes it."
        return ContentFolder(frozenset(posts), problem=problem)
    files = frozenset(_list_files(Path(last.content)))
    problem = "" if files else "The folder of the posts cannot be read; ingest it where it is now."
    return ContentFolder(files.union(posts, last.files), last.left_out, problem)


def _list_files(folder: Path) -> Iterator[str]:
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name[0] != "." and name != "node_modules"]
        prefix = Path(parent).relative_to(folder)
        yield from ((prefix / name).as_posix() for name in names)


def find_changes(last: LastIngest, now: str) -> list[str]:
    """List the sources that changed since the last ingest. Raises ContentError."""
    return compare_files(last, walk(Path(last.content)).files, now)


def compare_files(
    last: LastIngest, files: Iterable[SourceFile], now: str, *, by_ctime: bool = False
) -> list[str]:
    """Return the sorted sources of files that were edited, added or removed, or are due.

    `now` has the form of `FileState.due`. With `by_ctime` a file with another ctime counts too.
    """
    present = {(f.source, f.size, f.mtime_ns, by_ctime and f.ctime_ns) for f in files}
    known = last.files.items()
    before = {(source, f.size, f.mtime_ns, by_ctime and f.ctime_ns) for source, f in known}
    due = {source for source, file in known if (file.due or "~") <= now}
    return sorted({source for source, *_ in present ^ before} | due)


def describe_changes(changes: Sequence[str], created: str, now: datetime) -> str | None:
    """Return a sentence on the number of changes and the index's age; `None` without changes."""
    age = f"since the index was made {format_age(created, now)}"
    include = f"to include {'it' if len(changes) == 1 else 'them'}: "
    sentence = f"{count_changed(len(changes))} {age}; {include}"
    return Message(sentence, TO_INGEST, ".") if changes else None


def count_changed(posts: int) -> str:
    """Return the start of a sentence: `3 posts have changed`."""
    return "1 post has changed" if posts == 1 else f"{posts:,} posts have changed"


def format_age(created: str, now: datetime) -> str:
    """Return the time since `created` (ISO 8601 with a zone) in words: `2 days ago`."""
    passed = now - datetime.fromisoformat(created)
    for unit in ("day", "hour", "minute"):
        if (count := passed // timedelta(**{f"{unit}s": 1})) >= 1:
            return f"{count:,} {unit}{'' if count == 1 else 's'} ago"
    return "less than a minute ago"


def merge_options(index: Location, **options: Any) -> IngestOptions:
    """Return the options of an ingest; `None` stands for the last ingest's value."""
    last = read_last_ingest(open_store(index))
    changes = {name: value for name, value in options.items() if value is not None}
    return (last.options if last else IngestOptions()).model_copy(update=changes)


def blog_of(index: Location) -> Blog:
    """Return the index and, if `find_content` finds it, the last ingest's content folder."""
    last = read_last_ingest(open_store(index))
    content = find_content(last) if last else None
    return Blog(str(index), str(content)) if content else Blog(str(index))


def find_content(last: LastIngest) -> Path | None:
    """Return the last ingest's folder, else a sibling with its first 20 files, else `None`."""
    folder, sources = Path(last.content), [*last.files][:20]
    if folder.is_dir():
        return folder
    with suppress(OSError):
        for other in sorted(folder.parent.iterdir()):
            if sources and all((other / source).is_file() for source in sources):
                return other
    return None


def choose_index(content: Path) -> Path:
    """Choose the index's folder: beside the content folder, or inside it if it is a site's root.

    If a record says that the index there is of another folder that exists, the content folder's
    name is appended. An index without a record, or whose folder is gone (or moved), is reused.
    """
    folder = content.resolve()
    # In Jekyll and Quarto the content folder is the site's root.
    settings = ("_config.yml", "_config.yaml", "_quarto.yml", "_quarto.yaml")
    is_site = any((folder / name).exists() for name in settings)
    home = folder if is_site else folder.parent
    last = read_last_ingest(open_store(home / DEFAULT_FOLDER))
    if last is None or last.content == format_folder(folder) or not Path(last.content).is_dir():
        return home / DEFAULT_FOLDER
    return home / f"{DEFAULT_FOLDER}-{folder.name}"


def require_recorded(index: Location, content: Path) -> None:
    """Raise IndexProblem if `index` exists and no ingest on this machine made it there."""
    store = open_store(index)
    last = read_last_ingest(store)
    inode = last.inode if last else None
    if (last or store.stamp()) and inode != store.layout.root.stat().st_ino:
        raise IndexProblem(
            f"{index} is no index that an ingest on this machine left there, as one that came with "
            f"a repository is not; to use it: `{command('setup', content, '--index', index)}`."
        )
