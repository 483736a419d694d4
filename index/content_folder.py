"""A content folder comes in; the files that are posts go out, with what was left out and why.

The walk opens no post: it only lists, so an incremental ingest can skip unchanged files by
their size and time, and a server can tell that its index is behind (`index.changes`). What a
post is called is the ingest's to say, by its suffixes. Hidden names, `node_modules` and what a
`.blogignore` (gitignore syntax, in any folder) names are the author's own choice and are left
out silently; anything else that cannot be indexed is reported. Linked files are followed while
they stay inside the content folder; linked folders are not, so a walk always ends and no post
appears twice through one.
"""

import errno
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pathspec import GitIgnoreSpec

from index.errors import ContentError, UnreadablePost

IGNORE_FILE = ".blogignore"
MAX_BYTES = 16 * 1024 * 1024
"""Largest file read as a post: about ten times the longest page met in real sites (1.3 MB)."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file that is a post by its name; it has not been opened yet."""

    source: str
    """Path below the content folder, with `/`; spelled as on disk, neither folded nor composed."""
    path: Path
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
    ignores: tuple[tuple[str, GitIgnoreSpec], ...]
    """Prefix and patterns of each `.blogignore` that applies here, outermost first."""


def walk(content: Path, suffixes: tuple[str, ...]) -> Walk:
    """List the files below `content` whose names end in one of `suffixes`, in any case.

    Raises ContentError if `content` is no readable folder or a `.blogignore` cannot be read:
    going on without it could publish what the author meant to keep out.
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


def read(file: SourceFile) -> bytes:
    """Read the bytes of a post. Raises UnreadablePost if they cannot be had."""
    try:
        return file.path.read_bytes()
    except OSError as error:
        raise UnreadablePost(_cannot_read(error)) from error


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
        message = (
            f"The content folder {content} cannot be read: {_reason(error)}. Check its permissions."
        )
        raise ContentError(message) from error


def _list(
    root: Path, folder: _Folder, suffixes: tuple[str, ...]
) -> Iterator[SourceFile | Skipped | _Folder]:
    try:
        with os.scandir(folder.path) as entries:
            names = list(entries)
    except OSError as error:
        yield Skipped(folder.prefix.rstrip("/"), _cannot_read(error))
        return
    ignores = folder.ignores + _ignores(folder)
    for entry in names:
        is_post = entry.name.lower().endswith(suffixes)
        item = _classify(root, entry, folder.prefix + entry.name, is_post, ignores)
        if item is not None:
            yield item


def _classify(
    root: Path,
    entry: os.DirEntry[str],
    source: str,
    is_post: bool,
    ignores: tuple[tuple[str, GitIgnoreSpec], ...],
) -> SourceFile | Skipped | _Folder | None:
    is_folder = _is_folder(entry)
    if not (is_folder or is_post) or _left_out(entry.name, source, is_folder, ignores):
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
        return Skipped(source, _cannot_read(error))
    if entry.is_symlink() and not path.is_relative_to(root):
        return Skipped(source, "it is a link that leaves the content folder; copy the file into it")
    if not stat.S_ISREG(status.st_mode):
        return Skipped(source, "it is not a regular file; name it in a .blogignore")
    if status.st_size > MAX_BYTES:
        return Skipped(
            source,
            f"it is larger than {MAX_BYTES // 1024**2} MB; split it, or name it in a .blogignore",
        )
    if not readable:
        return Skipped(
            source, _cannot_read(PermissionError(errno.EACCES, os.strerror(errno.EACCES)))
        )
    return SourceFile(source, Path(entry.path), status.st_size, status.st_mtime_ns)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _left_out(
    name: str, source: str, is_folder: bool, ignores: tuple[tuple[str, GitIgnoreSpec], ...]
) -> bool:
    if name.startswith(".") or name == "node_modules":
        return True
    path = source + "/" if is_folder else source
    for prefix, spec in reversed(ignores):
        decision = spec.check_file(path[len(prefix) :]).include
        if decision is not None:
            return decision
    return False


def _ignores(folder: _Folder) -> tuple[tuple[str, GitIgnoreSpec], ...]:
    path = folder.path / IGNORE_FILE
    try:
        lines = path.read_text(encoding="utf-8-sig", errors="surrogateescape").splitlines()
        return ((folder.prefix, GitIgnoreSpec.from_lines(lines)),)
    except FileNotFoundError:
        return ()
    except (OSError, ValueError, re.error) as error:
        message = f"{folder.prefix}{IGNORE_FILE} cannot be used: {error}. Correct or delete it."
        raise ContentError(message) from error


def _cannot_read(error: OSError | RuntimeError) -> str:
    return f"it cannot be read: {_reason(error)}; check the file and its permissions"


def _reason(error: OSError | RuntimeError) -> str:
    """Name the failure without the machine's paths; a RuntimeError is pathlib's word for a loop."""
    return str(error.strerror) if isinstance(error, OSError) else os.strerror(errno.ELOOP)
