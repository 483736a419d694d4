"""Read untrusted files: posts, their parts, and settings of sites and vaults.

A file may be a link out of its folder, a pipe or of any size, and may be replaced at any moment.
"""

import codecs
import errno
import os
import stat
from functools import partial
from pathlib import Path

from blog_search_mcp.index.errors import UnreadablePost

BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before utf-16-le, whose mark is its first half
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
"""Byte order marks and their encodings. PowerShell writes UTF-16 and UTF-8 with a mark."""
_ABSENT = (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG)
MAX_BYTES = 16 * 1024 * 1024
"""Maximum bytes of a file, about ten times the size of the longest real page seen (1.3 MB)."""


def read_file(folder: Path, name: str) -> bytes:
    """Read a regular file by its POSIX path below `folder`; no part of the path may be a link.

    Links in the path of `folder` itself are followed. Raises UnreadablePost.
    """
    try:
        with open(name, "rb", opener=partial(_open_below, folder)) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise UnreadablePost("it is not a regular file; name it in a .blogignore")
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise UnreadablePost(describe_os_error(error)) from error
    if len(content) > MAX_BYTES:
        raise UnreadablePost(f"it is over {MAX_BYTES >> 20} MB; split it, or add it to .blogignore")
    return content


def read_if_there(folder: Path, name: str) -> bytes | None:
    """Read a file as `read_file` does; return `None` if it does not exist."""
    try:
        return read_file(folder, name)
    except UnreadablePost as error:
        if getattr(error.__cause__, "errno", 0) in _ABSENT:
            return None
        raise


def decode_settings(data: bytes) -> str:
    """Decode a settings file by its byte order mark, else as UTF-8. Raises UnicodeError."""
    mark, encoding = find_encoding(data)
    return data[len(mark) :].decode(encoding)


def find_encoding(data: bytes) -> tuple[bytes, str]:
    """Return a file's byte order mark and encoding; `b""` and UTF-8 if there is no mark."""
    return next((each for each in BOMS if data.startswith(each[0])), (b"", "utf-8"))


def describe_os_error(error: OSError) -> str:
    """Return the reason and the remedy of an error, without paths of this machine."""
    if error.errno in (errno.ELOOP, errno.EMLINK):  # EMLINK on FreeBSD
        return "links are not followed; put the file itself in the folder"
    return f"it cannot be read: {error.strerror}; check the file and its permissions"


def _open_below(folder: Path, name: str, flags: int) -> int:
    """Open each folder of a path in turn, so that none can become a link. Raises OSError."""
    flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    if os.open not in os.supports_dir_fd:  # on Windows, which cannot exclude a link made meanwhile
        if (folder / name).resolve() != folder.resolve() / name:
            raise OSError(errno.ELOOP, "")
        return os.open(folder / name, flags)
    first, *others = name.split("/")
    opened = os.open(folder / first, flags)
    for other in others:
        above = opened
        try:
            opened = os.open(other, flags, dir_fd=above)
        finally:
            os.close(above)
    return opened
