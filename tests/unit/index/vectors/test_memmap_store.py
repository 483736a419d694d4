"""The vector store, judged by numpy's brute force."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blog_search_mcp.index.vectors.memmap_store import MemmapStore
from tests.support.blog import load_rows
from tests.unit.index.vectors.written import DIMENSION, unit_rows, write

if TYPE_CHECKING:
    from blog_search_mcp.index.types import Ids, Vectors


def some_ids(count: int) -> Ids:
    """Ascending, with gaps, as deletions leave them."""
    return np.cumsum(np.arange(count) % 3 + 1).astype(np.int64)


def brute_force(query: Vectors, ids: Ids, rows: Vectors) -> dict[int, float]:
    """Every chunk with the largest cosine of its rows."""
    found: dict[int, float] = {}
    cosines = rows.astype(np.float64) @ query.astype(np.float64)
    for chunk, cosine in zip(ids.tolist(), cosines.tolist(), strict=True):
        found[chunk] = max(cosine, found.get(chunk, -1.0))
    return found


def assert_nearest(found: dict[int, float], cosines: dict[int, float], k: int) -> None:
    """Single precision may swap two chunks whose cosines differ in the seventh place."""
    best = sorted(cosines.values(), reverse=True)[:k]
    assert list(found.values()) == sorted(found.values(), reverse=True)
    assert list(found.values()) == pytest.approx(best, abs=1e-6)
    assert found == pytest.approx({chunk: cosines[chunk] for chunk in found}, abs=1e-6)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> MemmapStore:
    return MemmapStore(write(tmp_path_factory.mktemp("one"), 1, some_ids(500), unit_rows(500, 1)))


@settings(deadline=None, max_examples=50)
@given(seed=st.integers(0, 2**32 - 1), k=st.integers(1, 600))
def test_a_search_is_exact(store: MemmapStore, seed: int, k: int) -> None:
    query = unit_rows(1, seed)[0]
    found = store.search(query, k)
    assert_nearest(found, brute_force(query, some_ids(500), unit_rows(500, 1)), k)
    assert all(-1 <= cosine <= 1.000001 for cosine in found.values())


def test_the_vectors_of_chunks_are_read_as_they_were_written(store: MemmapStore) -> None:
    ids, rows = some_ids(500), unit_rows(500, 1)
    asked = [int(ids[40]), int(ids[3]), 10**9]
    found, counts = store.vectors(asked)
    assert counts.tolist() == [1, 1, 0]
    assert np.array_equal(found, rows[[40, 3]])


@settings(deadline=None, max_examples=50)
@given(seed=st.integers(0, 2**32 - 1), share=st.floats(0, 1), k=st.integers(1, 600))
def test_a_search_among_some_is_a_search_of_those_alone(
    store: MemmapStore, seed: int, share: float, k: int
) -> None:
    chosen = np.random.default_rng(seed).random(500) < share
    ids, rows = some_ids(500)[chosen], unit_rows(500, 1)[chosen]
    query = unit_rows(1, seed)[0]
    assert_nearest(store.search(query, k, ids), brute_force(query, ids, rows), k)


def test_a_vector_finds_itself_with_a_cosine_of_one(store: MemmapStore) -> None:
    assert store.search(unit_rows(500, 1)[7], 1) == pytest.approx({int(some_ids(8)[7]): 1.0})


def test_ids_that_are_not_there_are_not_found(store: MemmapStore) -> None:
    there = int(some_ids(1)[0])
    among = np.array([there, 10_000, 10_001], dtype=np.int64)
    assert list(store.search(unit_rows(1, 2)[0], 3, among)) == [there]
    assert store.cosines(unit_rows(1, 2)[0], [10_000, there]).counts.tolist() == [0, 1]


def test_a_chunk_is_as_near_as_the_nearest_of_its_vectors(tmp_path: Path) -> None:
    ids, rows = np.repeat(np.arange(20, dtype=np.int64), 3), unit_rows(60, 4)
    store, query = MemmapStore(write(tmp_path, 1, ids, rows)), unit_rows(1, 5)[0]
    expected = brute_force(query, ids, rows)
    found = store.search(query, 60)
    assert list(found) == sorted(expected, key=lambda chunk: -expected[chunk])
    assert found == pytest.approx(expected, abs=1e-6)
    cosines = store.cosines(query, [7, 3])
    assert cosines.counts.tolist() == [3, 3]
    np.testing.assert_allclose(cosines.values, (rows @ query)[[21, 22, 23, 9, 10, 11]], atol=1e-6)


def test_cosines_of_some_are_the_same_before_and_after_a_search_of_all(store: MemmapStore) -> None:
    chunks = some_ids(500)[[7, 3, 3, 499]]
    for query in unit_rows(3, 5):
        before = store.cosines(query, chunks).values.tolist()
        found = store.search(query, 500)
        assert before == store.cosines(query, chunks).values.tolist()
        assert before == [found[chunk] for chunk in chunks.tolist()]
        assert store.cosines(-query, chunks).values.tolist() == [-each for each in before]


def test_the_mean_is_that_of_all_rows(store: MemmapStore) -> None:
    rows = unit_rows(500, 1).astype(np.float64)
    np.testing.assert_allclose(store.mean(), rows.mean(axis=0), atol=1e-6)


def test_a_single_vector_has_nothing_in_common_with_others(tmp_path: Path) -> None:
    store = MemmapStore(write(tmp_path, 1, np.array([7], dtype=np.int64), unit_rows(1, 1)))
    np.testing.assert_array_equal(store.mean(), np.zeros(DIMENSION))


def test_a_store_of_nothing_answers_nothing(tmp_path: Path) -> None:
    nothing = np.zeros((0, DIMENSION), dtype=np.float32)
    folder = write(tmp_path, 1, np.array([], dtype=np.int64), nothing)
    store, query = MemmapStore(folder), unit_rows(1, 2)[0]
    assert (store.dimension, len(store)) == (DIMENSION, 0)
    assert store.search(query, 5) == {}
    assert store.search(query, 5, np.asarray([1, 2])) == {}
    assert store.cosines(query, [1, 2]).counts.tolist() == [0, 0]
    np.testing.assert_array_equal(store.mean(), np.zeros(DIMENSION))
    assert [path.name for path in folder.iterdir()] == ["directory.npz"]


def test_what_is_open_outlives_its_files(tmp_path: Path) -> None:
    folder = write(tmp_path, 1, some_ids(5), unit_rows(5, 1))
    store = MemmapStore(folder)
    for path in folder.iterdir():
        path.unlink()
    assert len(store.search(unit_rows(1, 2)[0], 5)) == 5


def test_threads_may_search_at_once(store: MemmapStore) -> None:
    queries = unit_rows(4, 3)
    expected = [store.search(query, 20) for query in queries]
    wrong: list[int] = []

    def search(number: int) -> None:
        for _ in range(50):
            found = store.search(queries[number], 20)
            near = store.cosines(queries[number], list(found)).values.tolist()
            if found != expected[number] or near != list(found.values()):
                wrong.append(number)

    threads = [threading.Thread(target=search, args=[number]) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


CHANGES = st.lists(st.tuples(st.integers(0, 60), st.floats(0, 0.5)), min_size=1, max_size=9)
"""Generations: how many vectors each adds, and the share of earlier ones that it deletes."""


@settings(deadline=None, max_examples=40)
@given(changes=CHANGES, seed=st.integers(0, 2**16))
def test_however_it_grew_a_store_answers_as_one_written_at_once(
    tmp_path_factory: pytest.TempPathFactory, changes: list[tuple[int, float]], seed: int
) -> None:
    folder = tmp_path_factory.mktemp("grown")
    chance, base = np.random.default_rng(seed), None
    live: dict[int, Vectors] = {}
    following = 1
    for number, (added, share) in enumerate(changes, start=1):
        gone = [post for post in {each // 10 for each in live} if chance.random() < share]
        deleted = [each for each in live if each // 10 in gone]
        live = {each: live[each] for each in live if each // 10 not in gone}
        following += 10 - following % 10  # the chunks of a post come together
        ids = np.arange(following, following + added, dtype=np.int64)
        rows = unit_rows(added, seed + number)
        live |= dict(zip(ids.tolist(), rows, strict=True))
        following += added
        base = write(folder / str(number), number, ids, rows, base, deleted)
    all_ids = np.asarray(list(live), dtype=np.int64)
    all_rows = np.asarray(list(live.values()), dtype=np.float32).reshape(-1, DIMENSION)
    assert base is not None
    ids, rows = load_rows(base)
    np.testing.assert_array_equal(ids, all_ids)
    np.testing.assert_array_equal(rows, all_rows)
    grown = MemmapStore(base)
    fresh = MemmapStore(write(folder / "fresh", 1, all_ids, all_rows))
    query = unit_rows(1, seed)[0]
    assert grown.search(query, 20) == fresh.search(query, 20)
    assert grown.search(query, 20, all_ids[::3]) == fresh.search(query, 20, all_ids[::3])
    np.testing.assert_allclose(grown.mean(), fresh.mean(), atol=1e-6)
