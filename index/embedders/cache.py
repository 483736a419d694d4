"""Embeddings already paid for: (embedder, text) → vector, across rebuilds.

Keys are hashes of the embedder's identity and the text, so another model, prefix or version
of the weights never meets an old vector. A server's version is no part of them, since most
updates change no vector: vectors go by the fingerprint that was first seen, and while an
update leaves that as it was, they are used on. Every batch is committed when it comes back,
so that a run that is killed keeps what it has embedded.
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
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np

from blog_search_mcp.index.embedders.fingerprint import SAME, least_cosine
from blog_search_mcp.index.errors import IndexProblem
from blog_search_mcp.index.store.disk import quarantine

if TYPE_CHECKING:
    from blog_search_mcp.index.types import EmbedderIdentity, Vectors

T = TypeVar("T")

LOCK_TIMEOUT = 5.0
"""Seconds to wait for another program's lock; sqlite3's own."""

_TABLES: Final = """
BEGIN;
CREATE TABLE embeddings (key BLOB PRIMARY KEY, vector BLOB, seal BLOB) WITHOUT ROWID;
CREATE TABLE canaries (identity TEXT, canaries TEXT);
PRAGMA user_version = 1;
COMMIT;
"""
"""As earlier versions made them, and so are the keys: other names would have every post embedded
again. A `seal` is a checksum, `canaries` are the vectors of a fingerprint."""
_CHECKSUM_BYTES: Final = 8

_DAMAGED: Final = {sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
"""Primary result codes (sqlite.org/rescode.html); SQLITE_ERROR is a table that is not there."""


class EmbeddingCache:
    """The vectors of one embedder's documents in a file. Each method raises IndexProblem."""

    def __init__(self, path: Path, identity: EmbedderIdentity) -> None:
        """Open the file; one that is damaged or not ours is set aside."""
        self._path = path
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self.warnings: tuple[str, ...] = ()
        """What the author should know about the cache, in sentences."""
        canonical = write_identity(identity)
        self._salt = salt_of(canonical + self._adopt_fingerprint(canonical, identity))

    def close(self) -> None:
        """Close the file."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def get(self, texts: Sequence[str]) -> dict[str, Vectors]:
        """Return the vectors that are here, by text."""
        keys = {text: key_of(text, self._salt) for text in texts}
        query = "SELECT vector, seal FROM embeddings WHERE key = ?"

        def select(connection: sqlite3.Connection) -> dict[str, Vectors]:
            rows = {text: connection.execute(query, [key]).fetchone() for text, key in keys.items()}
            return {
                text: np.frombuffer(row[0], dtype="<f4")
                for text, row in rows.items()
                if row and isinstance(row[0], bytes) and row[1] == checksum_of(keys[text], row[0])
            }

        return self._run(select)

    def put(self, texts: Sequence[str], vectors: Vectors) -> None:
        """Keep one vector for each text; once this returns, killing the process loses none."""
        keys = [key_of(text, self._salt) for text in texts]
        blobs = [np.asarray(vector, dtype="<f4").tobytes() for vector in vectors]
        rows = [(k, v, checksum_of(k, v)) for k, v in zip(keys, blobs, strict=True)]

        def insert(connection: sqlite3.Connection) -> None:
            with connection:
                statement = "INSERT OR REPLACE INTO embeddings VALUES (?, ?, ?)"
                connection.executemany(statement, rows)

        self._run(insert)

    def _adopt_fingerprint(self, canonical: str, identity: EmbedderIdentity) -> str:
        """Return the fingerprint that this identity's vectors go by: the first seen that is equal.

        Empty for an embedder without one.
        """
        own = identity.fingerprint.vectors if identity.fingerprint else ""

        def adopt(connection: sqlite3.Connection) -> str:
            query = "SELECT canaries FROM canaries WHERE identity = ? ORDER BY rowid"
            for (known,) in connection.execute(query, [canonical]).fetchall():
                if least_cosine(known, own, identity.dimension) >= SAME:
                    return str(known)
            if own:
                with connection:
                    connection.execute("INSERT INTO canaries VALUES (?, ?)", [canonical, own])
            return own

        return self._run(adopt)

    def _run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Do `work`, while other threads wait, and once more if the file had to be set aside."""
        with self._lock:
            try:
                try:
                    return self._work(work)
                except sqlite3.DatabaseError as error:
                    if getattr(error, "sqlite_errorcode", 0) & 0xFF not in _DAMAGED:
                        raise
                self._set_aside()
                return self._work(work)
            except (OSError, sqlite3.Error) as error:
                self.close()
                raise IndexProblem(
                    f"The index's {self._path.name} cannot be used: {error}. Check the disk's "
                    "space and the folder's permissions, then run again."
                ) from error

    def _work(self, work: Callable[[sqlite3.Connection], T]) -> T:
        self._connection = self._connection or _connect(self._path)
        return work(self._connection)

    def _set_aside(self) -> None:
        self.close()
        aside = quarantine(self._path, "-wal", "-shm")
        self.warnings += (
            "The embedding cache was damaged or of another version of blog-search-mcp. It is kept "
            f"as {aside}, and texts are embedded anew.",
        )


def open_cache(path: Path, identity: EmbedderIdentity) -> closing[EmbeddingCache]:
    """Open the cache at `path`; one that is missing or broken is made anew."""
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


def _connect(path: Path) -> sqlite3.Connection:
    """Open the file, made if there is none, for threads that take turns.

    Raises sqlite3.DatabaseError, with a code of _DAMAGED for what is no such file.
    """
    connection = sqlite3.connect(path, timeout=LOCK_TIMEOUT, check_same_thread=False)
    try:
        [tables] = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        if not tables:
            connection.executescript(_TABLES)
        connection.execute("SELECT key, vector, seal, canaries FROM embeddings, canaries LIMIT 1")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
    except BaseException:
        connection.close()
        raise
    return connection
