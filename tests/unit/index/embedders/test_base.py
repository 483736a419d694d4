"""Estimates of word pieces."""

import pytest

from blog_search_mcp.index.embedders.base import count_tokens, exceeds


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("", 0),
        (" \n\t", 0),
        ("cache", 1),
        ("caches", 2),
        ("key value", 2),
        ("it's", 3),
        ("snake_case", 3),
        ("鍵值快取", 4),
        ("ひらがな", 4),
        ("𠮷野家", 3),
        ("KV快取", 3),
        ("好。", 2),
        ("naïveté", 2),
        ("2 ** 10", 4),
    ],
)
def test_sizes_of_texts_counted_by_hand(text: str, pieces: int) -> None:
    assert count_tokens(text) == pieces


def test_a_size_is_exceeded_from_the_next_piece_on() -> None:
    text = "snake_case 鍵值快取"
    assert [exceeds(text, most) for most in (0, 6, 7, 100)] == [True, True, False, False]


def test_an_inlined_file_is_one_word() -> None:
    inlined = "data:image/png;base64," + "iVBORw0KGgo" * 1000
    assert count_tokens(f"![a]({inlined})") == count_tokens("![a](data)") == 7


def test_a_long_word_that_begins_as_an_inlined_file_is_counted() -> None:
    """Its letters could be shared out between type and subtype in a million ways."""
    assert count_tokens(f"data:{'a' * 1_000_000} ;base64,") == 200_006
