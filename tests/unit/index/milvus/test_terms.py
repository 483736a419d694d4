"""Terms as dimensions, and what a row has of them."""

from __future__ import annotations

import pytest

from blog_search_mcp.index.analysis.tokenizer import IndexTerms, index_terms
from blog_search_mcp.index.milvus.schema import NO_TERM
from blog_search_mcp.index.milvus.terms import (
    count_terms,
    dimension,
    presence,
    quantised_lengths,
    weigh,
)


def bm25(count: int, length: int, mean: float) -> float:
    return 2.2 * count / (count + 1.2 * (0.25 + 0.75 * length / mean))


def test_lengths_are_those_that_tantivy_tells_apart() -> None:
    lengths = quantised_lengths().tolist()
    assert lengths[:41] == [*range(41)]
    assert lengths[41:59] == [*range(42, 56, 2), *range(56, 88, 4), *range(88, 105, 8)]
    assert (len(lengths), lengths[-1]) == (256, 2_013_265_944)


def test_a_term_has_an_even_dimension_of_its_own() -> None:
    words = [f"word{number}" for number in range(20_000)]
    every = [dimension(what, word) for what in ("stem", "exact") for word in words]
    assert all(2 <= each <= 2**32 - 4 and each % 2 == 0 for each in every)
    assert len(set(every)) >= len(every) - 2
    assert presence(every[0]) == every[0] + 1


def test_an_east_asian_term_has_one_spelling() -> None:
    assert dimension("stem", "快取") == dimension("exact", "快取") != dimension("pair", "快")
    assert dimension("stem", "cache") != dimension("exact", "cache")


def test_a_row_has_the_weight_of_each_term_and_that_it_is_there() -> None:
    row = weigh(count_terms(index_terms("caches cache run"), padding=50), (40.0, 20.0))
    stem, caches, cache = (
        dimension("stem", "cach"),
        dimension("exact", "caches"),
        dimension("exact", "cache"),
    )
    run = {"stem": dimension("stem", "run"), "exact": dimension("exact", "run")}
    assert row == pytest.approx(
        {
            stem: bm25(2, 52, 40.0),
            presence(stem): 1.0,
            run["stem"]: bm25(1, 52, 40.0),
            presence(run["stem"]): 1.0,
            caches: bm25(1, 52, 20.0),
            cache: bm25(1, 52, 20.0),
            run["exact"]: bm25(1, 52, 20.0),
        }
    )


def test_a_row_has_the_characters_of_pairs_and_those_that_stand_alone() -> None:
    row = weigh(count_terms(index_terms("快取 快 字", "zh")), (3.0, 3.0))
    characters = [dimension("pair", "快"), dimension("pair", "取"), dimension("lone", "字")]
    assert [row[each] for each in characters] == [1.0, 1.0, 1.0]
    assert dimension("lone", "快") not in row
    stems = [dimension("stem", each) for each in ("快取", "快", "字")]
    assert row.keys() == {*characters, *stems, *map(presence, stems)}


def test_a_text_without_terms_has_a_row_all_the_same() -> None:
    assert weigh(count_terms(IndexTerms("", "")), (0.0, 0.0)) == {NO_TERM: 1.0}
