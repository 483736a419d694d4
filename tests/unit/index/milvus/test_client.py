"""Requests to a Milvus server: what comes back, what is refused before it is sent, what is said."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from blog_search_mcp.index.errors import CollectionGone, IndexProblem
from blog_search_mcp.index.milvus.client import Milvus
from blog_search_mcp.index.milvus.schema import (
    CHUNKS_FIELDS,
    CollectionNames,
    among,
    literal,
    vectors_fields,
)

if TYPE_CHECKING:
    from collections.abc import Callable

CHUNKS = CollectionNames("blog").chunks(1)
KEY, TERMS = CHUNKS_FIELDS[0], CHUNKS_FIELDS[-1]


def row(number: int, text: str = "", **change: Any) -> dict[str, Any]:
    made = {"chunk": number, "post": number // 3, "text": text, "plain": "p"}
    return made | {"terms": {0: 1.0, 2 * number: 2.0}} | change


def filled(milvus: Milvus, count: int = 9) -> Milvus:
    milvus.create(CHUNKS, CHUNKS_FIELDS)
    milvus.insert(CHUNKS, CHUNKS_FIELDS, map(row, range(1, count + 1)))
    milvus.complete(CHUNKS, count)
    return milvus


def test_rows_are_found_read_and_counted(milvus: Milvus) -> None:
    filled(milvus)
    [first, second] = milvus.search(CHUNKS, TERMS, [{4: 1.0, 6: 3.0}, {99: 1.0}], 5)
    assert (first.keys, first.scores) == ([3, 2], [6.0, 2.0])
    assert second.keys == []
    [some] = milvus.search(CHUNKS, TERMS, [{0: 1.0}], 5, "post in [1]")
    assert sorted(some.keys) == [3, 4, 5]
    assert milvus.get(CHUNKS, KEY, [8, 77], ["chunk", "plain"]) == [{"chunk": 8, "plain": "p"}]
    assert [each["chunk"] for each in milvus.iterate(CHUNKS, "", ["chunk"], 4)] == [*range(1, 10)]
    assert (milvus.count(CHUNKS), milvus.count(CHUNKS, "post == 1")) == (9, 3)


def test_a_row_replaces_the_one_with_its_key(milvus: Milvus) -> None:
    filled(milvus)
    milvus.insert(CHUNKS, CHUNKS_FIELDS, [row(4, "anew")], replace=True)
    assert milvus.query(CHUNKS, "chunk == 4", ["text"], strong=True) == [
        {"text": "anew", "chunk": 4}
    ]
    assert milvus.count(CHUNKS) == 9


@pytest.mark.parametrize("text", ['"', "\\", "a\nb\t'", "字 %d {x}", '\\"] or chunk > 0', "\u2028"])
def test_a_text_in_an_expression_is_that_text_alone(text: str, milvus: Milvus) -> None:
    filled(milvus)
    milvus.insert(CHUNKS, CHUNKS_FIELDS, [row(20, text)])
    assert milvus.query(CHUNKS, f"text == {literal(text)}", ["chunk"]) == [{"chunk": 20}]
    assert milvus.query(CHUNKS, among("text", [text, "?"]), ["chunk"]) == [{"chunk": 20}]


def test_an_alias_names_one_collection_and_is_altered_in_one_step(milvus: Milvus) -> None:
    first, second = (CollectionNames("blog").vectors(number) for number in (1, 2))
    for name in (first, second):
        milvus.create(name, vectors_fields(4))
    assert milvus.resolve("blog") is None
    made = [milvus.create_alias("blog", each) for each in (first, first, second)]
    assert made == [True, True, False]
    milvus.alter_alias("blog", second)
    assert milvus.resolve("blog") == second
    milvus.drop_alias("blog")
    assert milvus.resolve("blog") is None
    with pytest.raises(CollectionGone):
        milvus.alter_alias("blog", second)


def test_a_released_collection_is_loaded_and_asked_again(milvus: Milvus) -> None:
    filled(milvus)
    assert milvus._client is not None
    asked: list[Callable[[], int]] = [
        lambda: milvus.count(CHUNKS),
        lambda: len(milvus.query(CHUNKS, "chunk > 0", ["chunk"])),
        lambda: len(milvus.search(CHUNKS, TERMS, [{0: 1.0}], 9)[0].keys),
        lambda: len(list(milvus.iterate(CHUNKS, "", ["chunk"]))),
    ]
    for ask in asked:
        milvus._client.release_collection(CHUNKS)
        assert ask() == 9


def test_what_is_not_there_is_gone_and_can_be_dropped(milvus: Milvus) -> None:
    for ask in (
        lambda: milvus.query("nothing", "", ["row"]),
        lambda: milvus.search("nothing", TERMS, [{0: 1.0}], 1),
        lambda: milvus.insert("nothing", CHUNKS_FIELDS, [row(1)]),
        lambda: milvus.load("nothing"),
    ):
        with pytest.raises(CollectionGone, match="no longer has what was asked for"):
            ask()
    milvus.drop("nothing")
    milvus.drop_alias("nothing")


def test_rows_that_do_not_arrive_are_noticed(milvus: Milvus) -> None:
    filled(milvus)
    with pytest.raises(IndexProblem, match="has 9 of 10 rows"):
        milvus.complete(CHUNKS, 10)


def test_a_query_of_another_width_is_refused_before_it_is_sent(milvus: Milvus) -> None:
    name = CollectionNames("blog").vectors(1)
    milvus.create(name, vectors_fields(4))
    milvus.load(name)
    with pytest.raises(IndexProblem, match="vectors of 4 numbers, and this query has 3"):
        milvus.search(name, vectors_fields(4)[-1], [[1.0, 0.0, 0.0]], 1)


def test_more_than_a_server_finds_is_not_asked_for(milvus: Milvus) -> None:
    filled(milvus)
    [found] = milvus.search(CHUNKS, TERMS, [{0: 1.0}], 100_000)
    assert len(found.keys) == 9
    assert milvus.search(CHUNKS, TERMS, [{0: 1.0}], 0)[0].keys == []
    assert milvus.search(CHUNKS, TERMS, [], 5) == []
