"""The vectors of one generation in Milvus: its own collection's and those of earlier ones.

Which chunk and post each row is of is known here, so that requests ask for rows by their numbers
and get numbers back. Rows of posts that went stay where they are and are left out of every search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import Final

import numpy as np
from blog_search_mcp.index.vectors.base import Bools, Floats, Rows

from blog_search_mcp.index.milvus.client import FLAT, Milvus, VectorIndex
from blog_search_mcp.index.milvus.schema import (
    BATCH_BYTES,
    CHUNK,
    MOST_HITS,
    POST,
    ROW,
    VECTOR,
    Field,
    Row,
    among,
    vectors_fields,
)
from blog_search_mcp.index.types import Ids, Vectors

MANY: Final = 500_000
"""Vectors of a collection from which on it has a graph: below, a search compares them all, which is
exact and reads no more than 768 MB of vectors of 384 numbers."""

GRAPH: Final = VectorIndex("HNSW", {"M": 16, "efConstruction": 200})

FEW: Final = 1_000
"""Rows that are named one by one in a request, whatever posts they are of."""

SEARCH_WIDTH: Final = 400
"""Vectors that a search of the graph keeps, at least; twice the nearest 150 that are asked for."""


@dataclass(frozen=True)
class VectorSegment:
    """A collection of vectors; row n is the vector of `chunks[n]`."""

    collection: str
    chunks: Ids
    posts: Ids

    def arrays(self) -> dict[str, Ids]:
        """What is kept of it, for `pack_arrays`."""
        return {"chunks": self.chunks, "posts": self.posts}


@dataclass(frozen=True)
class VectorDirectory:
    """Rows stand in the order of segments, dead ones too; those of a chunk stand together."""

    segments: tuple[VectorSegment, ...]
    dead: Ids
    """Posts whose rows no longer count."""
    total: Floats
    """Sum of the rows that count, of shape (dimension,)."""

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return len(self.total)

    @cached_property
    def chunks(self) -> Ids:
        """By row, the chunk that the vector is of."""
        return _joined([segment.chunks for segment in self.segments])

    @cached_property
    def posts(self) -> Ids:
        """By row, the post."""
        return _joined([segment.posts for segment in self.segments])

    @cached_property
    def live(self) -> Bools:
        """By row, whether it counts."""
        return ~np.isin(self.posts, self.dead)

    @cached_property
    def starts(self) -> list[int]:
        """Offset of each segment's first row."""
        counts = (len(segment.chunks) for segment in self.segments)
        return list(accumulate(counts, initial=0))[:-1]

    def split(self, offsets: Ids) -> Iterator[tuple[VectorSegment, Bools, Ids]]:
        """Yield each segment that has any of these rows, which ones, and their numbers there."""
        for segment, start in zip(self.segments, self.starts, strict=True):
            numbers = offsets - start
            inside = (numbers >= 0) & (numbers < len(segment.chunks))
            if inside.any():
                yield segment, inside, numbers[inside]


def empty_directory(dimension: int) -> VectorDirectory:
    """Make the directory of no vectors."""
    return VectorDirectory((), _joined([]), np.zeros(dimension))


def _joined(columns: Sequence[Ids]) -> Ids:
    return np.concatenate([np.zeros(0, dtype=np.int64), *columns])


class MilvusVectors(Rows):
    """The vectors of one generation; implements VectorStore. Raises IndexProblem."""

    def __init__(self, milvus: Milvus, directory: VectorDirectory) -> None:
        super().__init__(directory.chunks, directory.live, directory.total)
        self._milvus = milvus
        self._directory = directory
        self._fields = vectors_fields(directory.dimension)
        self._live: Ids = np.flatnonzero(directory.live)
        self._whole = {
            segment.collection: expression_of(segment, rows)
            for segment, _, rows in directory.split(self._live)
        }

    def search(self, query: Vectors, k: int, among: Ids | None = None) -> dict[int, float]:
        """Find the chunks of the `k` nearest vectors with their cosines, nearest first.

        At most MOST_HITS, which is what a server finds.
        """
        offsets = self._live if among is None else self._offsets(among)[0]
        every_chunk, every_cosine = [], []
        for segment, _, rows in self._directory.split(offsets):
            wanted = self._whole[segment.collection] if among is None else None
            [(found, cosines)] = self._nearest(
                segment, [query], min(k, len(rows)), wanted or expression_of(segment, rows)
            )
            every_chunk.append(segment.chunks[found])
            every_cosine.append(cosines)
        chunks = _joined(every_chunk)
        values = np.concatenate([np.zeros(0, dtype=np.float32), *every_cosine])
        order = np.lexsort((chunks, -values))[:k]
        nearest: dict[int, float] = {}
        for chunk, cosine in zip(chunks[order].tolist(), values[order].tolist(), strict=True):
            nearest.setdefault(chunk, cosine)
        return nearest

    def nearest(self, queries: Sequence[Vectors]) -> list[float]:
        """As VectorStore, with one request for each segment."""
        best: list[list[float]] = [[] for _ in queries]
        for segment, _, _ in self._directory.split(self._live):
            found = self._nearest(segment, queries, 1, self._whole[segment.collection])
            for own, (_, cosines) in zip(best, found, strict=True):
                own += cosines.tolist()
        return [max(own, default=0.0) for own in best]

    def _products(self, query: Vectors, offsets: Ids) -> Vectors:
        values = np.empty(len(offsets), dtype=np.float32)
        for segment, inside, numbers in self._directory.split(offsets):
            values[inside] = self._products_in(segment, query, numbers)
        return values

    def _read(self, offsets: Ids) -> Vectors:
        rows = np.empty((len(offsets), self.dimension), dtype=np.float32)
        for segment, inside, numbers in self._directory.split(offsets):
            rows[inside] = read_rows(self._milvus, segment, self.dimension, numbers)
        return rows

    def _nearest(
        self, segment: VectorSegment, queries: Sequence[Vectors], k: int, expression: str
    ) -> list[tuple[Ids, Vectors]]:
        """The `k` nearest rows of a segment for which `expression` holds, and their cosines."""
        width = {"ef": max(SEARCH_WIDTH, k)} if len(segment.chunks) >= MANY else {}
        found = self._milvus.search(
            segment.collection, self._fields[-1], queries, k, expression, width
        )
        return [
            (np.asarray(each.keys, dtype=np.int64), np.asarray(each.scores, dtype=np.float32))
            for each in found
        ]

    def _products_in(self, segment: VectorSegment, query: Vectors, numbers: Ids) -> Vectors:
        """The inner products of these rows of a segment."""
        wanted = np.unique(numbers)
        values = np.full(len(wanted), np.nan, dtype=np.float32)
        for start in range(0, len(wanted), MOST_HITS):
            batch = wanted[start : start + MOST_HITS]
            [(found, cosines)] = self._nearest(
                segment, [query], len(batch), expression_of(segment, batch)
            )
            values[np.searchsorted(wanted, found)] = cosines
        missing = np.isnan(values)
        if missing.any():  # a graph does not reach every row
            rows = read_rows(self._milvus, segment, self.dimension, wanted[missing])
            values[missing] = rows @ query
        return values[np.searchsorted(wanted, numbers)]


def expression_of(segment: VectorSegment, rows: Ids) -> str:
    """Write which rows of a segment are meant, as briefly as posts, rows or the rest of them."""
    if len(rows) == len(segment.chunks):
        return ""
    if len(rows) <= FEW:
        return among(ROW, rows.tolist())
    inside = np.zeros(len(segment.chunks), dtype=bool)
    inside[rows] = True
    with_any, without_some = (np.unique(segment.posts[each]) for each in (inside, ~inside))
    if np.intersect1d(with_any, without_some).size:
        return among(ROW, rows.tolist())
    if len(without_some) < len(with_any):
        return among(POST, without_some.tolist(), outside=True)
    return among(POST, with_any.tolist())


def read_rows(milvus: Milvus, segment: VectorSegment, dimension: int, numbers: Ids) -> Vectors:
    """Read the vectors of these rows of a segment, in their order. Raises IndexProblem."""
    wanted = np.unique(numbers)
    rows = np.empty((len(wanted), dimension), dtype=np.float32)
    step = max(min(BATCH_BYTES // (4 * dimension), MOST_HITS), 1)
    for start in range(0, len(wanted), step):
        batch = wanted[start : start + step].tolist()
        for found in milvus.query(segment.collection, among(ROW, batch), [ROW, VECTOR]):
            rows[np.searchsorted(wanted, found[ROW])] = found[VECTOR]
    return rows[np.searchsorted(wanted, numbers)]


class MilvusVectorWriter:
    """The vectors of the next generation; implements VectorWriter. Raises IndexProblem."""

    def __init__(
        self,
        milvus: Milvus,
        collection: str,
        base: VectorDirectory,
        post_of: Callable[[Ids], Ids],
        *,
        merge: bool = False,
    ) -> None:
        """Start a generation on top of `base`.

        `post_of` says which posts chunks are of. With `merge` all rows that count are copied into
        `collection`, which is only made if it gets any.
        """
        self.directory = base
        """Of the new generation, after `commit`."""
        self._milvus = milvus
        self._collection = collection
        self._post_of = post_of
        self._merge = merge
        self._fields: tuple[Field, ...] = vectors_fields(base.dimension)
        self._chunks: list[Ids] = []
        self._posts: list[Ids] = []
        self._count = 0
        self._total = np.zeros(base.dimension)
        self._deleted: list[int] = []

    def add(self, chunk_ids: Ids, vectors: Vectors) -> None:
        """Append these vectors."""
        ids = np.asarray(chunk_ids, dtype=np.int64)
        assert vectors.shape == (len(ids), self.directory.dimension)
        if len(ids):
            self._append(ids, self._post_of(ids), vectors)

    def delete(self, chunk_ids: Sequence[int]) -> None:
        """Leave out the vectors of these chunks, which are all of their posts'."""
        self._deleted.extend(chunk_ids)

    def commit(self) -> None:
        """Complete the collection; `directory` is the new generation's."""
        base, gone = self.directory, np.asarray(self._deleted, dtype=np.int64)
        chunks, posts = _joined([base.chunks, *self._chunks]), _joined([base.posts, *self._posts])
        dead = np.unique(_joined([base.dead, posts[np.isin(chunks, gone)]]))
        after = replace(base, dead=dead)
        total = base.total - self._sum(base, base.live & ~after.live) + self._total
        if self._merge:
            self._copy(after)
            after = replace(after, segments=())
        own = VectorSegment(self._collection, _joined(self._chunks), _joined(self._posts))
        refused = np.flatnonzero(np.isin(own.posts, dead))
        if self._count:
            index = GRAPH if self._count >= MANY else FLAT
            self._milvus.index(self._collection, VECTOR, index)
            self._milvus.complete(self._collection, self._count)
            if len(refused):
                rows = read_rows(self._milvus, own, base.dimension, refused)
                total = total - rows.sum(axis=0, dtype=np.float64)
        segments = (*after.segments, *((own,) if self._count else ()))
        known = np.unique(_joined([segment.posts for segment in segments]))
        self.directory = VectorDirectory(segments, np.intersect1d(dead, known), total)

    def _append(self, chunks: Ids, posts: Ids, vectors: Vectors) -> None:
        if not self._count:
            self._milvus.create(self._collection, self._fields, index=None)
        start = self._count

        def rows() -> Iterator[Row]:
            columns = (chunks.tolist(), posts.tolist(), np.asarray(vectors, dtype=np.float32))
            for number, (chunk, post, vector) in enumerate(zip(*columns, strict=True), start):
                yield {ROW: number, CHUNK: chunk, POST: post, VECTOR: vector}

        self._milvus.insert(self._collection, self._fields, rows())
        self._chunks.append(chunks)
        self._posts.append(np.asarray(posts, dtype=np.int64))
        self._count += len(chunks)
        self._total += vectors.sum(axis=0, dtype=np.float64)

    def _copy(self, directory: VectorDirectory) -> None:
        """Append the rows that count of every segment; their sum is known already."""
        kept = self._total.copy()
        for segment, _, numbers in directory.split(np.flatnonzero(directory.live)):
            step = max(BATCH_BYTES // (4 * directory.dimension), 1)
            for start in range(0, len(numbers), step):
                batch = numbers[start : start + step]
                rows = read_rows(self._milvus, segment, directory.dimension, batch)
                self._append(segment.chunks[batch], segment.posts[batch], rows)
        self._total = kept

    def _sum(self, directory: VectorDirectory, wanted: Bools) -> Floats:
        total = np.zeros(directory.dimension)
        for segment, _, numbers in directory.split(np.flatnonzero(wanted)):
            rows = read_rows(self._milvus, segment, directory.dimension, numbers)
            total += rows.sum(axis=0, dtype=np.float64)
        return total
