"""Names of collections, and what a row may hold."""

from __future__ import annotations

from typing import Any

import pytest

from blog_search_mcp.index.errors import IndexProblem
from blog_search_mcp.index.milvus import schema
from blog_search_mcp.index.milvus.schema import (
    CHUNKS_FIELDS,
    CollectionNames,
    batches,
    embeddings_fields,
)


def test_a_generation_is_told_by_the_names_of_its_collections() -> None:
    names = CollectionNames("my_blog")
    made = [names.posts(7), names.chunks(7), names.vectors(7)]
    assert made == [f"my_blog_g000007_{what}" for what in ("posts", "chunks", "vectors")]
    assert [names.generation_of(each) for each in made] == [7, 7, 7]
    others = [names.embeddings(384), names.state, "my_blog", "blog_g000007_posts"]
    assert [names.generation_of(each) for each in others] == [None] * 4
    assert CollectionNames("my").generation_of("my_blog_g000007_posts") is None


def row(number: int, text: str = "", **change: Any) -> dict[str, Any]:
    made = {"chunk": number, "post": 1, "text": text, "plain": ""}
    return made | {"terms": {0: 1.0, 2 * number: 2.0}} | change


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"text": "字" * 21_846}, "65,538 bytes does not fit the field 'text'"),
        ({"terms": {}}, "no term does not fit the field 'terms'"),
    ],
)
def test_what_a_server_would_refuse_is_not_sent(change: dict[str, Any], said: str) -> None:
    with pytest.raises(IndexProblem, match=said):
        list(batches(CHUNKS_FIELDS, [row(1), row(2, **change)]))
    with pytest.raises(IndexProblem, match="3 numbers does not fit the field 'vector'"):
        list(batches(embeddings_fields(4), [{"key": "", "seal": "", "vector": [0.0] * 3}]))


def test_rows_go_in_requests_of_a_bounded_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "BATCH_BYTES", 90)
    sizes = [len(batch) for batch in batches(CHUNKS_FIELDS, map(row, range(1, 8)))]
    assert sizes == [2, 2, 2, 1]
    large = (row(number, "x" * 500) for number in range(1, 3))
    assert [len(batch) for batch in batches(CHUNKS_FIELDS, large)] == [1, 1]
