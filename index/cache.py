"""Embeddings already paid for: (embedder, text) → vector, across rebuilds.

Keys are hashes of the embedder's whole identity, its role prefix and the text,
so another model, prefix or version of the weights never meets an old vector. A
server's version is no part of them, since most updates change no vector: what the
canaries (`index.embedder.canaries`) were when the first vector came in is, and while an
update leaves those as they were, its vectors belong to the same.
Every batch is committed when it comes back: a run that is interrupted keeps
what it has computed. A file that fails is mended in the middle of a run
(`index.cache_file`); what became of it stands in `warnings`.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from index.cache_file import connect, failing, mend, seal_of
from index.embedder.base import EmbedderIdentity
from index.embedder.canaries import SAME, likeness, unpacked

if TYPE_CHECKING:
    from index.embedder.base import Vectors

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
