from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from blog_search_mcp.server.format.truncate import truncate


def test_a_text_that_fits_is_left_alone() -> None:
    assert truncate("a\n\nb\n", 5) == "a\n\nb\n"


def test_a_cut_falls_between_blocks() -> None:
    assert truncate("one\ntwo\n\nthree\nfour\n\nfive", 17) == "one\ntwo"
    assert truncate("one\ntwo\n\nthree\nfour\n\nfive", 21) == "one\ntwo\n\nthree\nfour"


def test_a_blank_line_inside_a_fence_is_no_boundary() -> None:
    text = "intro, a long one\n\n~~~\na\n\n```\n\nb\n~~~\n\nend of it"
    assert truncate(text, 34) == "intro, a long one"


def test_a_fence_closes_only_with_its_own_kind() -> None:
    text = "````\n```\n\n````\n\nafter the fence comes this"
    assert truncate(text, 20) == "````\n```\n\n````"


def test_a_long_fence_is_cut_between_lines_if_little_would_be_left() -> None:
    assert truncate("a\n\n```\n11111\n\n22222\n33333\n```", 22) == "a\n\n```\n11111\n\n22222"


def test_one_long_line_is_cut_by_characters() -> None:
    assert truncate("文" * 30, 10) == "文" * 10


@given(st.text(alphabet="ab \n`~", max_size=200), st.integers(min_value=0, max_value=60))
def test_a_beginning_is_a_beginning_and_never_too_long(text: str, room: int) -> None:
    cut = truncate(text, room)
    assert text.startswith(cut)
    assert len(cut) <= room
