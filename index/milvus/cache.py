"""Embeddings already paid for, on the server: whoever ingests into an index there shares them.

Keys and checksums are those of the cache in a file (`index.embedders.cache`), and so is the rule
that vectors go by the fingerprint that was first seen. Its vectors are rows too, by keys that say
of which embedder they are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from blog_search_mcp.index.embedders.cache import checksum_of, key_of, salt_of, write_identity
from blog_search_mcp.index.embedders.fingerprint import (
    SAME,
    least_cosine,
    pack_vectors,
    unpack_vectors,
)
from blog_search_mcp.index.milvus.client import Milvus
from blog_search_mcp.index.milvus.schema import (
    CHECKSUM,
    KEY,
    VECTOR,
    CollectionNames,
    embeddings_fields,
    literal,
)

if TYPE_CHECKING:
    from blog_search_mcp.index.types import EmbedderIdentity, Vectors

_FINGERPRINT: Final = "fingerprint"


class MilvusEmbeddingCache:
    """The vectors of one embedder's documents; as EmbeddingCache. Raises IndexProblem."""

    def __init__(self, milvus: Milvus, names: CollectionNames, identity: EmbedderIdentity) -> None:
        """Open the collection of vectors of this width; it is made if there is none."""
        self._milvus = milvus
        self._dimension = identity.dimension
        self._name = names.embeddings(identity.dimension)
        self._fields = embeddings_fields(identity.dimension)
        self._damaged = 0
        if self._name not in milvus.collections():
            milvus.create(self._name, self._fields)
            milvus.load(self._name)
        canonical = write_identity(identity)
        self._salt = salt_of(canonical + self._adopt_fingerprint(canonical, identity))

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the author should know about the cache, in sentences."""
        if not self._damaged:
            return ()
        return (f"Damaged vectors in the embedding cache, made anew: {self._damaged}.",)

    def get(self, texts: Sequence[str]) -> dict[str, Vectors]:
        """Return the vectors that are here, by text."""
        keys = {key_of(text, self._salt): text for text in texts}
        listed = [key.hex() for key in keys]
        found = {}
        for row in self._milvus.get(self._name, self._fields[0], listed, [KEY, CHECKSUM, VECTOR]):
            key, vector = bytes.fromhex(row[KEY]), np.asarray(row[VECTOR], dtype="<f4")
            if row[CHECKSUM] == checksum_of(key, vector.tobytes()).hex():
                found[keys[key]] = vector
            else:
                self._damaged += 1
        return found

    def put(self, texts: Sequence[str], vectors: Vectors) -> None:
        """Keep one vector for each text; once this returns, killing the process loses none."""
        keys = [key_of(text, self._salt) for text in texts]
        rows = zip(keys, np.asarray(vectors, dtype="<f4"), strict=True)
        self._insert({k.hex(): (checksum_of(k, row.tobytes()).hex(), row) for k, row in rows})

    def _adopt_fingerprint(self, canonical: str, identity: EmbedderIdentity) -> str:
        """Return the fingerprint that this identity's vectors go by: the first seen that is equal.

        Empty for an embedder without one.
        """
        if identity.fingerprint is None:
            return ""
        own = identity.fingerprint.vectors
        prefix = f"{_FINGERPRINT}:{hashlib.blake2b(canonical.encode(), digest_size=16).hexdigest()}"
        expression = f"{KEY} like {literal(prefix + ':%')}"
        known: dict[str, list[Vectors]] = {}
        found = self._milvus.query(self._name, expression, [KEY, VECTOR], strong=True)
        for row in sorted(found, key=lambda row: str(row[KEY])):
            number = row[KEY].split(":")[2]
            known.setdefault(number, []).append(np.asarray(row[VECTOR], dtype="<f4"))
        for rows in known.values():
            packed = pack_vectors(np.asarray(rows))
            if least_cosine(packed, own, self._dimension) >= SAME:
                return packed
        prefix = f"{prefix}:{len(known):06d}"
        vectors = enumerate(unpack_vectors(own, self._dimension))
        self._insert({f"{prefix}:{place:03d}": ("", row) for place, row in vectors})
        return own

    def _insert(self, rows: Mapping[str, tuple[str, Vectors]]) -> None:
        made = (
            {KEY: key, CHECKSUM: checksum, VECTOR: row} for key, (checksum, row) in rows.items()
        )
        self._milvus.insert(self._name, self._fields, made, replace=True)
