"""Read files of the index that something else may have put another thing in the place of."""

from __future__ import annotations

import errno
import stat
from pathlib import Path


def regular_size(path: Path) -> int:
    """Return the bytes of a regular file. Raises OSError for anything else."""
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "Not a regular file")
    return status.st_size


def read_regular(path: Path, most: int) -> bytes:
    """Read a regular file of at most `most` bytes. Raises OSError, and reads nothing of any other.

    A pipe would never end, nor would a device.
    """
    if regular_size(path) > most:
        raise OSError(errno.EFBIG, "Too large")
    return path.read_bytes()
