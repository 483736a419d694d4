"""A passage as the tree that the search page shows."""

from __future__ import annotations

import json
from typing import Any, NoReturn

import pytest

from blog_search_mcp.index.analysis.query import analyse_query
from blog_search_mcp.index.errors import IndexMissing
from blog_search_mcp.index.posts.markdown.inline import strip_markup
from blog_search_mcp.index.types import Chunk, Passage, Post
from blog_search_mcp.server.format.markdown import ELEMENTS, render_passage

NAMES = {*ELEMENTS.values(), "pre", "code", "br", "img", "mark"}


def chunk_of(text: str, index: int = 0, plain: str | None = None) -> Chunk:
    words = strip_markup(text) if plain is None else plain
    return Chunk("a.md", index, text, words, (), 1, 1 + text.count("\n"))


def no_index() -> NoReturn:
    raise IndexMissing("There is no index yet.")


def rendered(
    text: str, query: str = "", index: int = 0, plain: str | None = None, rest: str = ""
) -> list[Any]:
    """Render a text that has no links; `rest` of the post defines some."""
    chunk = chunk_of(text, index, plain)
    passage = Passage(Post("a.md", "A"), (chunk,), index, 2, None, None)
    whole = Passage(Post("a.md", "A"), (chunk, chunk_of(rest, 1)), index, 2, None, None)
    found = analyse_query(query, ("en",)) if query else None
    [nodes] = render_passage(passage, found, lambda: whole, no_index, no_index)
    return nodes


@pytest.mark.parametrize(
    ("text", "nodes"),
    [
        ("## A *head*\n\nText.", [["h3", {}, "A ", ["em", {}, "head"]], ["p", {}, "Text."]]),
        ("# One\n\n###### Six", [["h3", {}, "One"], ["h6", {}, "Six"]]),
        (
            "**a _b_** ~~c~~",
            [["p", {}, ["strong", {}, "a ", ["em", {}, "b"]], " ", ["s", {}, "c"]]],
        ),
        ("這是**「快取」**的", [["p", {}, "這是", ["strong", {}, "「快取」"], "的"]]),
        ("2 ** 3 ** 4", [["p", {}, "2 ** 3 ** 4"]]),
        ("`**a**`", [["p", {}, ["code", {}, "**a**"]]]),
        ("```py\na *b*\n\n  c\n```", [["pre", {}, "a *b*\n\n  c"]]),
        ("Code:\n\n    a = 1\n    b", [["p", {}, "Code:"], ["pre", {}, "a = 1\nb"]]),
        ("a  \nb", [["p", {}, "a", ["br", {}], "b"]]),
        ("a\nb", [["p", {}, "a", "\n", "b"]]),
        ("快取\n很快", [["p", {}, "快取", "很快"]]),
        ("***", [["hr", {}]]),
        ("> a\n> - b", [["blockquote", {}, ["p", {}, "a"], ["ul", {}, ["li", {}, "b"]]]]),
        ("3. a\n\n   b", [["ol", {"start": 3}, ["li", {}, ["p", {}, "a"], ["p", {}, "b"]]]]),
        ("- [x] a\n- [ ] b", [["ul", {}, ["li", {}, "☑ a"], ["li", {}, "☐ b"]]]),
        (
            "| a | b |\n|--:|---|\n| 1 | **2** |",
            [
                [
                    "table",
                    {},
                    ["thead", {}, ["tr", {}, ["th", {"align": "right"}, "a"], ["th", {}, "b"]]],
                    [
                        "tbody",
                        {},
                        [
                            "tr",
                            {},
                            ["td", {"align": "right"}, "1"],
                            ["td", {}, ["strong", {}, "2"]],
                        ],
                    ],
                ]
            ],
        ),
        ("| 1 | 2 |\n| 3 | 4 |", None),
    ],
)
def test_markdown_is_shown_as_a_blog_shows_it(text: str, nodes: list[Any] | None) -> None:
    found = rendered(text)
    if nodes is None:
        assert found[0][0] == "table"
    else:
        assert found == nodes


def test_a_list_is_known_by_words_of_which_some_are_a_link_by_its_label() -> None:
    nodes = rendered("    - a\n    - see [b]", index=1, plain="a\nsee b")
    assert nodes == [["ul", {}, ["li", {}, "a"], ["li", {}, "see [b]"]]]


def test_a_first_heading_that_repeats_the_title_stands_above_already() -> None:
    assert rendered("# A\n\n# A\n\nText.") == [["h3", {}, "A"], ["p", {}, "Text."]]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a <b onclick=1>b</b> c", "a b c"),
        ("<script>alert(1)</script>\n\nText.", "Text."),
        ("a<br>b", "ab"),
        ("<div style='x'>in a div</div>", "in a div"),
        ("a <!-- hidden --> b", "a  b"),
        ('{{< figure src="a.png" caption="A caption" >}}', "A caption"),
        ("::: warning Take care\nText.\n:::", "Take careText."),
        ("A note.[^1] And ==this==.", "A note. And this."),
        ("![a picture](https://evil.example/x.png)", "a picture"),
        ("&lt;b&gt; &amp;", "<b> &"),
    ],
)
def test_what_is_no_markdown_is_left_out_and_its_words_are_kept(text: str, words: str) -> None:
    assert "".join(texts(rendered(text))) == words


def texts(nodes: list[Any]) -> list[str]:
    return [
        text for node in nodes for text in ([node] if isinstance(node, str) else texts(node[2:]))
    ]


def test_what_matches_is_marked_across_emphasis_and_in_code() -> None:
    found = rendered("A *wal*rus and `two walruses`.\n\n    walrus()", "walrus")
    assert found == [
        [
            "p",
            {},
            "A ",
            ["em", {}, ["mark", {}, "wal"]],
            ["mark", {}, "rus"],
            " and ",
            ["code", {}, "two ", ["mark", {}, "walruses"]],
            ".",
        ],
        ["pre", {}, ["mark", {}, "walrus"], "()"],
    ]


def test_what_begins_inside_a_list_or_code_is_shown_as_in_the_post() -> None:
    items = "    - one\n    - two\n"
    assert rendered(items, index=1, plain="one\ntwo")[0][0] == "ul"
    code = "# no heading\n\n*a* = 1"
    assert rendered(code, index=1, plain=code) == [["pre", {}, code]]


@pytest.mark.parametrize(
    "text",
    [
        "> " * 5_000 + "a",
        "- " * 5_000 + "a",
        "*a **b " * 2_000,
        "[" * 5_000 + "a" + "]" * 5_000,
        "![" * 5_000,
        "<b>" * 5_000,
        "`" * 9_999,
        "|" * 9_999 + "\n" + "|-" * 5_000,
        "[[" * 5_000,
        "{{< " * 5_000,
        "\0\x1b[31m \ud800 \ufdd0",
    ],
)
def test_whatever_is_nested_the_tree_is_shallow_small_and_of_known_names(text: str) -> None:
    found = rendered(text, "a b")
    assert len(json.dumps(found)) < 40 * len(text) + 1_000

    def depth(nodes: list[Any]) -> int:
        assert {node[0] for node in nodes if not isinstance(node, str)} <= NAMES
        return 1 + max((depth(node[2:]) for node in nodes if not isinstance(node, str)), default=0)

    assert depth(found) < 80
