"""Blocks are those that markdown-it finds, by whichever way a paragraph is read."""

import sys

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from blog_search_mcp.ingest.posts.markdown.parser import parse_blocks

LINES = (
    *("", " ", "word", "Two words  ", "中文\u3000", "é\t", "z\xa0", "| a | b |", "a | b"),
    *("--- | ---", "---", "===", "- item", "1. one", "  indented", "    code", "\ttab", "> quote"),
    *("# heading", "[a]: /b", "[a]", "<div>", "```", "~~~"),
)


@given(st.lists(st.sampled_from(LINES), max_size=12).map("\n".join))
def test_blocks_are_those_of_markdown_it(text: str) -> None:
    library = MarkdownIt("commonmark").enable("table")
    library.core.ruler.enableOnly(["normalize", "block"])
    assert parse_blocks(text, "body") == library.parse(text)


def count_calls(text: str) -> int:
    """How many functions are called to parse a text."""
    calls = list[str]()
    sys.setprofile(lambda _frame, event, _: calls.append(event) if "call" in event else None)
    try:
        parse_blocks(text, "body")
    finally:
        sys.setprofile(None)
    return len(calls)


def test_formulas_of_many_names_that_never_end_take_the_work_of_those_of_one() -> None:
    one, many = (
        "".join(f"\\begin{{{name}}}\n" for name in names)
        for names in (["a0"] * 500, [f"a{number}" for number in range(500)])
    )
    assert count_calls(many) < 1.1 * count_calls(one)
