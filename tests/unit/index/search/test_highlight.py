"""Which words of a text match a query, in any form and script."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blog_search_mcp.index.analysis.query import analyse_query
from blog_search_mcp.index.search.highlight import highlight, highlight_query, merge_spans

SPANS = st.lists(st.tuples(st.integers(0, 30), st.integers(1, 6)).map(lambda p: (p[0], sum(p))))


def marked(
    text: str, query: str, language: str = "en", languages: tuple[str, ...] = ("en",)
) -> str:
    return bracketed(text, highlight(text, analyse_query(query, languages), language))


def bracketed(text: str, spans: tuple[tuple[int, int], ...]) -> str:
    for start, end in reversed(spans):
        text = f"{text[:start]}[{text[start:end]}]{text[end:]}"
    return text


@pytest.mark.parametrize(
    ("query", "text", "expected"),
    [
        ("zebra", "A Zebra, two zebras.", "A [Zebra], two [zebras]."),
        ("swap an index atomically", "Atomic swaps of indexes.", "[Atomic] [swaps] of [indexes]."),
        ("café", "Le CAFE et le café.", "Le [CAFE] et le [café]."),
        ("flat index", "Use faiss.IndexFlatIP here", "Use faiss.[IndexFlat]IP here"),
        ("faiss.IndexFlatIP", "Use faiss.IndexFlatIP here", "Use [faiss.IndexFlatIP] here"),
        ("how is a zebra", "How it is: a zebra.", "How it is: a [zebra]."),
        ("to be or not to be", "It is not to be.", "It is [not] [to] [be]."),
        ("walrus", "A zebra.", "A zebra."),
        ("", "A zebra.", "A zebra."),
    ],
)
def test_the_words_that_match_are_marked_in_any_form(query: str, text: str, expected: str) -> None:
    assert marked(text, query) == expected


@pytest.mark.parametrize(
    ("query", "text", "expected"),
    [
        ("向量索引", "這是向量索引的說明。", "這是[向量索引]的說明。"),
        ("記憶體", "放在记忆体里", "放在[记忆体]里"),
        ("KV 快取", "KV快取會成長，快取要算。", "[KV快取]會成長，[快取]要算。"),
    ],
)
def test_pairs_of_characters_are_marked_as_one_run_in_either_script(
    query: str, text: str, expected: str
) -> None:
    assert marked(text, query, "zh-tw", ("en", "zh-tw")) == expected


def test_a_text_matches_by_the_rules_of_its_own_language() -> None:
    assert marked("Die Häuser", "Haus", "de", ("en", "de")) == "Die [Häuser]"
    assert marked("Die Häuser", "Haus", "en", ("en",)) == "Die Häuser"


@pytest.mark.parametrize(
    ("query", "text", "expected"),
    [
        ("How are indexes swapped?", "Swap the index.", "How are [indexes] [swapped]?"),
        ("zebra or walrus", "A walrus rests.", "zebra or [walrus]"),
        ("向量資料庫", "向量索引", "[向量]資料庫"),
        ("zebra", "Nothing.", "zebra"),
    ],
)
def test_the_words_of_a_query_that_a_text_holds_are_known(
    query: str, text: str, expected: str
) -> None:
    asked = analyse_query(query)
    assert bracketed(query, highlight_query(asked, text, "en")) == expected


@given(SPANS)
def test_joined_spans_cover_the_same_characters_and_never_touch(
    spans: list[tuple[int, int]],
) -> None:
    runs = merge_spans(spans)
    covered = {place for start, end in spans for place in range(start, end)}
    assert {place for start, end in runs for place in range(start, end)} == covered
    assert all(before[1] < after[0] for before, after in pairwise(runs))


@given(st.text(), st.text())
def test_marks_lie_within_any_text_for_any_query(query: str, text: str) -> None:
    found = highlight(text, analyse_query(query), "en")
    assert all(0 <= start < end <= len(text) for start, end in found)
