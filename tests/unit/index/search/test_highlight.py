"""Which words of a text match a query, in any form and script."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blog_search_mcp.index.search.previews import highlight
from blog_search_mcp.index.text.query import analyze_query


def bracketed(text: str, spans: tuple[tuple[int, int], ...]) -> str:
    for start, end in reversed(spans):
        text = f"{text[:start]}[{text[start:end]}]{text[end:]}"
    return text


@pytest.mark.parametrize(
    ("language", "query", "marked"),
    [
        ("en", "swap an index atomically", "[Atomic] [swaps] of [indexes]."),
        ("en", "café", "Le [CAFE] et le [café]."),
        ("en", "flat index", "Use faiss.[IndexFlat]IP here"),
        ("en", "faiss.IndexFlatIP", "Use [faiss.IndexFlatIP] here"),
        ("en", "how is a zebra", "How it is: a [zebra]."),
        ("en", "to be or not to be", "It is [not] [to] [be]."),
        ("en", "", "A zebra."),
        ("zh-tw", "向量索引", "這是[向量索引]的說明。"),
        ("zh-tw", "記憶體", "放在[记忆体]里"),
        ("zh-tw", "KV 快取", "[KV快取]會成長，[快取]要算。"),
        ("de", "Haus", "Die [Häuser]"),
        ("en", "Haus", "Die Häuser"),
    ],
)
def test_the_words_that_match_are_marked_in_any_form(
    language: str, query: str, marked: str
) -> None:
    text = marked.replace("[", "").replace("]", "")
    assert bracketed(text, highlight(text, analyze_query(query, (language,)), language)) == marked


@given(st.text(), st.text())
def test_marks_lie_within_any_text_for_any_query_and_never_touch(query: str, text: str) -> None:
    found = highlight(text, analyze_query(query), "en")
    assert all(0 <= start < end <= len(text) for start, end in found)
    assert all(before[1] < after[0] for before, after in pairwise(found))
