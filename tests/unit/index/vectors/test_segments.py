"""The vector store, judged by numpy's brute force."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import faiss
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blog_search_mcp.index.types import Ids, Vectors
from blog_search_mcp.index.vectors import segment_writer
from blog_search_mcp.index.vectors.segment_writer import VectorWriter
from blog_search_mcp.index.vectors.segments import VectorStore, read_directory
from tests.support.blog import MakeBlog, load_rows, rows_file

DIMENSION = 48


def unit_rows(count: int, seed: int) -> Vectors:
    """Near to a few hundred centres, as texts are."""
    chance = np.random.default_rng(seed)
    centres = np.random.default_rng(9).normal(size=(300, DIMENSION))
    rows = centres[chance.integers(0, 300, count)] + chance.normal(size=(count, DIMENSION)) + 0.5
    unit: Vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return unit


def write(
    parent: Path, ids: Ids, rows: Vectors, base: Path | None = None, deleted: Sequence[int] = ()
) -> Path:
    """Write a store into a folder of its own in `parent`."""
    parent.mkdir(exist_ok=True)
    folder = parent / "vectors"
    writer = VectorWriter(folder, base, rows.shape[1])
    for start in range(0, len(ids), 200):
        writer.add(ids[start : start + 200], rows[start : start + 200])
    writer.commit(deleted)
    return folder


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


def test_a_chunk_is_as_near_as_the_nearest_of_its_vectors(tmp_path: Path) -> None:
    ids, rows = np.repeat(np.arange(20, dtype=np.int64), 3), unit_rows(60, 4)
    store, query = VectorStore(write(tmp_path, ids, rows)), unit_rows(1, 5)[0]
    expected = brute_force(query, ids, rows)
    found = store.search(query, 60)
    assert list(found) == sorted(expected, key=lambda chunk: -expected[chunk])
    assert found == pytest.approx(expected, abs=1e-6)
    cosines, counts = store.cosines(query, [7, 3])
    assert counts.tolist() == [3, 3]
    np.testing.assert_allclose(cosines, (rows @ query)[[21, 22, 23, 9, 10, 11]], atol=1e-6)


def test_the_segment_of_a_fresh_index_is_a_faiss_index(blog: MakeBlog) -> None:
    made = blog({f"{n}.md": f"# Soup {n}\n\nBoil {'onions ' * n}." for n in range(40)})
    query = made.embedder.embed_query("soup of onions")
    cosines, places = faiss.read_index(str(rows_file(made.files))).search(query[None], 12)
    chunks = read_directory(made.files.vectors).ids[places[0]]
    nearest = dict(zip(chunks.tolist(), cosines[0].tolist(), strict=True))
    assert nearest == made.snapshot().vectors.search(query, 12)


def test_where_faiss_cannot_map_files_segments_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids, rows, read = some_ids(50), unit_rows(50, 1), faiss.read_index
    mapped = VectorStore(write(tmp_path, ids, rows))

    def refuse_flags(source: Any, *flags: int) -> Any:
        if flags:
            raise RuntimeError("Not implemented")
        return read(source)

    monkeypatch.setattr(faiss, "read_index", refuse_flags)
    assert VectorStore(tmp_path / "vectors").search(rows[7], 9) == mapped.search(rows[7], 9)


def test_a_store_of_nothing_answers_nothing(tmp_path: Path) -> None:
    nothing = np.zeros((0, DIMENSION), dtype=np.float32)
    folder = write(tmp_path, np.array([], dtype=np.int64), nothing)
    store, query = VectorStore(folder), unit_rows(1, 2)[0]
    assert (store.dimension, len(store)) == (DIMENSION, 0)
    assert store.search(query, 5) == {}
    assert store.search(query, 5, np.asarray([1, 2])) == {}
    assert store.cosines(query, [1, 2])[1].tolist() == [0, 0]
    np.testing.assert_array_equal(store.mean(), np.zeros(DIMENSION))
    assert [path.name for path in folder.iterdir()] == ["directory.npz"]


CHANGES = st.lists(st.tuples(st.integers(0, 120), st.floats(0, 0.5)), min_size=1, max_size=9)
"""Generations: how many vectors each adds, and the share of earlier ones that it deletes."""


@pytest.mark.parametrize("full", [30, segment_writer.SEGMENT // DIMENSION])
@settings(deadline=None, max_examples=40)
@given(changes=CHANGES, seed=st.integers(0, 2**16))
def test_however_it_grew_a_search_is_exact_and_as_of_a_store_written_at_once(
    tmp_path_factory: pytest.TempPathFactory, full: int, changes: list[tuple[int, float]], seed: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segment_writer, "SEGMENT", full * DIMENSION)
        grow_and_compare(tmp_path_factory.mktemp("grown"), full, changes, seed)


def grow_and_compare(
    folder: Path, full: int, changes: Sequence[tuple[int, float]], seed: int
) -> None:
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
        base = write(folder / str(number), ids, rows, base, deleted)
    all_ids = np.asarray(list(live), dtype=np.int64)
    all_rows = np.asarray(list(live.values()), dtype=np.float32).reshape(-1, DIMENSION)
    assert base is not None
    counts = read_directory(base).counts.tolist()
    assert all(size >= full or size > after for size, after in pairwise(counts))
    ids, rows = load_rows(base)
    order = np.argsort(ids)  # merged rows come after those of a new segment
    np.testing.assert_array_equal(ids[order], all_ids)
    np.testing.assert_array_equal(rows[order], all_rows)
    grown, query = VectorStore(base), unit_rows(1, seed)[0]
    fresh = VectorStore(write(folder / "fresh", all_ids, all_rows))
    for number in (1, 20, 600):
        for chosen in (slice(None), slice(0, None, 3)):
            among = None if chosen == slice(None) else all_ids[chosen]
            cosines = brute_force(query, all_ids[chosen], all_rows[chosen])
            assert_nearest(grown.search(query, number, among), cosines, number)
            assert grown.search(query, number, among) == fresh.search(query, number, among)
    np.testing.assert_allclose(grown.mean(), fresh.mean(), atol=1e-6)
