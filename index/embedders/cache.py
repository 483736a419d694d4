"""Embeddings already paid for: (embedder, text) → vector, across rebuilds.

Keys are hashes of the embedder's identity and the text, so another model, prefix or version
of the weights never meets an old vector. A server's version is no part of them, since most
updates change no vector: vectors go by the fingerprint that was first seen, and while an
update leaves that as it was, they are used on. Every batch is committed when it comes back,
so that a run that is killed keeps what it has embedded. A file that fails is replaced in the
middle of a run, and `warnings` says so.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

import numpy as np

from blog_search_mcp.index.embedders.fingerprint import SAME, least_cosine
from blog_search_mcp.index.errors import IndexProblem
from blog_search_mcp.index.store.disk import quarantine

if TYPE_CHECKING:
    from blog_search_mcp.index.types import EmbedderIdentity, Vectors

T = TypeVar("T")

SCHEMA: Final = 1
"""In the file's user_version; raise it when an older program would misread what is written now."""

LOCK_TIMEOUT = 5.0
"""Seconds to wait for another program's lock; sqlite3's own."""

_TABLES: Final = """
CREATE TABLE embeddings (key BLOB PRIMARY KEY, vector BLOB, seal BLOB) WITHOUT ROWID;
CREATE TABLE canaries (identity TEXT, canaries TEXT);
"""
"""As earlier versions made them, and so are the keys: other names would have every post embedded
again. A `seal` is a checksum, `canaries` are the vectors of a fingerprint."""
_CHECKSUM_BYTES: Final = 8

_DISK_FAILS: Final = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM}
_DAMAGED: Final = {sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
"""Primary result codes (sqlite.org/rescode.html); SQLITE_ERROR is a table that is not there."""
_NO_CODE: Final = -1
"""Of what Python's own sqlite3 raises, which says nothing about the file."""


class _ForeignFile(sqlite3.DatabaseError):
    """The file is no cache of this version of the program."""


class KeptVectors(Protocol):
    """A cache of one embedder's vectors, wherever it lies. Raises IndexProblem."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the author should know about the cache, in sentences."""

    def get(self, texts: Sequence[str]) -> dict[str, Vectors]:
        """Return the vectors that are here, by text."""

    def put(self, texts: Sequence[str], vectors: Vectors) -> None:
        """Keep one vector for each text; once this returns, killing the process loses none."""


class EmbeddingCache:
    """The vectors of one embedder's documents; empty while the file is out of reach."""

    def __init__(self, path: Path, identity: EmbedderIdentity) -> None:
        """Open the file at `path`, whatever state it is in. Raises IndexProblem."""
        self._path = path
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._out_of_reach = False
        self._warnings: list[str] = []
        self._damaged = 0
        canonical = write_identity(identity)
        self._salt = salt_of(canonical + self._adopt_fingerprint(canonical, identity))

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the author should know about the cache, in sentences."""
        if not self._damaged:
            return tuple(self._warnings)
        lost = f"Damaged vectors in the embedding cache, made anew: {self._damaged}."
        return (*self._warnings, lost)

    def close(self) -> None:
        """Close the file."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def get(self, texts: Sequence[str]) -> dict[str, Vectors]:
        """Return the vectors that are here, by text. Raises IndexProblem."""
        keys = {text: key_of(text, self._salt) for text in texts}
        query = "SELECT vector, seal FROM embeddings WHERE key = ?"
        rows: dict[str, tuple[object, object] | None] = self._run(
            lambda opened: {t: opened.execute(query, [k]).fetchone() for t, k in keys.items()}, {}
        )
        found = {}
        for text, row in rows.items():
            if row is None:
                continue
            vector, checksum = row
            if isinstance(vector, bytes) and checksum == checksum_of(keys[text], vector):
                found[text] = np.frombuffer(vector, dtype="<f4")
            else:
                self._damaged += 1
        return found

    def put(self, texts: Sequence[str], vectors: Vectors) -> None:
        """Keep one vector for each text; once this returns, killing the process loses none.

        Raises IndexProblem.
        """
        keys = [key_of(text, self._salt) for text in texts]
        blobs = [np.asarray(vector, dtype="<f4").tobytes() for vector in vectors]
        rows = [(k, v, checksum_of(k, v)) for k, v in zip(keys, blobs, strict=True)]

        def insert(connection: sqlite3.Connection) -> None:
            with connection:
                statement = "INSERT OR REPLACE INTO embeddings VALUES (?, ?, ?)"
                connection.executemany(statement, rows)

        self._run(insert, None)

    def _adopt_fingerprint(self, canonical: str, identity: EmbedderIdentity) -> str:
        """Return the fingerprint that this identity's vectors go by: the first seen that is equal.

        Empty for an embedder without one.
        """
        if identity.fingerprint is None:
            self._run(lambda _opened: None, None)
            return ""
        own = identity.fingerprint.vectors

        def adopt(connection: sqlite3.Connection) -> str:
            query = "SELECT canaries FROM canaries WHERE identity = ? ORDER BY rowid"
            for (known,) in connection.execute(query, [canonical]).fetchall():
                if least_cosine(known, own, identity.dimension) >= SAME:
                    return str(known)
            with connection:
                connection.execute("INSERT INTO canaries VALUES (?, ?)", [canonical, own])
            return own

        return self._run(adopt, own)

    def _run(self, work: Callable[[sqlite3.Connection], T], without: T) -> T:
        """Do `work`, while other threads wait; `without` if no file can be used.

        Only a file that a connection of its own finds damaged is replaced by a new one. After any
        other error that may be this connection's, `work` is done once more by a new one. Raises
        IndexProblem if the disk fails.
        """
        with self._lock:
            for is_first in (True, False):
                if self._out_of_reach:
                    break
                try:
                    self._connection = self._connection or _connect(self._path)
                    return work(self._connection)
                except sqlite3.DatabaseError as error:
                    self.close()
                    code = _primary_code(error)
                    if code in _DISK_FAILS:
                        raise IndexProblem(
                            f"The index's {self._path.name} cannot be used: {error}. Check the "
                            "disk's space and the folder's permissions, then run again."
                        ) from error
                    can_go_on = is_first and code in {*_DAMAGED, _NO_CODE}
                    if can_go_on and _is_damaged(self._path):
                        can_go_on = self._set_aside(error)
                    if not can_go_on:
                        self._out_of_reach = True
                        self._warnings.append(
                            f"The embedding cache {self._path.name} cannot be used ({error}), so "
                            "this run embeds every text it needs and keeps none. Free the file, "
                            "and the next run uses it again."
                        )
        return without

    def _set_aside(self, error: sqlite3.DatabaseError) -> bool:
        try:
            is_foreign = isinstance(error, _ForeignFile)
            aside = quarantine(self._path, "-wal", "-shm", replace=not is_foreign)
        except OSError:
            return False
        what = "was damaged and"
        if is_foreign:
            what = f"was no {self._path.name} of this version of blog-search-mcp. It"
        self._warnings.append(
            f"The embedding cache {what} is kept as {aside}, and texts are embedded anew."
        )
        return True


def open_cache(path: Path, identity: EmbedderIdentity) -> closing[EmbeddingCache]:
    """Open the cache at `path`; one that is missing or broken is made anew.

    Raises IndexProblem if the disk fails.
    """
    return closing(EmbeddingCache(path, identity))


def write_identity(identity: EmbedderIdentity) -> str:
    """Write what vectors depend on, but for the fingerprint that they go by."""
    fields = asdict(identity) | {"normalisation": "l2"}
    del fields["fingerprint"]
    return json.dumps(fields, sort_keys=True)


def salt_of(identity: str) -> bytes:
    """Hash what `write_identity` wrote together with the fingerprint."""
    return hashlib.blake2b(identity.encode(), digest_size=32).digest()


def key_of(text: str, salt: bytes) -> bytes:
    """Hash a text with its embedder's salt."""
    content = text.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(content, digest_size=16, key=salt).digest()


def checksum_of(key: bytes, vector: bytes) -> bytes:
    """Return what is kept beside a vector: SQLite itself does not notice a flipped bit."""
    return hashlib.blake2b(vector, digest_size=_CHECKSUM_BYTES, key=key).digest()


def _primary_code(error: sqlite3.DatabaseError) -> int:
    code: int = getattr(error, "sqlite_errorcode", _NO_CODE)
    return code & 0xFF if code >= 0 else code


def _is_damaged(path: Path) -> bool:
    """Whether SQLite itself finds damage in the file, or it is no cache of this version.

    An error that says neither counts as none.
    """
    try:
        with closing(_connect(path)) as connection:
            return connection.execute("PRAGMA quick_check(1)").fetchall() != [("ok",)]
    except _ForeignFile:
        return True
    except sqlite3.DatabaseError as error:
        return _primary_code(error) in _DAMAGED


def _connect(path: Path) -> sqlite3.Connection:
    """Open the file, made if there is none, for threads that take turns.

    Raises sqlite3.DatabaseError.
    """
    if path.exists() and not path.is_file():
        raise _ForeignFile("not a file")
    connection = sqlite3.connect(path, timeout=LOCK_TIMEOUT, check_same_thread=False)
    try:
        [version] = connection.execute("PRAGMA user_version").fetchone()
        [tables] = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        if version != SCHEMA and (version or tables):
            raise _ForeignFile(f"its version is {version}, not {SCHEMA}")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        if version != SCHEMA:
            connection.executescript(f"BEGIN; {_TABLES} PRAGMA user_version = {SCHEMA}; COMMIT;")
        connection.execute("SELECT key, vector, seal FROM embeddings LIMIT 1")
        connection.execute("SELECT identity, canaries FROM canaries LIMIT 1")
    except sqlite3.DatabaseError:
        connection.close()
        raise
    return connection
