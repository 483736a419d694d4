"""What a disk refused, whichever library noticed: its error in, one sentence out.

Each library's error is told from a bug of ours where it enters: the lexical index's in
`index.lexical_writer`, SQLite's in `index.catalog_writer`, the system's in `index.builder`.
"""

from __future__ import annotations

import sqlite3

from index.errors import IndexProblem

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


def is_refused(error: sqlite3.OperationalError) -> bool:
    """Whether the disk is the reason, and not the statement."""
    return error.sqlite_errorcode & 0xFF in _REFUSED
