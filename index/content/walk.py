"""A content folder comes in; the files that are posts go out, with what was left out and why.

The walk opens no post: it only lists, so an incremental ingest can skip unchanged files by
their size and time, and a server can tell that its index is behind (`index.content.changes`). What
a post is called is the ingest's to say, by its suffixes. What the author leaves out
(`index.content.ignore_files`) is left out silently; anything else that cannot be indexed is
reported. Linked
files are followed while they stay inside the content folder, so that no link makes a file of the
machine's public; linked folders are not, so a walk always ends and no post appears twice.
"""

import errno
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from blog_search_mcp.index.content.ignore_files import Ignores, ignores_in, left_out
from blog_search_mcp.index.content.read_file import LEAVES, cannot_read, unfit
from blog_search_mcp.index.errors import ContentError, UsageError


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file that is a post by its name; it has not been opened yet."""

    source: str
    """Path below the content folder, with `/`; spelled as on disk, neither folded nor composed."""
    path: Path
    """Where its bytes are; of a linked file, where the link leads."""
    size: int
    """Bytes."""
    mtime_ns: int
    """Time of last change, nanoseconds since 1970."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file or folder that is left out, and why."""

    source: str
    """Like `SourceFile.source`; bytes that are no UTF-8 are written as `\\xff`."""
    reason: str


@dataclass(frozen=True, slots=True)
class Walk:
    """What a content folder holds; both sorted by source."""

    files: tuple[SourceFile, ...]
    skipped: tuple[Skipped, ...]


@dataclass(frozen=True, slots=True)
class _Folder:
    path: Path
    prefix: str
    """`""` for the content folder, else its source with a `/` at the end."""
    ignores: tuple[Ignores, ...]
    """Each `.blogignore` that applies to it from outside, outermost first."""


def walk(content: Path, suffixes: tuple[str, ...]) -> Walk:
    """List the files below `content` whose names end in one of `suffixes`, in any case.

    Raises ContentError if `content` is no readable folder or a `.blogignore` cannot be read.
    """
    root = _root(content)
    found: list[SourceFile | Skipped] = []
    folders = [_Folder(root, "", ())]
    while folders:
        for item in _list(root, folders.pop(), suffixes):
            if isinstance(item, _Folder):
                folders.append(item)
            else:
                found.append(item)
    found.sort(key=lambda item: item.source)
    return Walk(
        tuple(item for item in found if isinstance(item, SourceFile)),
        tuple(item for item in found if isinstance(item, Skipped)),
    )


def refuse_inside(content: Path, index: Path) -> None:
    """Raise UsageError if posts lie in the index folder, or ContentError if there are none.

    An ingest deletes folders there that look like generations of its own.
    """
    if _root(content).is_relative_to(os.path.realpath(index)):
        raise UsageError(
            f"The content folder {content} lies in the index folder. "
            "Give the index a folder of its own: --index DIR."
        )


def _root(content: Path) -> Path:
    try:
        root = content.resolve(strict=True)
        with os.scandir(root):
            return root
    except FileNotFoundError as error:
        message = f"There is no content folder {content}. Give the folder that holds the posts."
        raise ContentError(message) from error
    except NotADirectoryError as error:
        message = f"{content} is a file, not a folder. Give the folder that holds the posts."
        raise ContentError(message) from error
    except (OSError, RuntimeError) as error:
        message = f"The content folder {content}: {cannot_read(error)}."
        raise ContentError(message) from error


def _list(
    root: Path, folder: _Folder, suffixes: tuple[str, ...]
) -> Iterator[SourceFile | Skipped | _Folder]:
    try:
        with os.scandir(folder.path) as entries:
            names = list(entries)
    except OSError as error:
        yield Skipped(folder.prefix.rstrip("/"), cannot_read(error))
        return
    ignores = folder.ignores + ignores_in(root, folder.path, folder.prefix)
    for entry in names:
        is_post = entry.name.lower().endswith(suffixes)
        item = _classify(root, entry, folder.prefix + entry.name, is_post, ignores)
        if item is not None:
            yield item


def _classify(
    root: Path, entry: os.DirEntry[str], source: str, is_post: bool, ignores: tuple[Ignores, ...]
) -> SourceFile | Skipped | _Folder | None:
    is_folder = _is_folder(entry)
    if not (is_folder or is_post) or left_out(entry.name, source, is_folder, ignores):
        return None
    printable = os.fsencode(source).decode("utf-8", "backslashreplace")
    if printable != source:
        return Skipped(printable, "its name is not valid UTF-8; rename it")
    if not is_folder:
        return _file(root, entry, source)
    if entry.is_symlink():
        return Skipped(source, "linked folders are not followed; put the posts in the folder")
    return _Folder(Path(entry.path), source + "/", ignores)


def _file(root: Path, entry: os.DirEntry[str], source: str) -> SourceFile | Skipped:
    try:
        path = Path(entry.path).resolve(strict=True) if entry.is_symlink() else Path(entry.path)
        status = path.stat()
        readable = os.access(path, os.R_OK)
    except (OSError, RuntimeError) as error:
        return Skipped(source, cannot_read(error))
    if entry.is_symlink() and not path.is_relative_to(root):
        return Skipped(source, LEAVES)
    if reason := unfit(status):
        return Skipped(source, reason)
    if not readable:
        refused = PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return Skipped(source, cannot_read(refused))
    return SourceFile(source, path, status.st_size, status.st_mtime_ns)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False
