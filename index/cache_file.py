"""The SQLite file of the embedding cache: opened, judged and mended.

A broken cache must cost embeddings, never the run. What is damaged is set aside, and what can
still be read of it goes into a new file; what is only out of reach (locked, forbidden) stays
where it is, and the run goes without. A full disk is no fault of the cache and ends the run
before anything is embedded for nothing.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from index.aside import set_aside
from index.errors import IndexProblem

SCHEMA = 1
"""In the file's user_version; raise it when an older program would misread what is written now."""

_TABLES = (
    "CREATE TABLE IF NOT EXISTS embeddings "
    "(key BLOB PRIMARY KEY, vector BLOB, seal BLOB) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS canaries (identity TEXT, canaries TEXT)",
)

_COMPANIONS = ("-wal", "-shm")

_OUT_OF_REACH = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_AUTH,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PROTOCOL,
}
_FAILING = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM}
"""Primary result codes (sqlite.org/rescode.html); every other one says that the file is not ours
or damaged."""

_SEAL_BYTES = 8

PATIENCE = 5.0
"""Seconds to wait for another program's lock; sqlite3's own."""


class ForeignCache(sqlite3.DatabaseError):
    """The file is no cache of this version of the program."""


@dataclass(frozen=True, slots=True)
class Mended:
    """A cache in place of one that failed."""

    connection: sqlite3.Connection
    said: str
    """What the author should know, in one or two sentences."""


def seal_of(key: bytes, vector: bytes) -> bytes:
    """What is kept beside a vector: SQLite itself does not notice a flipped bit."""
    return hashlib.blake2b(vector, digest_size=_SEAL_BYTES, key=key).digest()


def connect(path: Path) -> sqlite3.Connection:
    """The cache at `path`, made if there is none. Raises sqlite3.DatabaseError.

    Its users take turns, and need not be one thread.
    """
    if path.exists() and not path.is_file():
        raise ForeignCache("not a file")
    return _prepared(sqlite3.connect(path, timeout=PATIENCE, check_same_thread=False))


def in_memory() -> sqlite3.Connection:
    """A cache that ends with the run."""
    return _prepared(sqlite3.connect(":memory:", check_same_thread=False))


def mend(path: Path, error: sqlite3.DatabaseError) -> Mended:
    """A cache to go on with after `error` from the one at `path`, which is closed.

    Raises IndexProblem if the disk fails.
    """
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_NOTADB) & 0xFF
    if code in _FAILING:
        raise failing(path, error) from error
    if code not in _OUT_OF_REACH:
        with suppress(OSError, sqlite3.DatabaseError):
            return _anew(path, isinstance(error, ForeignCache))
    return Mended(
        in_memory(),
        f"The embedding cache {path.name} cannot be used ({error}), so this run embeds every text "
        "it needs and keeps none. Free the file, and the next run uses it again.",
    )


def failing(path: Path, error: sqlite3.Error) -> IndexProblem:
    """What to raise when no cache can be had."""
    return IndexProblem(
        f"The index's {path.name} cannot be used: {error}. "
        "Check the disk's space and the folder's permissions, then run again."
    )


def _anew(path: Path, foreign: bool) -> Mended:
    aside = set_aside(path, *_COMPANIONS)
    connection = connect(path)
    if foreign:
        what = f"The embedding cache was no {path.name} of this version of blog-search-mcp"
        return Mended(connection, f"{what}. It is kept as {aside}, and texts are embedded anew.")
    _salvage(path.with_name(aside), connection)
    return Mended(
        connection,
        f"The embedding cache was damaged and is kept as {aside}. What could still be read of it "
        "is used on, and the other texts are embedded anew.",
    )


def _salvage(aside: Path, connection: sqlite3.Connection) -> None:
    """Take over what lies before the damage and, read from the end, what lies behind it."""
    for order in ("ASC", "DESC"):
        with suppress(sqlite3.DatabaseError), closing(sqlite3.connect(aside)) as old:
            old.text_factory = bytes
            rows = old.execute(f"SELECT key, vector, seal FROM embeddings ORDER BY key {order}")
            with connection:
                connection.executemany(
                    "INSERT OR IGNORE INTO embeddings VALUES (?, ?, ?)", _readable(rows)
                )
    with suppress(sqlite3.DatabaseError), closing(sqlite3.connect(aside)) as old, connection:
        rows = old.execute("SELECT identity, canaries FROM canaries ORDER BY rowid")
        connection.executemany("INSERT INTO canaries VALUES (?, ?)", _readable(rows))


def _readable(rows: sqlite3.Cursor) -> Iterator[tuple[object, ...]]:
    """The rows up to the first that cannot be read."""
    with suppress(sqlite3.DatabaseError):
        yield from rows


def _prepared(connection: sqlite3.Connection) -> sqlite3.Connection:
    try:
        [version] = connection.execute("PRAGMA user_version").fetchone()
        [tables] = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        if version != SCHEMA and (version or tables):
            raise ForeignCache(f"its version is {version}, not {SCHEMA}")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        if version != SCHEMA:
            for table in _TABLES:
                connection.execute(table)
            connection.execute(f"PRAGMA user_version = {SCHEMA}")
        connection.execute("SELECT key, vector, seal FROM embeddings LIMIT 1")
        connection.execute("SELECT identity, canaries FROM canaries LIMIT 1")
    except sqlite3.DatabaseError:
        connection.close()
        raise
    return connection
