from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from blog_search_mcp.ingest.markdown.blocks import structure
from blog_search_mcp.ingest.markdown.plain_text import plain

LINE = st.sampled_from(
    [
        *("", "", "", "moth", "moth *moth*", "# moth", "> moth", "- moth", "  moth", "    moth"),
        *("```", "~~~", "| a | b |", "|---|---|", "<div>", "</div>", "{{< moth >}}", "<Moth />"),
        *("[a]: /b", "{% highlight c %}", "{% endhighlight %}", "!!! note", "`{{ a }}`", "---"),
        *("<!-- a", "-->", "1. moth", ":::tip", ":::", "import a from 'b'", "moth {name}", "\r"),
    ]
)


@given(st.lists(LINE, max_size=12).map("\n".join))
def test_a_part_of_a_body_has_the_words_that_it_has_alone(body: str) -> None:
    parsed = structure(body)
    for start, end in combinations([*parsed.starts, len(body)], 2):
        for part in (body[start:end], body[start:end].rstrip()):
            known = parsed.tokens_of(start, start + len(part))
            assert known is not None
            assert plain(part, known) == plain(part)


def test_only_whole_blocks_are_known() -> None:
    parsed = structure("moth\n\nby moth\n\nat night\n")
    assert [token.content for token in parsed.tokens_of(6, 15) or ()] == ["", "by moth", ""]
    assert parsed.tokens_of(6, 13) == parsed.tokens_of(6, 15)
    assert [parsed.tokens_of(*span) for span in ((0, 5), (7, 15), (6, 12))][1:] == [None, None]


def test_a_line_that_holds_something_else_is_not_known() -> None:
    parsed = structure("moth\n\nby moth\n")
    assert parsed.tokens_at(2, "by moth") == parsed.tokens_of(6, 14)
    assert [parsed.tokens_at(line, "by moth") for line in (0, 1, -1, 9)] == [None] * 4
