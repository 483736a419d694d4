"""What is worked out from vectors when an index is made, judged by the vectors themselves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import faiss
import numpy as np
import pytest

from blog_search_mcp.index.search.retrieval import nearness
from blog_search_mcp.index.search.snapshot import open_legs
from blog_search_mcp.index.store.chunk_table import chunk_table
from blog_search_mcp.index.vectors import norms as sums
from blog_search_mcp.index.vectors import rabitq as first_pass
from blog_search_mcp.index.vectors.memmap import VectorRows
from blog_search_mcp.index.vectors.rabitq import CANDIDATES, FirstPass
from blog_search_mcp.index.vectors.searcher import VectorSearcher
from blog_search_mcp.index.vectors.writer import new_vectors
from tests.support.blog import every_row
from tests.support.fakes import vector_of

if TYPE_CHECKING:
    from blog_search_mcp.index.store.layout import GenerationFiles
    from blog_search_mcp.index.types import Vectors
    from tests.support.blog import Blog, MakeBlog

DIMENSION = 64
POSTS = {f"{n}.md": f"# Post {n}\n\nAbout soup number {n}.\n\n## More\n\nPeas." for n in range(30)}


def unit_rows(count: int, seed: int) -> Vectors:
    """Near to a few hundred middles, as texts are."""
    chance = np.random.default_rng(seed)
    middles = np.random.default_rng(9).normal(size=(300, DIMENSION))
    rows = middles[chance.integers(0, 300, count)] + chance.normal(size=(count, DIMENSION)) + 0.5
    unit: Vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return unit


def codes_in(path: Path) -> list[list[int]]:
    read: Any = faiss.read_index(str(path))
    codes: list[list[int]] = (
        faiss.vector_to_array(read.codes).reshape(read.ntotal, read.code_size).tolist()
    )
    return codes


def assert_worked_out(files: GenerationFiles, made: Blog) -> None:
    """The sums are those of the vectors, and the codes as many as they."""
    legs = open_legs(files, made.embedder)
    found, rows = sums.read(files.sums), every_row(legs).astype(np.float64)
    owners = legs.table.posts_of(legs.vectors.ids)
    posts = sorted({*owners.tolist()})
    expected = {post: np.linalg.norm(rows[owners == post].sum(axis=0)) for post in posts}
    assert found.total == pytest.approx(rows.sum(axis=0), abs=1e-4)
    assert dict(zip(found.posts.tolist(), found.lengths.tolist(), strict=True)) == pytest.approx(
        expected, abs=1e-4
    )
    assert found.posts.tolist() == posts
    assert len(codes_in(files.first_pass)) == len(rows)


def test_an_index_holds_the_sums_of_its_vectors_whatever_came_and_went(blog: MakeBlog) -> None:
    made = blog(POSTS)
    assert_worked_out(made.files, made)
    made.write({"3.md": "# Changed\n\nA walrus.", "new.md": "# New\n\nA zebra."})
    (made.content / "7.md").unlink()
    made.ingest()
    assert_worked_out(made.files, made)
    made.ingest(rebuild=True)
    assert_worked_out(made.files, made)


def test_codes_that_were_taken_over_are_those_of_their_vectors(tmp_path: Path) -> None:
    rows, new = unit_rows(400, 1), unit_rows(30, 2)
    gone = np.arange(10, 90, dtype=np.int64)
    all_rows = np.concatenate([np.delete(rows, gone, axis=0), new])
    first_pass.write(tmp_path / "before", rows.mean(axis=0, dtype=np.float64), [rows])
    mean = all_rows.mean(axis=0, dtype=np.float64)
    assert first_pass.write_changed(tmp_path / "after", tmp_path / "before", gone, new, mean)
    before, after = codes_in(tmp_path / "before"), codes_in(tmp_path / "after")
    assert after[: 400 - len(gone)] == before[:10] + before[90:]
    query = unit_rows(1, 3)[0]
    assert sorted(FirstPass(tmp_path / "after").nearest(query)) == list(range(len(all_rows)))


def test_codes_made_for_another_middle_are_not_taken_over(tmp_path: Path) -> None:
    rows = unit_rows(400, 1)
    first_pass.write(tmp_path / "before", rows.mean(axis=0, dtype=np.float64), [rows])
    nothing = np.zeros(0, dtype=np.int64)
    far = np.full(DIMENSION, 0.125)
    added = unit_rows(1, 2)
    path = tmp_path / "after"
    assert not first_pass.write_changed(path, tmp_path / "before", nothing, added, far)
    assert not path.exists()


def test_the_first_pass_loses_none_of_the_nearest_twenty(tmp_path: Path) -> None:
    rows = unit_rows(12_000, 1)
    with new_vectors(tmp_path / "vectors", DIMENSION) as file:
        file.append(np.arange(12_000, dtype=np.int64), rows)
        file.finish()
    first_pass.write(tmp_path / "codes", rows.mean(axis=0, dtype=np.float64), [rows])
    exact = VectorSearcher(VectorRows([tmp_path / "vectors"], np.zeros(0, dtype=np.int64)))
    quick = VectorSearcher(exact.rows, FirstPass(tmp_path / "codes"))
    proposed = FirstPass(tmp_path / "codes").nearest(unit_rows(1, 0)[0])
    assert len(proposed) == CANDIDATES
    assert sorted(proposed.tolist()) == proposed.tolist()
    lost = 0
    for query in unit_rows(50, 4):
        expected = exact.search(query, 20)
        found = quick.search(query, 20)
        lost += len(expected.keys() - found.keys())
        assert all(found[chunk] == cosine for chunk, cosine in expected.items() if chunk in found)
    assert lost <= 10  # of 1,000: .99


def test_a_blog_without_vectors_has_neither_sums_nor_candidates(blog: MakeBlog) -> None:
    made = blog({"a.md": "# 🦓\n\n🦓🦓🦓\n"})
    legs = open_legs(made.files, made.embedder)
    assert legs.vectors.ids.tolist() == []
    assert legs.vectors.mean.tolist() == [0.0] * DIMENSION
    asked = np.asarray([1])
    near = nearness(legs.vectors, vector_of("zebra"), asked, *legs.table.of_posts(asked))
    assert np.isnan(near.cosines).tolist() == [True]
    assert near.means.tolist() == [0.0]
    assert codes_in(made.files.first_pass) == []
    made.write({"b.md": "A zebra."})
    made.ingest()
    assert_worked_out(made.files, made)


def test_a_table_tells_whose_a_chunk_is() -> None:
    rows = [
        (1, 10, 1.0, "[]"),
        (2, 10, 0.5, '["A"]'),
        (5, 12, 0.0, '["A"]'),
        (6, 12, 0.25, '["B"]'),
    ]
    table = chunk_table(rows)
    assert table.posts_of(np.asarray([6, 2])).tolist() == [12, 10]
    chunks, counts = table.of_posts(np.asarray([12, 10, 11]))
    assert (chunks.tolist(), counts.tolist()) == ([5, 6, 1, 2], [2, 2, 0])
    assert table.chunks_of([12]).tolist() == [5, 6]
    assert table.readable([6, 2]) == [0.25, 0.5]
    assert table.sections_of(np.asarray([1, 6, 2, 5])).tolist() == [0, 2, 1, 1]


def test_a_table_of_nothing_is_empty() -> None:
    table = chunk_table([])
    none = np.asarray([], dtype=np.int64)
    assert table.posts_of(none).tolist() == []
    assert [found.tolist() for found in table.of_posts(np.asarray([1]))] == [[], [0]]
    assert table.sections_of(none).tolist() == []


def test_the_ids_of_posts_and_chunks_ascend_together_however_an_index_grew(blog: MakeBlog) -> None:
    made = blog(POSTS)
    made.write({"3.md": POSTS["4.md"], "0.md": POSTS["3.md"], "a.md": POSTS["1.md"]})
    made.ingest()
    table = open_legs(made.files, made.embedder).table
    assert (np.diff(table.chunks) > 0).all()
    assert (np.diff(table.posts) >= 0).all()
