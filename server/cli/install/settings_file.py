"""A client's settings file: its text in, the changed text out, whole or not at all.

The new file is written beside the old one and renamed over it, so that a client never reads
half of it; where the path is a link, its target is what changes.
"""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from blog_search_mcp.index.errors import ClientSettingsError

if TYPE_CHECKING:
    from collections.abc import Callable

BACKUP = ".before-blog-server"
"""Ends the name of the copy beside the file: what was there before the last change."""
_MARK = "\ufeff"
"""Windows editors begin a file with it; JSON has no place for it."""


@dataclass(frozen=True, slots=True)
class Changed:
    """What became of the file."""

    written: bool
    """Whether anything had to change."""
    backup: Path | None = None
    """Where the old content is, if there was any."""


def change(path: Path, edit: Callable[[str], str]) -> Changed:
    """Put `edit` of the file's text in its place; a file that is not there has an empty text.

    Raises ClientSettingsError, with the file as it was, if it cannot be read, understood
    or written, and whatever of ours `edit` raises.
    """
    try:
        before = _read(path)
        after = _after(before or b"", edit)
        if after == (before or b""):
            return Changed(written=False)
        backup = _write(path, before, after)
    except OSError as error:
        raise ClientSettingsError(
            f"{path} cannot be changed: {error.strerror}. Correct that and run this again."
        ) from error
    except (ValueError, RecursionError) as error:
        raise ClientSettingsError(
            f"{path} cannot be used and was left as it is: {error}. Correct it and run this again."
        ) from error
    return Changed(written=True, backup=backup)


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _after(before: bytes, edit: Callable[[str], str]) -> bytes:
    text = before.decode()
    mark = _MARK if text.startswith(_MARK) else ""
    return (mark + edit(text.removeprefix(_MARK))).encode()


def _write(path: Path, before: bytes | None, after: bytes) -> Path | None:
    target = path.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    if before is None:
        _replace(target, after, None)
        return None
    backup = path.with_name(path.name + BACKUP)
    like = target.stat()
    _replace(backup, before, like)
    _replace(target, after, like)
    return backup


def _replace(target: Path, content: bytes, like: os.stat_result | None) -> None:
    """Write `target` anew in one step, with the owner and permissions of `like`."""
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    beside = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if like is not None:
            _resemble(beside, like)
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)


def _resemble(path: Path, like: os.stat_result) -> None:
    if sys.platform != "win32":
        own = path.stat()
        if (own.st_uid, own.st_gid) != (like.st_uid, like.st_gid):
            os.chown(path, like.st_uid, like.st_gid)
    path.chmod(stat.S_IMODE(like.st_mode))
