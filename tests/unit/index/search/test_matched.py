"""Terms of a text that a query has too: the same as by looking at each of its terms."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blog_search_mcp.index.analysis.tokenizer import terms
from blog_search_mcp.index.search.snippets import LONGEST, find_terms

STEMS = {
    "run",
    "快取",
    "快",
    "indexflatip",
    "c++",
    "parser",
    "cafe",
    "x" * (LONGEST + 1),
    "nothing",
}

ATOMS = st.sampled_from(
    (
        *("The", "faiss.IndexFlatIP", "running", "runs;", "it's", "C++", "XMLParser.", "Cafés,"),
        *("快取的快取", "快", "Go快取", "快取run", "ｃ++", "e\u0301", "x" * (LONGEST + 1)),
        *(" ", "  ", "\n", "\u3000", "-", ".", "，"),
    )
)


@given(text=st.lists(ATOMS, max_size=30).map("".join), language=st.sampled_from(["en", "zh", "de"]))
def test_the_terms_among_some_are_those_of_all_terms(text: str, language: str) -> None:
    spaced = " ".join(text.split())
    for stems in (STEMS, {stem for stem in STEMS if stem.isascii()}):
        expected = [term for term in terms(spaced, language) if term.stem in stems]
        assert list(find_terms(text.split(), stems, language)) == expected


@pytest.mark.parametrize("text", ["", " ", "walrus kelp 海藻"])
def test_a_text_without_any_has_none(text: str) -> None:
    assert list(find_terms(text.split(), STEMS)) == []
