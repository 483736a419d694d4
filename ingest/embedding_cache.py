"""The embedding cache: (embedder, text) → vector, kept across rebuilds.

A key is a hash of the text and of the embedder's model, prefixes, digest and fingerprint, so
vectors of another model are never found. An embedding server's version does not count, since most
updates change no vector. The first recorded fingerprint replaces all that agree with it, so that
old vectors stay valid. Every batch is committed at once, so that a killed run keeps its vectors.
"""

import hashlib
import json
import sqlite3
from collections.abc import Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import numpy as np

from blog_search_mcp.index.embedders.fingerprint import embeds_same
from blog_search_mcp.index.errors import IndexProblem
from blog_search_mcp.index.types import EmbedderIdentity, Vectors

LOCK_TIMEOUT = 5.0
"""Seconds to wait for another program's lock, sqlite3's default."""
_TABLES: Final = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
CREATE TABLE IF NOT EXISTS embeddings (key BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS canaries (identity TEXT, canaries TEXT);
"""
"""Tables, named as in earlier versions; the column `canaries` has packed fingerprints."""
_DAMAGED: Final = {sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
"""Primary result codes (sqlite.org/rescode.html) of a damaged file, or (ERROR) of other columns."""


class EmbeddingCache(AbstractContextManager["EmbeddingCache"]):
    """Cached vectors of one embedder's texts, in an SQLite file. Methods raise IndexProblem."""

    def __init__(self, path: Path, identity: EmbedderIdentity) -> None:
        """Derive the salt of keys. The first query makes a missing or damaged file anew."""
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self.warnings: tuple[str, ...] = ()
        """Warnings about the cache, to be shown to the author."""
        self._used: set[bytes] = set()
        """Keys that were looked up; `prune` deletes all others."""
        self._salted = self._adopt_fingerprint(identity)
        self._salt = hashlib.blake2b(self._salted.encode(), digest_size=32).digest()

    def __exit__(self, *_raised: object) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def get(self, texts: Sequence[str]) -> dict[str, Vectors]:
        """Return the vectors of the cached texts, keyed by text."""
        query, keys = "SELECT vector FROM embeddings WHERE key = ?", [*map(self._key, texts)]
        self._used.update(keys)
        results = self._run(query, [[key] for key in keys])
        pairs = zip(texts, results, strict=True)
        return {text: np.frombuffer(rows[0][0], dtype="<f4") for text, rows in pairs if rows}

    def put(self, texts: Sequence[str], vectors: Vectors) -> None:
        """Store one vector per text; once this returns, a killed process loses none."""
        blobs = [np.asarray(vector, dtype="<f4").tobytes() for vector in vectors]
        statement = "INSERT OR REPLACE INTO embeddings (key, vector) VALUES (?, ?)"
        self._run(statement, [*zip(map(self._key, texts), blobs, strict=True)])

    def prune(self) -> None:
        """Delete vectors that were not looked up, and other embedders' vectors and fingerprints."""
        [rows] = self._run("SELECT key FROM embeddings", [[]])
        if unused := [row for row in rows if row[0] not in self._used]:
            self._run("DELETE FROM embeddings WHERE key = ?", unused)
            self._run("DELETE FROM canaries WHERE identity || canaries <> ?", [[self._salted]])
            self._run("VACUUM", [[]])

    def _key(self, text: str) -> bytes:
        content = text.encode("utf-8", "surrogatepass")
        return hashlib.blake2b(content, digest_size=16, key=self._salt).digest()

    def _adopt_fingerprint(self, identity: EmbedderIdentity) -> str:
        """Record a new fingerprint. Return the keys' salt: identity and first equal fingerprint."""
        fields = asdict(identity) | {"normalisation": "l2"}
        del fields["fingerprint"]
        canonical = json.dumps(fields, sort_keys=True)
        if identity.fingerprint is None:
            return canonical
        packed = identity.fingerprint.vectors
        query = "SELECT canaries FROM canaries WHERE identity = ? ORDER BY rowid"
        [recorded] = self._run(query, [[canonical]])
        equal = next((str(before) for (before,) in recorded if embeds_same(before, packed)), "")
        if not equal:
            self._run("INSERT INTO canaries VALUES (?, ?)", [[canonical, packed]])
        return canonical + (equal or packed)

    def _run(self, statement: str, values: Sequence[Sequence[Any]]) -> list[list[Any]]:
        """Run a statement for each of `values` in one transaction, and return the rows of each.

        If the file is damaged, it is renamed and the statement runs again on a new file.
        """
        try:
            try:
                return self._execute(statement, values)
            except sqlite3.DatabaseError as error:
                if getattr(error, "sqlite_errorcode", 0) & 0xFF not in _DAMAGED:
                    raise
            self.__exit__()
            aside = f"{self._path.name}.damaged"
            for more in ("", "-wal", "-shm"):
                with suppress(FileNotFoundError):
                    Path(f"{self._path}{more}").replace(self._path.with_name(aside + more))
            self.warnings += (
                "The embedding cache was damaged or of another version of blog-search-mcp. It is "
                f"kept as {aside}, and texts are embedded anew.",
            )
            return self._execute(statement, values)
        except (OSError, sqlite3.Error) as error:
            self.__exit__()
            raise IndexProblem(
                f"The index's {self._path.name} cannot be used: {error}. Check the disk's space "
                "and the folder's permissions, then run again."
            ) from error

    def _execute(self, statement: str, values: Sequence[Sequence[Any]]) -> list[list[Any]]:
        if self._connection is None:
            self._connection = sqlite3.connect(self._path, timeout=LOCK_TIMEOUT)
            self._connection.executescript(_TABLES)
        with self._connection as connection:
            return [connection.execute(statement, row).fetchall() for row in values]
