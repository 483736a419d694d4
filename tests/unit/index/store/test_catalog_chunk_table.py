from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from blog_search_mcp.index.store.catalog import make_chunk_table, read_chunk_table

if TYPE_CHECKING:
    from tests.support.blog import MakeBlog

POSTS = {f"{n}.md": f"# Post {n}\n\nAbout soup number {n}.\n\n## More\n\nPeas." for n in range(30)}


def test_a_table_knows_whose_a_chunk_is() -> None:
    rows = [
        (1, 10, 1.0),
        (2, 10, 0.5),
        (5, 12, 0.0),
        (6, 12, 0.25),
    ]
    table = make_chunk_table(rows)
    assert table.posts_of(np.asarray([6, 2])).tolist() == [12, 10]
    chunks, counts = table.of_posts(np.asarray([12, 10, 11]))
    assert (chunks.tolist(), counts.tolist()) == ([5, 6, 1, 2], [2, 2, 0])
    assert table.chunks_of([12]).tolist() == [5, 6]
    assert table.vocabulary_coverage_of(np.array([6, 2])).tolist() == [0.25, 0.5]


def test_a_table_of_nothing_is_empty() -> None:
    table = make_chunk_table([])
    none = np.asarray([], dtype=np.int64)
    assert table.posts_of(none).tolist() == []
    assert [found.tolist() for found in table.of_posts(np.asarray([1]))] == [[], [0]]


def test_the_ids_of_posts_and_chunks_ascend_together_however_an_index_grew(blog: MakeBlog) -> None:
    made = blog(POSTS)
    made.write({"3.md": POSTS["4.md"], "0.md": POSTS["3.md"], "a.md": POSTS["1.md"]})
    made.ingest()
    table = read_chunk_table(made.files.table)
    assert (np.diff(table.chunks) > 0).all()
    assert (np.diff(table.posts) >= 0).all()
