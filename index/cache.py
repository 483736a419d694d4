"""Embeddings already paid for: (embedder, text) → vector, across rebuilds.

Keys are hashes of the embedder's whole identity, its role prefix and the text,
so another model, prefix or version of the weights never meets an old vector. A
server's version is no part of them, since most updates change no vector: what the
canaries (`index.embedder.canaries`) were when the first vector came in is, and while an
update leaves those as they were, its vectors belong to the same.
Every batch is committed when it comes back: a run that is interrupted keeps
what it has computed.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from index.embedder.base import EmbedderIdentity
from index.embedder.canaries import SAME, likeness, unpacked
from index.errors import IndexBroken, IndexProblem

if TYPE_CHECKING:
    from index.embedder.base import Vectors

_SCHEMA = """
CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS canaries (identity TEXT, canaries TEXT);
"""


class EmbeddingCache:
    """The vectors of one embedder's documents; use `open_cache`."""

    def __init__(self, connection: sqlite3.Connection, identity: EmbedderIdentity) -> None:
        self._connection = connection
        fields = asdict(identity)
        del fields["fingerprint"]
        canonical = json.dumps(fields, sort_keys=True)
        salt = canonical + self._canaries(canonical, identity)
        self._salt = hashlib.blake2b(salt.encode(), digest_size=32).digest()

    def get(self, texts: Sequence[str]) -> dict[str, Vectors]:
        """The vectors that are here, by text."""
        keys = {self._key(text): text for text in texts}
        query = "SELECT vector FROM vectors WHERE key = ?"
        found = {}
        for key, text in keys.items():
            row = self._connection.execute(query, [key]).fetchone()
            if row is not None:
                found[text] = np.frombuffer(row[0], dtype="<f4")
        return found

    def put(self, texts: Sequence[str], vectors: Vectors) -> None:
        """Keep one vector for each text; once this returns, killing the process loses none."""
        rows = [
            (self._key(text), np.asarray(vector, dtype="<f4").tobytes())
            for text, vector in zip(texts, vectors, strict=True)
        ]
        with self._connection:
            self._connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)

    def _canaries(self, canonical: str, identity: EmbedderIdentity) -> str:
        """The canaries that this identity's vectors go by: the first seen that are the same."""
        if identity.fingerprint is None:
            return ""
        query = "SELECT canaries FROM canaries WHERE identity = ? ORDER BY rowid"
        own = identity.fingerprint.canaries
        rows = unpacked(own, identity.dimension)
        for (known,) in self._connection.execute(query, [canonical]).fetchall():
            if likeness(known, rows) >= SAME:
                return str(known)
        with self._connection:
            self._connection.execute("INSERT INTO canaries VALUES (?, ?)", [canonical, own])
        return own

    def _key(self, text: str) -> bytes:
        content = text.encode("utf-8", "surrogatepass")
        return hashlib.blake2b(content, digest_size=16, key=self._salt).digest()


@contextmanager
def open_cache(path: Path, identity: EmbedderIdentity) -> Iterator[EmbeddingCache]:
    """The cache at `path`, made if there is none and made anew if it is not a database.

    Raises IndexBroken if it turns out to be damaged, IndexProblem if it cannot be written.
    """
    try:
        with closing(_opened(path)) as connection:
            yield EmbeddingCache(connection, identity)
    except sqlite3.OperationalError as error:
        raise IndexProblem(
            f"The index's {path.name} cannot be used: {error}. "
            "Check the disk's space and the folder's permissions, then run again."
        ) from error
    except sqlite3.DatabaseError as error:
        raise IndexBroken(
            f"The index's {path.name} is damaged. Delete that file and run again: "
            "every text is embedded anew."
        ) from error


def _opened(path: Path) -> sqlite3.Connection:
    try:
        return _connect(path)
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError:
        for suffix in ("", "-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        return _connect(path)


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.executescript(_SCHEMA)
    except sqlite3.DatabaseError:
        connection.close()
        raise
    return connection
