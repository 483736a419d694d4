from __future__ import annotations

import pytest

from blog_search_mcp.index.posts.markdown.inline import strip_markup
from blog_search_mcp.index.posts.markdown.parser import add_table_head


def test_rows_without_a_head_are_rows() -> None:
    rows = "| zebra | stripes |\n| [walrus](/walrus) | tusks | and more |\n\nText.\n"
    assert strip_markup(rows) == "zebra stripes\nwalrus tusks and more\nText."
    assert strip_markup(f"\n\n{rows}") == strip_markup(rows)


@pytest.mark.parametrize(
    "passage",
    [
        "| a | b |\n|---|:-:|\n| 1 | 2 |\n",
        "|a|\n|-|\n",
        "| a | b |\n --- | ---\n| 1 | 2 |\n",
        "Text | with a bar\n",
        "| half a row\n",
        "",
        "\n\n",
    ],
)
def test_everything_else_stays_as_it_is(passage: str) -> None:
    assert add_table_head(passage) == passage
