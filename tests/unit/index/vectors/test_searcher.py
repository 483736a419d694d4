"""FAISS as it is used here, judged by numpy's brute force."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

import faiss
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blog_search_mcp.index.vectors.memmap import VectorRows
from blog_search_mcp.index.vectors.searcher import VectorSearcher
from blog_search_mcp.index.vectors.writer import new_vectors

if TYPE_CHECKING:
    from blog_search_mcp.index.types import Ids, Vectors

DIMENSION = 48


def write(path: Path, ids: Ids, rows: Vectors, block: int = 200) -> None:
    with new_vectors(path, rows.shape[1]) as file:
        for start in range(0, len(ids), block):
            file.append(ids[start : start + block], rows[start : start + block])
        file.finish()


def opened(*paths: Path, gone: tuple[int, ...] = ()) -> VectorSearcher:
    return VectorSearcher(VectorRows(paths, np.asarray(gone, dtype=np.int64)))


def rows_in(searcher: VectorSearcher) -> Vectors:
    return searcher.rows.at(np.arange(len(searcher.ids)))


def unit_rows(count: int, seed: int) -> Vectors:
    rows = np.random.default_rng(seed).normal(size=(count, DIMENSION)).astype(np.float32)
    unit: Vectors = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


def brute_force(query: Vectors, ids: Ids, rows: Vectors, limit: int) -> dict[int, float]:
    cosines = rows.astype(np.float64) @ query.astype(np.float64)
    best = np.argsort(-cosines, kind="stable")[:limit]
    return {int(ids[i]): float(cosines[i]) for i in best}


def assert_nearest(found: dict[int, float], cosines: dict[int, float], limit: int) -> None:
    """Single precision may swap two chunks whose cosines differ in the seventh place."""
    best = sorted(cosines.values(), reverse=True)[:limit]
    assert list(found.values()) == sorted(found.values(), reverse=True)
    assert list(found.values()) == pytest.approx(best, abs=1e-6)
    assert found == pytest.approx({chunk: cosines[chunk] for chunk in found}, abs=1e-6)


def some_ids(count: int) -> Ids:
    """Ascending, with gaps, as deletions leave them."""
    return np.cumsum(np.arange(count) % 3 + 1).astype(np.int64)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("vectors") / "vectors.faiss"
    write(path, some_ids(500), unit_rows(500, 1))
    return path


@pytest.fixture(scope="module")
def searcher(path: Path) -> VectorSearcher:
    return opened(path)


@settings(deadline=None, max_examples=50)
@given(seed=st.integers(0, 2**32 - 1), limit=st.integers(1, 600))
def test_a_search_is_exact(searcher: VectorSearcher, seed: int, limit: int) -> None:
    query = unit_rows(1, seed)[0]
    cosines = brute_force(query, some_ids(500), unit_rows(500, 1), 500)
    found = searcher.search(query, limit)
    assert_nearest(found, cosines, limit)
    assert all(-1 <= cosine <= 1.000001 for cosine in found.values())


@settings(deadline=None, max_examples=50)
@given(seed=st.integers(0, 2**32 - 1), share=st.floats(0, 1), limit=st.integers(1, 600))
def test_a_search_among_some_is_a_search_of_those_alone(
    searcher: VectorSearcher, seed: int, share: float, limit: int
) -> None:
    chosen = np.random.default_rng(seed).random(500) < share
    ids, rows = some_ids(500)[chosen], unit_rows(500, 1)[chosen]
    query = unit_rows(1, seed)[0]
    assert_nearest(searcher.search(query, limit, ids), brute_force(query, ids, rows, 500), limit)


def test_a_vector_finds_itself_with_a_cosine_of_one(searcher: VectorSearcher) -> None:
    assert searcher.search(unit_rows(500, 1)[7], 1) == pytest.approx({int(some_ids(8)[7]): 1.0})


def test_ids_that_are_not_there_are_not_found(searcher: VectorSearcher) -> None:
    there = int(some_ids(1)[0])
    among = np.array([there, 10_000, 10_001], dtype=np.int64)
    assert list(searcher.search(unit_rows(1, 2)[0], 3, among)) == [there]


def test_a_search_among_none_finds_none(searcher: VectorSearcher) -> None:
    assert searcher.search(unit_rows(1, 2)[0], 5, np.array([], dtype=np.int64)) == {}


def test_the_rows_are_those_that_were_written(searcher: VectorSearcher) -> None:
    np.testing.assert_array_equal(searcher.ids, some_ids(500))
    np.testing.assert_array_equal(rows_in(searcher), unit_rows(500, 1))
    assert rows_in(searcher).dtype == np.float32


@pytest.mark.parametrize("wanted", [[], [1], [2], [1, 2, 3, 4, 10**6], [10**6, 4, 1]])
def test_rows_are_found_by_id(wanted: list[int], searcher: VectorSearcher) -> None:
    known = dict(zip(some_ids(500).tolist(), unit_rows(500, 1), strict=True))
    places = searcher.of(wanted)
    ids, rows = searcher.ids[places], searcher.rows.at(places)
    assert ids.tolist() == [number for number in wanted if number in known]
    for number, row in zip(ids.tolist(), rows, strict=True):
        np.testing.assert_array_equal(row, known[number])


def test_cosines_of_some_are_the_same_before_and_after_those_of_all(path: Path) -> None:
    places = np.asarray([7, 3, 3, 499])
    for query in unit_rows(3, 5):
        searcher = opened(path)
        before = searcher.cosines(query, places)
        every = searcher.cosines(query)
        assert before.tolist() == searcher.cosines(query, places).tolist()
        assert before.tolist() == every[places].tolist()
        assert searcher.cosines(-query, places).tolist() == (-before).tolist()


def test_the_mean_is_that_of_all_rows(searcher: VectorSearcher) -> None:
    expected = unit_rows(500, 1).astype(np.float64).mean(axis=0)
    np.testing.assert_allclose(searcher.mean, expected, atol=1e-6)


def test_an_index_of_nothing_answers_nothing(tmp_path: Path) -> None:
    path = tmp_path / "vectors.faiss"
    write(path, np.array([], dtype=np.int64), np.zeros((0, DIMENSION), dtype=np.float32))
    searcher = opened(path)
    assert searcher.dimension == DIMENSION
    assert searcher.search(unit_rows(1, 2)[0], 5) == {}
    assert rows_in(searcher).shape == (0, DIMENSION)
    assert searcher.of([1, 2]).tolist() == []
    np.testing.assert_array_equal(searcher.mean, np.zeros(DIMENSION))


@pytest.mark.parametrize("count", [0, 1, 500])
def test_a_file_written_in_blocks_is_the_one_that_faiss_writes(count: int, tmp_path: Path) -> None:
    ids, rows = some_ids(count), unit_rows(count, 2)
    write(tmp_path / "ours", ids, rows)
    index = faiss.IndexIDMap(faiss.IndexFlatIP(DIMENSION))
    index.add_with_ids(rows, ids)
    assert (tmp_path / "ours").read_bytes() == bytes(faiss.serialize_index(index))


def test_the_next_file_has_the_rows_of_the_last_but_those_that_are_gone(
    path: Path, tmp_path: Path
) -> None:
    gone = some_ids(500)[::7]
    with new_vectors(tmp_path / "next", DIMENSION) as file:
        file.append_from(path, gone.tolist())
        file.append(np.asarray([9999], dtype=np.int64), unit_rows(1, 3))
        file.finish()
    following = opened(tmp_path / "next")
    kept = ~np.isin(some_ids(500), gone)
    np.testing.assert_array_equal(following.ids, [*some_ids(500)[kept], 9999])
    rows = np.concatenate([unit_rows(500, 1)[kept], unit_rows(1, 3)])
    np.testing.assert_array_equal(rows_in(following), rows)


def test_what_is_open_outlives_its_file(tmp_path: Path) -> None:
    path = tmp_path / "vectors.faiss"
    write(path, some_ids(5), unit_rows(5, 1))
    searcher = opened(path)
    path.unlink()
    assert len(searcher.search(unit_rows(1, 2)[0], 5)) == 5


def test_threads_may_search_at_once(searcher: VectorSearcher) -> None:
    query = unit_rows(1, 3)[0]
    expected = searcher.search(query, 20)
    among = some_ids(500)[:100]
    expected_among = searcher.search(query, 20, among)
    wrong: list[int] = []

    def search(number: int) -> None:
        for _ in range(50):
            if searcher.search(query, 20) != expected:
                wrong.append(number)
            if searcher.search(query, 20, among) != expected_among:
                wrong.append(number)

    threads = [threading.Thread(target=search, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_chunk_of_several_vectors_is_as_near_as_the_nearest_of_them(tmp_path: Path) -> None:
    rows = unit_rows(60, 4)
    ids = np.repeat(np.arange(20, dtype=np.int64), 3)
    path = tmp_path / "vectors.faiss"
    write(path, ids, rows)
    searcher = opened(path)
    query = unit_rows(1, 5)[0]
    cosines = (rows.astype(np.float64) @ query).reshape(20, 3).max(axis=1)
    expected = sorted(range(20), key=lambda chunk: -cosines[chunk])
    found = searcher.search(query, 60)
    assert list(found) == expected
    assert found == pytest.approx(dict(enumerate(cosines.tolist())), abs=1e-6)
    places = searcher.of([7, 3])
    assert searcher.ids[places].tolist() == [7, 7, 7, 3, 3, 3]
    np.testing.assert_array_equal(searcher.rows.at(places), rows[[21, 22, 23, 9, 10, 11]])


@settings(deadline=None, max_examples=50)
@given(
    cut=st.integers(0, 300),
    gone=st.sets(st.integers(0, 299), max_size=300),
    wanted=st.lists(st.integers(0, 299), max_size=40),
)
def test_vectors_of_two_files_are_those_of_one(
    tmp_path_factory: pytest.TempPathFactory, cut: int, gone: set[int], wanted: list[int]
) -> None:
    """Of the first file some rows do not count any more."""
    folder = tmp_path_factory.mktemp("files")
    ids, rows = some_ids(300), unit_rows(300, 6)
    stay = np.asarray([n not in gone or n >= cut for n in range(300)])
    write(folder / "shared", ids[:cut], rows[:cut])
    write(folder / "newer", ids[cut:], rows[cut:])
    write(folder / "one", ids[stay], rows[stay])
    two = opened(folder / "shared", folder / "newer", gone=tuple(ids[:cut][~stay[:cut]].tolist()))
    one, query = opened(folder / "one"), unit_rows(1, 7)[0]
    np.testing.assert_array_equal(two.ids, one.ids)
    np.testing.assert_array_equal(rows_in(two), rows_in(one))
    np.testing.assert_array_equal(np.concatenate([*two.rows.blocks(), rows[:0]]), rows_in(one))
    assert two.search(query, 20) == one.search(query, 20)
    among = ids[wanted]
    assert two.search(query, 20, among) == one.search(query, 20, among)
    np.testing.assert_array_equal(two.rows.at(two.of(among)), one.rows.at(one.of(among)))
    assert two.mean == pytest.approx(one.mean, abs=1e-6)
