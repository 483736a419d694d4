"""The vectors of the last queries."""

from __future__ import annotations

import numpy as np

from blog_search_mcp.index.embedders.guarded import Recent
from tests.support.fakes import vector_of


def test_a_vector_is_had_again_by_its_text() -> None:
    recent = Recent()
    recent.keep("soup", vector_of("soup"))
    got = recent.get("soup")
    assert got is not None
    np.testing.assert_array_equal(got, vector_of("soup"))
    assert recent.get("Soup") is None


def test_the_one_not_asked_for_the_longest_gives_way() -> None:
    recent = Recent(kept=2)
    recent.keep("soup", vector_of("soup"))
    recent.keep("stew", vector_of("stew"))
    recent.get("soup")
    recent.keep("bread", vector_of("bread"))
    assert [text for text in ("soup", "stew", "bread") if recent.get(text) is not None] == [
        "soup",
        "bread",
    ]
