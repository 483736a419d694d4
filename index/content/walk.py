"""List the files of a content folder that are posts, and what is left out with the reason.

The walk opens no post, so an incremental ingest can skip unchanged files by size and time, and a
server can tell that its index is behind (`index.content.changes`). What the author leaves out
(`index.content.ignore_files`) is not reported; anything else that cannot be indexed is. Linked
files are followed while they stay inside the content folder, so that no link makes a file of the
machine public; linked folders are not, so a walk always ends and no post appears twice.
"""

import errno
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from blog_search_mcp.index.content.ignore_files import IgnoreFile, is_ignored, read_ignore_file
from blog_search_mcp.index.content.read_file import LEAVES, describe_failure, find_obstacle
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
    """Like `SourceFile.source`; bytes that are not UTF-8 are written as `\\xff`."""
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
    ignores: tuple[IgnoreFile, ...]
    """Each `.blogignore` that applies to it from outside, outermost first."""


def walk(content: Path, suffixes: tuple[str, ...]) -> Walk:
    """List the files below `content` whose names end in one of `suffixes`, in any case.

    Raises ContentError if `content` is no readable folder or a `.blogignore` cannot be read.
    """
    root = _resolve_root(content)
    files: list[SourceFile] = []
    skipped: list[Skipped] = []
    folders = [_Folder(root, "", ())]
    while folders:
        for item in _list_folder(root, folders.pop(), suffixes):
            match item:
                case _Folder():
                    folders.append(item)
                case SourceFile():
                    files.append(item)
                case Skipped():
                    skipped.append(item)
    return Walk(
        tuple(sorted(files, key=lambda file: file.source)),
        tuple(sorted(skipped, key=lambda skip: skip.source)),
    )


def refuse_inside(content: Path, index: Path) -> None:
    """Raise UsageError if posts lie in the index folder, or ContentError if there are none.

    An ingest deletes folders there that look like generations of its own.
    """
    if _resolve_root(content).is_relative_to(os.path.realpath(index)):
        raise UsageError(
            f"The content folder {content} lies in the index folder. "
            "Give the index a folder of its own: --index DIR."
        )


def _resolve_root(content: Path) -> Path:
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
        raise ContentError(f"The content folder {content}: {describe_failure(error)}.") from error


def _list_folder(
    root: Path, folder: _Folder, suffixes: tuple[str, ...]
) -> Iterator[SourceFile | Skipped | _Folder]:
    try:
        with os.scandir(folder.path) as entries:
            names = list(entries)
    except OSError as error:
        yield Skipped(folder.prefix.rstrip("/"), describe_failure(error))
        return
    own = read_ignore_file(root, folder.path, folder.prefix)
    ignores = (*folder.ignores, own) if own else folder.ignores
    for entry in names:
        source = folder.prefix + entry.name
        is_folder = _is_folder(entry)
        if not (is_folder or entry.name.lower().endswith(suffixes)):
            continue
        if is_ignored(entry.name, source, is_folder, ignores):
            continue
        printable = os.fsencode(source).decode("utf-8", "backslashreplace")
        if printable != source:
            yield Skipped(printable, "its name is not valid UTF-8; rename it")
        elif not is_folder:
            yield _check_file(root, entry, source)
        elif entry.is_symlink():
            yield Skipped(source, "linked folders are not followed; put the posts in the folder")
        else:
            yield _Folder(Path(entry.path), source + "/", ignores)


def _check_file(root: Path, entry: os.DirEntry[str], source: str) -> SourceFile | Skipped:
    try:
        path = Path(entry.path).resolve(strict=True) if entry.is_symlink() else Path(entry.path)
        status = path.stat()
        if entry.is_symlink() and not path.is_relative_to(root):
            return Skipped(source, LEAVES)
        if obstacle := find_obstacle(status):
            return Skipped(source, obstacle)
        if not os.access(path, os.R_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except (OSError, RuntimeError) as error:
        return Skipped(source, describe_failure(error))
    return SourceFile(source, path, status.st_size, status.st_mtime_ns)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False
