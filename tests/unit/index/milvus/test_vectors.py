"""Vectors in Milvus, judged by the store that keeps them in files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from blog_search_mcp.index.milvus import vectors as milvus_vectors
from blog_search_mcp.index.milvus.schema import CollectionNames, pack_arrays, unpack_arrays
from blog_search_mcp.index.milvus.vectors import (
    MilvusVectors,
    MilvusVectorWriter,
    VectorDirectory,
    VectorSegment,
    empty_directory,
    expression_of,
)
from blog_search_mcp.index.vectors.memmap_store import MemmapStore
from tests.unit.index.vectors.written import DIMENSION, unit_rows, write

if TYPE_CHECKING:
    from blog_search_mcp.index.milvus.client import Milvus
    from blog_search_mcp.index.types import Ids, Vectors

COUNT = 600
CHUNKS = np.repeat(np.arange(10, 10 + COUNT // 2, dtype=np.int64), 2)
"""Two vectors each."""


def post_of(chunks: Ids) -> Ids:
    """Five chunks a post."""
    posts: Ids = chunks // 5
    return posts


def written(
    milvus: Milvus,
    generation: int,
    chunks: Ids,
    rows: Vectors,
    base: VectorDirectory | None = None,
    deleted: Sequence[int] = (),
    merge: bool = False,
) -> VectorDirectory:
    writer = MilvusVectorWriter(
        milvus,
        CollectionNames("blog").vectors(generation),
        base or empty_directory(DIMENSION),
        post_of,
        merge=merge,
    )
    for start in range(0, len(chunks), 200):
        writer.add(chunks[start : start + 200], rows[start : start + 200])
    writer.delete(deleted)
    writer.commit()
    return writer.directory


def assert_equal(milvus: Milvus, directory: VectorDirectory, folder: Path) -> None:
    """The store in Milvus answers as the one in files."""
    found, expected = MilvusVectors(milvus, directory), MemmapStore(folder)
    assert (len(found), found.dimension) == (len(expected), DIMENSION)
    np.testing.assert_allclose(found.mean(), expected.mean(), atol=1e-6)
    some = np.asarray([400, 12, 11, 9999, 200, 250], dtype=np.int64)
    queries = list(unit_rows(8, seed=5))
    np.testing.assert_allclose(found.nearest(queries), expected.nearest(queries), atol=1e-5)
    for query in queries:
        for among in (None, some, np.arange(40, 280, dtype=np.int64)):
            before = expected.search(query, 50, among)
            after = found.search(query, 50, among)
            assert after == pytest.approx(before, abs=1e-5)
            assert list(after) == list(before)
        ours, theirs = found.cosines(query, some), expected.cosines(query, some)
        assert ours.counts.tolist() == theirs.counts.tolist()
        np.testing.assert_allclose(ours.values, theirs.values, atol=1e-5)
    ours_read, theirs_read = found.vectors(some), expected.vectors(some)
    assert ours_read.counts.tolist() == theirs_read.counts.tolist()
    np.testing.assert_allclose(ours_read.rows, theirs_read.rows, atol=1e-6)


def test_every_answer_is_that_of_the_store_in_files(milvus: Milvus, tmp_path: Path) -> None:
    rows = unit_rows(COUNT, seed=1)
    assert_equal(milvus, written(milvus, 1, CHUNKS, rows), write(tmp_path / "a", 1, CHUNKS, rows))


@pytest.mark.parametrize("merge", [False, True])
def test_a_generation_has_the_rows_of_those_before_but_of_posts_that_went(
    merge: bool, milvus: Milvus, tmp_path: Path
) -> None:
    rows, more = unit_rows(COUNT, seed=1), unit_rows(60, seed=2)
    added = np.arange(1_000, 1_060, dtype=np.int64)
    gone = [*range(20, 30), *range(200, 250), *range(1_005, 1_010)]
    first = written(milvus, 1, CHUNKS, rows)
    base = write(tmp_path / "a", 1, CHUNKS, rows)
    second = written(milvus, 2, added, more, first, gone, merge)
    assert [len(segment.chunks) for segment in second.segments] == (
        [COUNT - 120 + 60] if merge else [COUNT, 60]
    )
    assert_equal(milvus, second, write(tmp_path / "b", 2, added, more, base, gone))


def test_a_generation_without_new_vectors_makes_no_collection(milvus: Milvus) -> None:
    first = written(milvus, 1, CHUNKS, unit_rows(COUNT, seed=1))
    second = written(milvus, 2, CHUNKS[:0], unit_rows(0, seed=1), first, range(10, 15))
    own = [name for name in milvus.collections() if name.startswith("blog_")]
    assert own == ["blog_g000001_vectors"]
    assert len(MilvusVectors(milvus, second)) == COUNT - 10


def test_no_vectors_are_a_store_too(milvus: Milvus) -> None:
    store = MilvusVectors(milvus, empty_directory(DIMENSION))
    query = unit_rows(1, seed=1)[0]
    assert store.search(query, 5) == {}
    assert (store.nearest([query]), store.nearest([])) == ([0.0], [])
    assert store.cosines(query, [3]).counts.tolist() == [0]
    assert store.vectors([3]).rows.shape == (0, DIMENSION)
    assert not store.mean().any()


def test_a_graph_that_misses_rows_is_completed_by_the_vectors_themselves(
    milvus: Milvus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(milvus_vectors, "MANY", 100)
    rows = unit_rows(COUNT, seed=1)
    store = MilvusVectors(milvus, written(milvus, 1, CHUNKS, rows))
    judge = MemmapStore(write(tmp_path / "a", 1, CHUNKS, rows))
    query = unit_rows(1, seed=4)[0]
    every = np.unique(CHUNKS)
    np.testing.assert_allclose(
        store.cosines(query, every).values, judge.cosines(query, every).values, atol=1e-5
    )
    assert len(set(store.search(query, 50)) & set(judge.search(query, 50))) >= 45


def test_rows_are_named_as_briefly_as_they_can_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(milvus_vectors, "FEW", 1)
    segment = VectorSegment("c", np.arange(8), np.asarray([1, 1, 2, 2, 3, 3, 4, 4]))
    for rows, expected in {
        (0, 1, 2, 3, 4, 5, 6, 7): "",
        (3,): "row in [3]",
        (0, 1): "post in [1]",
        (0, 1, 2, 3, 4, 5): "post not in [4]",
        (0, 1, 2): "row in [0, 1, 2]",
    }.items():
        assert expression_of(segment, np.asarray(rows)) == expected


def test_what_is_kept_of_a_segment_comes_back_from_texts() -> None:
    segment = VectorSegment("c", CHUNKS, post_of(CHUNKS))
    parts = pack_arrays(segment.arrays())
    assert sum(map(len, parts)) < 1_000
    again = VectorSegment("c", **unpack_arrays(parts))
    assert again.chunks.tolist() == CHUNKS.tolist()
    assert again.posts.tolist() == post_of(CHUNKS).tolist()
