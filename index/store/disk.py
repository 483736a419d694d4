"""What a disk refused, whichever library noticed: its error in, one sentence out.

Each library's error is told from a bug of ours where it enters: the lexical index's in
`index.lexical.writer`, SQLite's and the system's where `refusals_told` says so.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from blog_search_mcp.index.errors import IndexProblem

_REFUSED = {
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
}


def unwritable(error: Exception) -> IndexProblem:
    """What to raise when the index could not be written."""
    known = error.strerror if isinstance(error, OSError) else None
    reason = f": {known}" if known else ""
    return IndexProblem(
        f"The index could not be written{reason}. Nothing in it has changed; "
        "check the disk's space and the folder's permissions, then run again."
    )


@contextmanager
def refusals_told() -> Iterator[None]:
    """Whatever the system or SQLite says of the disk in this block, in one sentence.

    Raises IndexProblem for it, and anything else as it is.
    """
    try:
        yield
    except OSError as error:
        raise unwritable(error) from error
    except sqlite3.OperationalError as error:
        if not is_refused(error):
            raise
        raise unwritable(error) from error


def is_refused(error: sqlite3.OperationalError) -> bool:
    """Whether the disk is the reason, and not the statement."""
    return error.sqlite_errorcode & 0xFF in _REFUSED


SUFFIX = ".damaged"


def set_aside(path: Path, *companions: str) -> str:
    """Rename `path`, and the files whose names are its own and a companion's, to `….damaged`.

    An earlier file of that name is replaced, so that a failing disk is not filled. Returns the
    new name. Raises OSError.
    """
    aside = path.with_name(path.name + SUFFIX)
    path.replace(aside)
    for companion in companions:
        beside = path.with_name(path.name + companion)
        if beside.exists():
            beside.replace(aside.with_name(aside.name + companion))
        else:
            aside.with_name(aside.name + companion).unlink(missing_ok=True)
    return aside.name
