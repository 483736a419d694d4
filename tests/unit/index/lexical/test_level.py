"""How much a word of a query says."""

from __future__ import annotations

import pytest

from blog_search_mcp.index.analysis.query import Word, analyse_query
from blog_search_mcp.index.lexical.level import limit_bigram_idf


def words_of(text: str) -> tuple[Word, ...]:
    return analyse_query(text, ("zh",)).words


@pytest.mark.parametrize(
    ("text", "rarities", "limits"),
    [
        ("部署順序", [3.0, 9.0, 2.0], [3.0, 3.0, 2.0]),
        ("使用快取", [2.0, 1.0, 4.0], [2.0, 1.0, 4.0]),
        ("部署順序很重要", [3.0, 9.0, 2.0, 8.0, 5.0, 1.0], [3.0, 3.0, 2.0, 5.0, 5.0, 1.0]),
        ("部署、順序、步驟", [3.0, 9.0, 2.0], [3.0, 9.0, 2.0]),
        ("部署Go順序", [3.0, 9.0, 2.0], [3.0, 9.0, 2.0]),
        ("one two three", [3.0, 9.0, 2.0], [3.0, 9.0, 2.0]),
        ("部署", [3.0], [3.0]),
        ("", [], []),
    ],
)
def test_a_pair_across_two_words_is_no_rarer_than_the_rarer_of_them(
    text: str, rarities: list[float], limits: list[float]
) -> None:
    assert limit_bigram_idf(words_of(text), rarities) == limits
