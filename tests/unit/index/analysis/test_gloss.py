"""What a query in another language asks, in the English words of computing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blog_search_mcp.index.analysis.gloss import Gloss, gloss_in_english


@pytest.mark.parametrize(
    ("text", "language", "gloss"),
    [
        ("如何減少記憶體用量？", "zh", Gloss("reduce memory", 5 / 9)),
        ("如何减少内存用量？", "zh", Gloss("reduce memory", 4 / 8)),
        ("FastAPI 怎么处理 CORS 请求", "zh", Gloss("FastAPI handle CORS request", 8 / 10)),
        ("メモリのリーク", "ja", Gloss("memory leak", 6 / 7)),
        ("serde_json 的快取", "zh", Gloss("serde_json cache", 4 / 5)),
    ],
)
def test_the_words_of_computing_are_put_in_english(text: str, language: str, gloss: Gloss) -> None:
    assert gloss_in_english(text, language) == gloss


def test_english_is_left_as_it_is() -> None:
    assert gloss_in_english("IndexFlatIP faiss_index", "en") is None


@pytest.mark.parametrize(
    ("text", "language"), [("", "zh"), ("記憶體", "zh"), ("你好嗎", "zh"), ("내 메모리", "ko")]
)
def test_what_has_fewer_than_two_such_words_is_left(text: str, language: str) -> None:
    assert gloss_in_english(text, language) is None


@given(st.text(), st.sampled_from(["zh", "ja", "en"]))
def test_a_gloss_stands_for_no_more_than_the_whole_query(text: str, language: str) -> None:
    gloss = gloss_in_english(text, language)
    assert gloss is None or (0.0 < gloss.share <= 1.0 and gloss.text)
