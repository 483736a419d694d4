"""Estimates of word pieces."""

import pytest

from blog_search_mcp.index.embedders.embedder import count_pieces

INLINED = "data:image/png;base64," + "iVBORw0KGgo" * 1000
PIECES = {
    " \n\t": 0,
    "cache": 1,
    "caches": 2,
    "it's": 3,
    "snake_case": 3,
    "鍵值快取": 4,
    "ひらがな": 4,
    "𠮷野家": 3,
    "KV快取": 3,
    "好。": 2,
    "naïveté": 2,
    "2 ** 10": 4,
    f"![a]({INLINED})": 7,
    # Its letters could be shared out between type and subtype in a million ways.
    f"data:{'a' * 1_000_000} ;base64,": 200_006,
}


@pytest.mark.parametrize(("text", "pieces"), PIECES.items(), ids=range(len(PIECES)))
def test_sizes_of_texts_counted_by_hand(text: str, pieces: int) -> None:
    assert count_pieces(text) == pieces
