"""The vectors of one generation in Milvus.

The generation's directory holds the chunk ID of each vector, ascending. A row's key is made of its
chunk ID and its place among the chunk's vectors. Generations share a collection of rows. An ingest
adds the rows of new chunks, whose IDs are larger than all before. It deletes the rows that its
base's directory marks as deleted; until then, readers of the generation before the base use them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from blog_search_mcp.index.milvus.client import ROWS_AT_ONCE, Milvus
from blog_search_mcp.index.types import Ids, Vectors
from blog_search_mcp.index.vectors.segment_writer import VectorWriter
from blog_search_mcp.index.vectors.segments import (
    Directory,
    VectorStore,
    first_of_each,
    read_directory,
    write_directory,
)

WINDOWS = 1 << 16
"""Maximum vectors of a chunk. A row's key is chunk ID times this, plus the vector's place."""
AT_ONCE = 5_000
"""Maximum rows whose cosines are requested at once."""


def _among(values: Iterable[int]) -> str:
    """Return the condition that a field has one of these values; milvus-lite has no templates."""
    return f"in [{', '.join(map(str, values))}]"


def read_collection(folder: Path) -> str:
    """Read the name of the collection of the generation with these vectors. Raises OSError."""
    return (folder / "collection").read_text(encoding="ascii")


def write_bounds(directory: Directory) -> tuple[str, str]:
    """Return conditions for a generation's rows and for all others, such as a killed ingest's."""
    removed = np.unique(directory.ids[directory.deleted]).tolist()
    last, among = directory.ids.max(initial=-1), _among(removed)
    if not removed:
        return f"chunk <= {last}", f"chunk > {last}"
    return f"chunk <= {last} and chunk not {among}", f"chunk > {last} or chunk {among}"


def _keys_of(chunks: Ids) -> Ids:
    """Return the keys of vectors, given the chunk ID of each in ascending order."""
    firsts = np.searchsorted(chunks, chunks)
    return chunks * WINDOWS + np.arange(len(chunks)) - firsts


def _batches_of(keys: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    return (keys[start : start + size] for start in range(0, len(keys), size))


def _read_vectors(milvus: Milvus, collection: str, keys: Ids, dimension: int) -> Vectors:
    """Read the vectors of these keys, in order; zeros for a deleted row."""
    vectors = np.zeros((len(keys), dimension), dtype=np.float32)
    places = {key: place for place, key in enumerate(keys.tolist())}
    for batch in _batches_of([*places], ROWS_AT_ONCE):
        for row in milvus.query(collection, f"row {_among(batch)}", ["row", "vector"]):
            vectors[places[row["row"]]] = row["vector"]
    return vectors


class MilvusVectors(VectorStore):
    """The vectors of one generation on a Milvus server. Methods raise IndexProblem."""

    def __init__(self, milvus: Milvus, folder: Path) -> None:
        self._set_directory(read_directory(folder))
        self._milvus, self._collection = milvus, read_collection(folder)
        self._alive, _ = write_bounds(self._directory)
        self._keys = _keys_of(self._directory.ids)

    def search(self, query: Vectors, k: int, among: Ids | None = None) -> dict[int, float]:
        """Return chunks as VectorStore does; the server may miss some of the nearest vectors."""
        if not len(self):
            return {}
        if among is not None:
            cosines = self._find(query, self._offsets(among)[0])
        else:
            cosines = self._milvus.search(self._collection, query, k, self._alive)
        nearest = sorted(cosines, key=lambda key: (-cosines[key], key))[:k]
        chunks = np.asarray(nearest, dtype=np.int64) // WINDOWS
        values = np.asarray([cosines[key] for key in nearest], dtype=np.float32)
        is_named = np.isin(chunks, self._sorted_ids)
        return first_of_each(chunks[is_named], values[is_named])

    def _products(self, query: Vectors, offsets: Ids) -> Vectors:
        cosines = self._find(query, offsets)
        keys = self._keys[offsets].tolist()
        values = np.asarray([cosines.get(key, np.nan) for key in keys], dtype=np.float32)
        missing = np.isnan(values)  # an approximate index does not reach every row
        values[missing] = self.read(offsets[missing]) @ query
        return values

    def _find(self, query: Vectors, offsets: Ids) -> dict[int, float]:
        """Return the cosines, by key, of the rows at these offsets that the search finds."""
        cosines: dict[int, float] = {}
        for batch in _batches_of(self._keys[offsets].tolist(), AT_ONCE):
            wanted = f"row {_among(batch)}"
            cosines |= self._milvus.search(self._collection, query, len(batch), wanted)
        return cosines

    def read(self, offsets: Ids) -> Vectors:
        """Read the rows at these offsets of the directory."""
        return _read_vectors(self._milvus, self._collection, self._keys[offsets], self.dimension)


class MilvusVectorWriter(VectorWriter):
    """The vectors of an unfinished generation. Methods raise IndexProblem too."""

    def __init__(
        self,
        milvus: Milvus,
        collection: str,
        check: Callable[[], None],
        folder: Path,
        base: Directory,
    ) -> None:
        """Start from the vectors of `base`; `check` raises if another ingest has begun to write."""
        folder.mkdir()
        self._folder, self._base = folder, base
        self._milvus, self._collection, self._check = milvus, collection, check
        self._ids: list[Ids] = []
        self._total = base.total.copy()

    def add(self, chunk_ids: Ids, vectors: Vectors) -> None:
        """Append float32 unit vectors of shape (len(chunk_ids), dimension)."""
        self._check()
        order = np.argsort(chunk_ids, kind="stable")
        ids: Ids = np.asarray(chunk_ids, dtype=np.int64)[order]
        self._ids.append(ids)
        self._total += vectors.sum(axis=0, dtype=np.float64)
        rows = zip(_keys_of(ids).tolist(), ids.tolist(), vectors[order].tolist(), strict=True)
        self._milvus.upsert(
            self._collection,
            ({"row": key, "chunk": chunk, "vector": vector} for key, chunk, vector in rows),
        )

    def commit(self, removed: Sequence[int]) -> None:
        """Leave out the vectors of the `removed` chunks, and write the directory."""
        self._milvus.ask("flush", self._collection)
        base = self._base
        ids = np.sort(np.concatenate([base.ids[~base.deleted], *self._ids]))
        deleted = np.isin(ids, np.asarray(removed, dtype=np.int64))
        keys, dimension = _keys_of(ids)[deleted], len(base.total)
        gone = _read_vectors(self._milvus, self._collection, keys, dimension)
        total, none = self._total - gone.sum(axis=0, dtype=np.float64), base.segments
        write_directory(self._folder, Directory(none, none, ids, deleted, total))
        (self._folder / "collection").write_text(self._collection, encoding="ascii")
