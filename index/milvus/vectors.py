"""The vectors of one generation in Milvus.

Which chunk each is of is in the generation's directory, as in a folder's; a row's key is its chunk
and its place among the chunk's vectors. Generations share a collection of rows.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from blog_search_mcp.index.milvus.client import BATCH, Milvus, Row
from blog_search_mcp.index.types import Ids, Vectors
from blog_search_mcp.index.vectors.store import (
    Directory,
    VectorStore,
    first_of_each,
    read_directory,
    write_directory,
)
from blog_search_mcp.index.vectors.writer import VectorWriter

WINDOWS = 1 << 16
"""A key is a chunk's id times this, plus which of its vectors the row is."""

AT_ONCE = 5_000
"""Rows whose cosines are asked for in one request."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Which rows of its collection a generation has.

    An ingest adds the rows of new chunks, whose ids are larger than any before, and deletes those
    of the chunks that the ingest before it removed: readers of the generation before the live one
    have had them until then.
    """

    collection: str
    last: int = -1
    """The largest id of a chunk with a row."""
    removed: tuple[int, ...] = ()
    """Chunks whose rows are there and no longer count."""

    @property
    def alive(self) -> str:
        """The expression for the rows that count."""
        newest = f"chunk <= {self.last}"
        return f"{newest} and chunk not {_among(self.removed)}" if self.removed else newest

    @property
    def dead(self) -> str:
        """The expression for what the next ingest deletes, a killed one's rows too."""
        newer = f"chunk > {self.last}"
        return f"{newer} or chunk {_among(self.removed)}" if self.removed else newer


def _among(values: Iterable[int]) -> str:
    """Write that a field has one of these values; milvus-lite has no templates for them."""
    return f"in [{', '.join(map(str, values))}]"


def read_rows(folder: Path) -> Rows:
    """Read which rows the generation with these vectors has. Raises OSError or ValueError."""
    columns = json.loads((folder / "rows.json").read_text(encoding="utf-8"))
    return Rows(columns["collection"], columns["last"], tuple(columns["removed"]))


def create_rows(milvus: Milvus, collection: str, dimension: int) -> Rows:
    """Create a collection for vectors of so many numbers. Raises IndexProblem."""
    milvus.create(collection, {"row": "int", "chunk": "int", "vector": dimension})
    return Rows(collection)


def _keys_of(chunks: Ids) -> Ids:
    """The keys of the vectors of chunks, which stand in order of the chunks."""
    firsts = np.searchsorted(chunks, chunks)
    keys: Ids = chunks * WINDOWS + np.arange(len(chunks)) - firsts
    return keys


def _batches_of(keys: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    return (keys[start : start + size] for start in range(0, len(keys), size))


def _read_vectors(milvus: Milvus, collection: str, keys: Ids, dimension: int) -> Vectors:
    """Read the vectors of these keys, in their order; zeros for a row that is gone."""
    vectors = np.zeros((len(keys), dimension), dtype=np.float32)
    places = {key: place for place, key in enumerate(keys.tolist())}
    for batch in _batches_of([*places], BATCH):
        for row in milvus.query(collection, f"row {_among(batch)}", ["row", "vector"]):
            vectors[places[row["row"]]] = row["vector"]
    return vectors


class MilvusVectors(VectorStore):
    """The vectors of one generation. Raises IndexProblem."""

    def __init__(self, milvus: Milvus, folder: Path) -> None:
        """Read what lies in `folder`. Raises OSError or ValueError."""
        self._set_directory(read_directory(folder))
        self._milvus = milvus
        self._rows = read_rows(folder)
        self._keys = np.zeros(len(self._directory.ids), dtype=np.int64)
        self._keys[self._by_id] = _keys_of(self._sorted_ids)

    def search(self, query: Vectors, k: int, among: Ids | None = None) -> dict[int, float]:
        """Find the chunks of the `k` nearest vectors; return their cosines, nearest first."""
        if not len(self):
            return {}
        if among is not None:
            cosines = self._find(query, self._offsets(among)[0])
        else:
            cosines = self._milvus.search(self._rows.collection, query, k, self._rows.alive)
        nearest = sorted(cosines, key=lambda key: (-cosines[key], key))[:k]
        chunks = np.asarray(nearest, dtype=np.int64) // WINDOWS
        values = np.asarray([cosines[key] for key in nearest], dtype=np.float32)
        known = np.isin(chunks, self._sorted_ids)
        return first_of_each(chunks[known], values[known])

    def _products(self, query: Vectors, offsets: Ids) -> Vectors:
        cosines = self._find(query, offsets)
        keys = self._keys[offsets].tolist()
        values = np.asarray([cosines.get(key, np.nan) for key in keys], dtype=np.float32)
        missing = np.isnan(values)  # an approximate index does not reach every row
        values[missing] = self.read(offsets[missing]) @ query
        return values

    def _find(self, query: Vectors, offsets: Ids) -> dict[int, float]:
        """The cosines, by key, of the rows at these offsets that a search finds."""
        cosines: dict[int, float] = {}
        for batch in _batches_of(self._keys[offsets].tolist(), AT_ONCE):
            wanted = f"row {_among(batch)}"
            cosines |= self._milvus.search(self._rows.collection, query, len(batch), wanted)
        return cosines

    def read(self, offsets: Ids) -> Vectors:
        """Read the rows at these offsets of the directory."""
        keys = self._keys[offsets]
        return _read_vectors(self._milvus, self._rows.collection, keys, self.dimension)


class MilvusVectorWriter(VectorWriter):
    """The vectors of an unfinished generation. Raises IndexProblem too."""

    def __init__(
        self,
        milvus: Milvus,
        rows: Rows,
        check: Callable[[], None],
        folder: Path,
        base: Directory,
    ) -> None:
        """Start on top of what is in `base`; `check` refuses once somebody else writes."""
        folder.mkdir()
        self._folder = folder
        self._base = base
        self._milvus, self._rows, self._check = milvus, rows, check
        self._ids: list[Ids] = []
        self._added: Counter[int] = Counter()
        self._total = base.total.copy()

    def add(self, chunk_ids: Ids, vectors: Vectors) -> None:
        """Append float32 unit vectors of shape (len(chunk_ids), dimension)."""
        self._check()
        self._ids.append(np.asarray(chunk_ids, dtype=np.int64))
        self._total += vectors.sum(axis=0, dtype=np.float64)
        self._milvus.upsert(self._rows.collection, self._rows_of(chunk_ids, vectors))

    def _rows_of(self, chunks: Ids, vectors: Vectors) -> Iterator[Row]:
        for chunk, vector in zip(chunks.tolist(), vectors.tolist(), strict=True):
            key = chunk * WINDOWS + self._added[chunk]
            self._added[chunk] += 1
            yield {"row": key, "chunk": chunk, "vector": vector}

    def commit(self, removed: Sequence[int]) -> None:
        """Leave out the vectors of the `removed` chunks, and write which there are."""
        self._milvus.flush(self._rows.collection)
        base = self._base
        ids = np.sort(np.concatenate([base.ids, *self._ids]))
        deleted = np.isin(ids, np.asarray(removed, dtype=np.int64))
        keys, dimension = _keys_of(ids)[deleted], len(base.total)
        gone = _read_vectors(self._milvus, self._rows.collection, keys, dimension)
        total = self._total - gone.sum(axis=0, dtype=np.float64)
        kept, none = ids[~deleted], base.segments
        write_directory(self._folder, Directory(none, none, kept, np.zeros(len(kept), bool), total))
        last = max(self._rows.last, int(ids.max(initial=-1)))
        rows = replace(self._rows, last=last, removed=tuple(removed))
        (self._folder / "rows.json").write_text(json.dumps(asdict(rows)), encoding="utf-8")

    def close(self) -> None:
        """Do nothing: what was not published is deleted by the next ingest."""
