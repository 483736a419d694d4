"""Read the bytes of one file that the walk found.

Between the walk and the reading a file may be deleted, replaced by a link, a pipe or a folder,
or be in the middle of a write. It is therefore opened without following a link and without
waiting, checked once it is open, and taken only if it is the same after the reading as before.
"""

import errno
import os
import stat
from pathlib import Path

from blog_search_mcp.index.errors import PostChanging, UnreadablePost

MAX_BYTES = 16 * 1024 * 1024
"""Largest file read as a post: about ten times the longest page met in real sites (1.3 MB)."""

LEAVES = "it is a link that leaves the content folder; copy the file into it"

ATTEMPTS = 3
"""A saved file is whole the next time; one that others keep writing to is not worth more."""

_FLAGS = ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY")
"""Those that the system knows: Windows has only the last."""


def read_file(path: Path) -> bytes:
    """Read a post's bytes; `path` is no link. Raises UnreadablePost, of which PostChanging."""
    for _ in range(ATTEMPTS):
        try:
            content = _read_once(path)
        except (OSError, RuntimeError) as error:
            raise UnreadablePost(describe_failure(error)) from error
        if content is not None:
            return content
    raise PostChanging("it changed while it was read; run again when it is finished")


def find_obstacle(status: os.stat_result) -> str | None:
    """Return why a file of this status cannot be a post, `None` if it can."""
    if not stat.S_ISREG(status.st_mode):
        return "it is not a regular file; name it in a .blogignore"
    if status.st_size > MAX_BYTES:
        return f"it is larger than {MAX_BYTES // 1024**2} MB; split it, or name it in a .blogignore"
    return None


def describe_failure(error: OSError | RuntimeError) -> str:
    """Describe it without the machine's paths; pathlib raises RuntimeError for a loop of links."""
    reason = error.strerror if isinstance(error, OSError) else os.strerror(errno.ELOOP)
    return f"it cannot be read: {reason}; check the file and its permissions"


def _read_once(path: Path) -> bytes | None:
    """Return the bytes, `None` if they changed meanwhile. Raises OSError or UnreadablePost."""
    with open(path, "rb", opener=_open) as file:
        before = os.fstat(file.fileno())
        if obstacle := find_obstacle(before):
            raise UnreadablePost(obstacle)
        content = file.read(MAX_BYTES + 1)
        after = os.fstat(file.fileno())
    same = (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns)
    return content if same and len(content) == after.st_size else None


def _open(path: str, flags: int) -> int:
    for name in _FLAGS:
        flags |= getattr(os, name, 0)
    return os.open(path, flags)
