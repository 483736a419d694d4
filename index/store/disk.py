"""Errors of the disk, whichever library met them, shared files, and quarantine of damaged ones.

Each library's error is told from a bug of ours where it enters: the lexical index's in
`index.lexical.writer`, SQLite's and the system's by `translate_disk_errors`.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from blog_search_mcp.index.errors import IndexProblem

_DISK_CODES = {
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
}


def make_disk_error(error: Exception) -> IndexProblem:
    """Make what to raise when the index could not be written."""
    known = error.strerror if isinstance(error, OSError) else None
    reason = f": {known}" if known else ""
    return IndexProblem(
        f"The index could not be written{reason}. Nothing in it has changed; "
        "check the disk's space and the folder's permissions, then run again."
    )


@contextmanager
def translate_disk_errors() -> Iterator[None]:
    """Raise IndexProblem for what the system or SQLite reports of the disk in this block.

    Anything else is raised as it is.
    """
    try:
        yield
    except OSError as error:
        raise make_disk_error(error) from error
    except sqlite3.OperationalError as error:
        if not is_disk_error(error):
            raise
        raise make_disk_error(error) from error


def is_disk_error(error: sqlite3.DatabaseError) -> bool:
    """Whether the disk is the reason, and not the statement or what was read."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _DISK_CODES


SUFFIX = ".damaged"


def quarantine(path: Path, *companions: str, replace: bool = True) -> str:
    """Rename `path`, and the files whose names are its own and a companion's, to `….damaged`.

    An earlier file of that name is replaced, so that a failing disk is not filled; not so with
    `replace` off, where the name gets a number. Returns the new name. Raises OSError.
    """
    damaged, number = path.with_name(path.name + SUFFIX), 1
    while not replace and damaged.exists():
        number += 1
        damaged = path.with_name(f"{path.name}{SUFFIX}-{number}")
    path.replace(damaged)
    for companion in companions:
        beside = path.with_name(path.name + companion)
        if beside.exists():
            beside.replace(damaged.with_name(damaged.name + companion))
        else:
            damaged.with_name(damaged.name + companion).unlink(missing_ok=True)
    return damaged.name


def link_or_copy(earlier: Path, later: Path) -> None:
    """Share a file between generations, or copy it where the disk has no links. Raises OSError.

    It must never change: a generation stays whole when another one is deleted, and a linked file
    keeps its checksum in the manifest. A disk that refuses more than links refuses the copy too.
    """
    try:
        os.link(earlier, later)
    except OSError:
        shutil.copyfile(earlier, later)
