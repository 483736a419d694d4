from itertools import combinations_with_replacement

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blog_search_mcp.ingest.posts.markdown.body import Body

LINE = st.sampled_from(
    [
        *("", "", "", "moth", "moth *moth*", "# moth", "> moth", "- moth", "  moth", "    moth"),
        *("```", "~~~", "| a | b |", "|---|---|", "<div>", "</div>", "{{< moth >}}", "<Moth />"),
        *(
            "[a]: /b",
            "a[0]: b",
            "{% highlight c %}",
            "{% endhighlight %}",
            "!!! note",
            "`{{ a }}`",
            "---",
        ),
        *("<!-- a", "-->", "1. moth", ":::tip", ":::", "import a from 'b'", "moth {name}"),
    ]
)


@pytest.mark.parametrize(
    ("begin", "words"),
    [
        ("    - one", "one b\ntwo\nfence\nsecond\nmoth"),
        ("    - two", "two\nfence\nsecond\nmoth"),
        ("+ second", "second\nmoth"),
    ],
)
def test_what_begins_inside_a_list_is_no_code(begin: str, words: str) -> None:
    text = (
        "+ first\n\n    - one [b](/c)\n    - two\n\n      ```sh\n      fence\n      ```\n\n"
        "+ second\n\n    - *moth*\n"
    )
    assert Body(text).plain_text(text.index(begin), len(text)) == words


def test_links_by_a_label_are_words_wherever_the_post_defines_it() -> None:
    text = (
        "# The [Book]\n\nSee [Book], [`Vec`], [a][] and [x].\n\n- [book] `[a]` [a\n\n"
        "[book]: /b\n[`Vec`]: /v 'A title'\n[a]: /a\n"
    )
    body = Body(text)
    words = "The Book\nSee Book, Vec, a and [x].\nbook [a] [a"
    assert body.plain_text(0, len(text)) == words
    assert body.plain_text(text.index("See"), text.index("- [")) == "See Book, Vec, a and [x]."
    assert (body.title, body.blocks[0].heading) == ("The Book", "The Book")


@given(st.lists(LINE, max_size=12).map("\n".join))
def test_blocks_tile_the_body(text: str) -> None:
    blocks = Body(text).blocks
    assert "".join(text[block.start : block.end] for block in blocks) == text * bool(blocks)
    assert blocks or not text.strip()


@given(st.lists(LINE, max_size=12).map("\n".join))
def test_whole_blocks_have_the_words_that_their_text_has_by_itself(text: str) -> None:
    body = Body(text)
    for first, last in combinations_with_replacement(body.blocks, 2):
        words = body.strip_markup(text[first.start : last.end])
        assert body.plain_text(first.start, last.end) == words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# One\n\n# Two", "One"),
        ("Title\n=====\n", "Title"),
        ("#\n\n# Second has words", "Second has words"),
        ("~~~\n# in a fence\n~~~\n", ""),
        ("<div>\n# in HTML\n</div>\n", ""),
        ("## only a section\n", ""),
        ("{% highlight sh %}\n# in code\n{% endhighlight %}\n\n# After {#after}", "After"),
        ("import A from 'a'\n\n<A>\n\n# Inside\n\n</A>", "Inside"),
        ("", ""),
    ],
)
def test_the_title_is_the_first_level_one_heading_with_words(text: str, expected: str) -> None:
    assert Body(text).title == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("#one text #two/three #one", ("one", "two/three")),
        ("中文，#標籤 與 #另一個 #[[weir pool]]", ("標籤", "另一個", "weir pool")),
        ("# Heading #in-heading", ("in-heading",)),
        ("`#code` ``a #b``\n\n```\n#include x\n```\n\n    #indented", ()),
        ("#-annotated strings, the route #/settings, _#_", ()),
        ("[a](#b) [c][d] a#b ##no #2024 #fff #1a2b3c #", ()),
        ("[d]: #anchor\n\n## Named { #id }", ()),
        ("{{< x #y >}}", ()),
        ("#" + "long" * 20, ()),
    ],
)
def test_hashtags_are_words_behind_a_mark(body: str, expected: tuple[str, ...]) -> None:
    assert Body(body).hashtags == expected
