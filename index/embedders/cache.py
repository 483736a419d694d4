"""Embeddings already paid for: (embedder, text) → vector, across rebuilds.

Keys are hashes of the embedder's whole identity, its role prefix and the text,
so another model, prefix or version of the weights never meets an old vector. A
server's version is no part of them, since most updates change no vector: what the
canaries (`index.embedders.fingerprint`) were when the first vector came in is, and while an
update leaves those as they were, its vectors belong to the same.
Every batch is committed when it comes back: a run that is interrupted keeps
what it has computed. A file that fails is mended in the middle of a run
(`index.embedders.cache`); what became of it stands in `warnings`.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from blog_search_mcp.index.embedders.fingerprint import SAME, likeness, unpacked
from blog_search_mcp.index.errors import IndexProblem
from blog_search_mcp.index.store.disk import set_aside
from blog_search_mcp.index.types import EmbedderIdentity

if TYPE_CHECKING:
    from blog_search_mcp.index.types import Vectors

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


T = TypeVar("T")

_MENDS = 2
"""A damaged file is replaced by a new one, and that one, if it fails too, by memory."""


class EmbeddingCache:
    """The vectors of one embedder's documents; use `open_cache`."""

    def __init__(self, path: Path, identity: EmbedderIdentity) -> None:
        """Open the file at `path`, whatever state it is in. Raises IndexProblem."""
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._said: list[str] = []
        self._damaged = 0
        fields = asdict(identity)
        del fields["fingerprint"]
        canonical = json.dumps(fields, sort_keys=True)
        salt = canonical + self._canaries(canonical, identity)
        self._salt = hashlib.blake2b(salt.encode(), digest_size=32).digest()

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the author should know about the cache, in sentences."""
        if not self._damaged:
            return tuple(self._said)
        lost = f"Damaged vectors in the embedding cache, made anew: {self._damaged}."
        return (*self._said, lost)

    def close(self) -> None:
        """Let go of the file."""
        if self._connection is not None:
            self._connection.close()

    def get(self, texts: Sequence[str]) -> dict[str, Vectors]:
        """The vectors that are here, by text. Raises IndexProblem."""
        found = {}
        for text in dict.fromkeys(texts):
            vector = self._vector(self._key(text))
            if vector is not None:
                found[text] = np.frombuffer(vector, dtype="<f4")
        return found

    def put(self, texts: Sequence[str], vectors: Vectors) -> None:
        """Keep one vector for each text; once this returns, killing the process loses none.

        Raises IndexProblem.
        """
        rows = [
            _row(self._key(text), np.asarray(vector, dtype="<f4").tobytes())
            for text, vector in zip(texts, vectors, strict=True)
        ]

        def insert(connection: sqlite3.Connection) -> None:
            with connection:
                statement = "INSERT OR REPLACE INTO embeddings VALUES (?, ?, ?)"
                connection.executemany(statement, rows)

        self._with_connection(insert)

    def _vector(self, key: bytes) -> bytes | None:
        query = "SELECT vector, seal FROM embeddings WHERE key = ?"
        row = self._with_connection(lambda opened: opened.execute(query, [key]).fetchone())
        if row is None:
            return None
        vector, seal = row
        if not isinstance(vector, bytes) or seal != seal_of(key, vector):
            self._damaged += 1
            return None
        return vector

    def _canaries(self, canonical: str, identity: EmbedderIdentity) -> str:
        """The canaries that this identity's vectors go by: the first seen that are the same."""
        own = identity.fingerprint.canaries if identity.fingerprint else ""
        rows = unpacked(own, identity.dimension) if own else None

        def first_same(connection: sqlite3.Connection) -> str:
            query = "SELECT canaries FROM canaries WHERE identity = ? ORDER BY rowid"
            for (known,) in connection.execute(query, [canonical]).fetchall():
                if rows is not None and likeness(known, rows) >= SAME:
                    return str(known)
            with connection:
                connection.execute("INSERT INTO canaries VALUES (?, ?)", [canonical, own])
            return own

        return self._with_connection(first_same if own else lambda _opened: "")

    def _with_connection(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Do `work`; if the cache fails, mend it and do the work again."""
        for _ in range(_MENDS):
            try:
                return work(self._opened())
            except sqlite3.DatabaseError as error:
                self.close()
                mended = mend(self._path, error)
                self._connection = mended.connection
                self._said.append(mended.said)
        try:
            return work(self._opened())
        except sqlite3.DatabaseError as error:
            raise failing(self._path, error) from error

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = connect(self._path)
        return self._connection

    def _key(self, text: str) -> bytes:
        content = text.encode("utf-8", "surrogatepass")
        return hashlib.blake2b(content, digest_size=16, key=self._salt).digest()


@contextmanager
def open_cache(path: Path, identity: EmbedderIdentity) -> Iterator[EmbeddingCache]:
    """The cache at `path`, made if there is none and mended if it is broken.

    Raises IndexProblem if the disk fails.
    """
    cache = EmbeddingCache(path, identity)
    try:
        yield cache
    finally:
        cache.close()


def _row(key: bytes, vector: bytes) -> tuple[bytes, bytes, bytes]:
    return key, vector, seal_of(key, vector)
