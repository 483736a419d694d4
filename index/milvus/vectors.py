"""The vectors of one generation in Milvus.

Which chunk each is of is in the generation's directory, as in a folder's; a row's key is its chunk
and its place among the chunk's vectors.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from blog_search_mcp.index.milvus.client import Milvus, Row, batches_of
from blog_search_mcp.index.milvus.files import Rows, Server, among
from blog_search_mcp.index.store.catalog import OF_LIST, Catalog
from blog_search_mcp.index.types import Ids, Vectors
from blog_search_mcp.index.vectors.store import (
    Directory,
    VectorStore,
    empty_directory,
    first_of_each,
    read_directory,
    write_directory,
)
from blog_search_mcp.index.vectors.writer import VectorWriter

WINDOWS = 1 << 16
"""A key is a chunk's id times this, plus which of its vectors the row is."""

AT_ONCE = 5_000
"""Rows whose cosines are asked for in one request."""


def fields_of(dimension: int) -> dict[str, str | int]:
    """Return the fields of rows with vectors of so many numbers."""
    return {"row": "int", "post": "int", "vector": dimension}


def _keys_of(chunks: Ids) -> Ids:
    """The keys of the vectors of chunks, which stand in order of the chunks."""
    firsts = np.searchsorted(chunks, chunks)
    keys: Ids = chunks * WINDOWS + np.arange(len(chunks)) - firsts
    return keys


def _read_vectors(milvus: Milvus, collection: str, keys: Sequence[int], dimension: int) -> Vectors:
    """Read the vectors of these keys, in their order; zeros for a row that is gone."""
    vectors = np.zeros((len(keys), dimension), dtype=np.float32)
    places = {key: place for place, key in enumerate(keys)}
    for batch in batches_of(keys):
        for row in milvus.query(collection, among("row", batch), ["row", "vector"]):
            vectors[places[row["row"]]] = row["vector"]
    return vectors


class MilvusVectors(VectorStore):
    """The vectors of one generation. Raises IndexProblem."""

    def __init__(self, milvus: Milvus, rows: Rows, folder: Path) -> None:
        """Read the directory in `folder`. Raises OSError or ValueError."""
        self._set_directory(read_directory(folder))
        self._milvus = milvus
        self._rows = rows
        self._collection = rows.collection("vectors")
        self._keys = np.zeros(len(self._directory.ids), dtype=np.int64)
        self._keys[self._by_id] = _keys_of(self._sorted_ids)

    def search(self, query: Vectors, k: int, among: Ids | None = None) -> dict[int, float]:
        """Find the chunks of the `k` nearest vectors; return their cosines, nearest first."""
        if among is not None:
            cosines = self._find(query, self._keys[self._offsets(among)[0]].tolist())
        elif len(self):
            hits = self._milvus.search(self._collection, query.tolist(), k, self._rows.alive)
            cosines = {hit.key: hit.score for hit in hits}
        else:
            return {}
        nearest = sorted(cosines, key=lambda key: (-cosines[key], key))[:k]
        chunks = np.asarray(nearest, dtype=np.int64) // WINDOWS
        values = np.asarray([cosines[key] for key in nearest], dtype=np.float32)
        known = np.isin(chunks, self._sorted_ids)
        return first_of_each(chunks[known], values[known])

    def _products(self, query: Vectors, offsets: Ids) -> Vectors:
        keys = self._keys[offsets].tolist()
        cosines = self._find(query, keys)
        values = np.asarray([cosines.get(key, np.nan) for key in keys], dtype=np.float32)
        missing = np.isnan(values)
        if missing.any():  # an approximate index does not reach every row
            values[missing] = self.read(offsets[missing]) @ query
        return values

    def _find(self, query: Vectors, keys: Sequence[int]) -> dict[int, float]:
        """The cosines of the rows of these keys that a search finds."""
        cosines: dict[int, float] = {}
        for batch in batches_of(keys, AT_ONCE):
            wanted = among("row", batch)
            hits = self._milvus.search(self._collection, query.tolist(), len(batch), wanted)
            cosines |= {hit.key: hit.score for hit in hits}
        return cosines

    def read(self, offsets: Ids) -> Vectors:
        """Read the rows at these offsets of the directory."""
        keys = self._keys[offsets].tolist()
        return _read_vectors(self._milvus, self._collection, keys, self.dimension)


class MilvusVectorWriter(VectorWriter):
    """The vectors of an unfinished generation. Raises IndexProblem too."""

    def __init__(
        self,
        server: Server,
        folder: Path,
        base: Path | None,
        dimension: int,
        catalog: Catalog,
    ) -> None:
        """Start on top of the directory in `base`; `catalog` knows the post of each chunk."""
        folder.mkdir()
        self._folder = folder
        self._base = read_directory(base) if base else empty_directory(dimension)
        self._milvus, rows, self._check = server
        self._collection = rows.collection("vectors")
        self._catalog = catalog
        self._ids: list[Ids] = []
        self._total = np.zeros(dimension)
        self._added: Counter[int] = Counter()

    def add(self, chunk_ids: Ids, vectors: Vectors) -> None:
        """Append float32 unit vectors of shape (len(chunk_ids), dimension)."""
        self._check()
        self._ids.append(np.asarray(chunk_ids, dtype=np.int64))
        self._total += vectors.sum(axis=0, dtype=np.float64)
        self._milvus.upsert(self._collection, self._rows_of(chunk_ids.tolist(), vectors))

    def _rows_of(self, chunks: Sequence[int], vectors: Vectors) -> Iterator[Row]:
        query = f"SELECT chunk_id, post_id FROM chunks WHERE chunk_id {OF_LIST}"
        posts = dict(self._catalog.rows(query, [json.dumps(chunks)]))
        for chunk, vector in zip(chunks, vectors.tolist(), strict=True):
            key = chunk * WINDOWS + self._added[chunk]
            self._added[chunk] += 1
            yield {"row": key, "post": posts[chunk], "vector": vector}

    def commit(self, removed: Sequence[int]) -> None:
        """Leave out the vectors of the `removed` chunks, and write the directory."""
        self._milvus.flush(self._collection)
        ids = np.sort(np.concatenate([self._base.ids, *self._ids]))
        deleted = np.isin(ids, np.asarray(removed, dtype=np.int64))
        keys = _keys_of(ids)[deleted].tolist()
        gone = _read_vectors(self._milvus, self._collection, keys, len(self._total))
        total = self._base.total + self._total - gone.sum(axis=0, dtype=np.float64)
        ids = ids[~deleted]
        none = self._base.segments
        write_directory(self._folder, Directory(none, none, ids, np.zeros(len(ids), bool), total))

    def close(self) -> None:
        """Do nothing: what was not published is deleted by the next ingest."""
