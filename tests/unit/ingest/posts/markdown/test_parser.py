"""Blocks are those that markdown-it finds, by whichever way a paragraph is read."""

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
