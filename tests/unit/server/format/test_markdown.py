"""A passage as the HTML that the search page shows."""

from __future__ import annotations

import re
from typing import NoReturn

import pytest

from blog_search_mcp.index.analysis.query import analyse_query
from blog_search_mcp.index.errors import IndexMissing
from blog_search_mcp.index.posts.markdown.inline import strip_markup
from blog_search_mcp.index.types import Chunk, Passage, Post
from blog_search_mcp.server.format.markdown import ELEMENTS, render_passage


def chunk_of(text: str, index: int = 0, plain: str | None = None) -> Chunk:
    words = strip_markup(text) if plain is None else plain
    return Chunk("a.md", index, text, words, (), 1, 1 + text.count("\n"))


def no_index() -> NoReturn:
    raise IndexMissing("There is no index yet.")


def rendered(text: str, query: str = "", index: int = 0, plain: str | None = None) -> str:
    """Render a text, of which no link leads anywhere, without the breaks between its blocks."""
    passage = Passage(Post("a.md", "A"), (chunk_of(text, index, plain),), index, 2, None, None)
    asked = analyse_query(query, ("en",)) if query else None
    [html] = render_passage(passage, asked, lambda: passage, no_index, no_index)
    return re.sub(r"(?<=>)\n|\n$", "", html)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("## A *head*\n\nText.", "<h3>A <em>head</em></h3><p>Text.</p>"),
        ("# One\n\n###### Six", "<h3>One</h3><h6>Six</h6>"),
        ("# A\n\n# A\n\nText.", "<h3>A</h3><p>Text.</p>"),
        ("**a _b_** ~~c~~", "<p><strong>a <em>b</em></strong> <s>c</s></p>"),
        ("這是**「快取」**的", "<p>這是<strong>「快取」</strong>的</p>"),
        ("2 ** 3 ** 4", "<p>2 ** 3 ** 4</p>"),
        ("`**a**`", "<p><code>**a**</code></p>"),
        ("```py\na *b*\n\n  c\n```", "<pre><code>a *b*\n\n  c</code></pre>"),
        ("Code:\n\n    a = 1\n    b", "<p>Code:</p><pre><code>a = 1\nb</code></pre>"),
        ("a  \nb", "<p>a<br>b</p>"),
        ("快取\n很快", "<p>快取很快</p>"),
        ("> a\n> - b", "<blockquote><p>a</p><ul><li>b</li></ul></blockquote>"),
        ("3. a\n\n   b", '<ol start="3"><li><p>a</p><p>b</p></li></ol>'),
        ("- [x] a\n- [ ] b", "<ul><li>☑ a</li><li>☐ b</li></ul>"),
        (
            "| a |\n|--:|\n| **2** |",
            '<table><thead><tr><th align="right">a</th></tr></thead>'
            '<tbody><tr><td align="right"><strong>2</strong></td></tr></tbody></table>',
        ),
        ("![a picture](https://evil.example/x.png)", '<p><img alt="a picture"></p>'),
    ],
)
def test_markdown_is_shown_as_a_blog_shows_it(text: str, html: str) -> None:
    assert rendered(text) == html


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a <b onclick=1>b</b> c", "a b c"),
        ("<script>alert(1)</script>\n\nText.", "Text."),
        ("<div style='x'>in a div</div>", "in a div"),
        ("a <!-- hidden --> b", "a  b"),
        ('{{< figure src="a.png" caption="A caption" >}}', "A caption"),
        ("A note.[^1] And ==this==.", "A note. And this."),
        ("&lt;b&gt; &amp; \\*", "&lt;b&gt; &amp; *"),
    ],
)
def test_what_is_no_markdown_is_left_out_and_its_words_are_kept(text: str, words: str) -> None:
    assert re.sub(r"</?p>", "", rendered(text)) == words


def test_what_matches_is_marked_in_prose_and_in_code() -> None:
    assert rendered("*Walruses* and `two walruses`.\n\n    walrus(<1>)", "walrus") == (
        "<p><em><mark>Walruses</mark></em> and <code>two <mark>walruses</mark></code>.</p>"
        "<pre><code><mark>walrus</mark>(&lt;1&gt;)</code></pre>"
    )


@pytest.mark.parametrize(
    ("text", "plain", "html"),
    [
        ("    - one\n    - two\n", "one\ntwo", "<ul><li>one</li><li>two</li></ul>"),
        ("    - a\n    - see [b]", "a\nsee b", "<ul><li>a</li><li>see [b]</li></ul>"),
        ("# no\n\n*a* = 1", "# no\n\n*a* = 1", "<pre><code># no\n\n*a* = 1</code></pre>"),
    ],
)
def test_what_begins_inside_a_list_or_code_is_shown_as_in_the_post(
    text: str, plain: str, html: str
) -> None:
    assert rendered(text, index=1, plain=plain) == html


@pytest.mark.parametrize(
    "text",
    [
        "> " * 5_000 + "a",
        "*a **b " * 2_000,
        "[" * 5_000 + "a" + "]" * 5_000,
        "![" * 5_000,
        "<b>" * 5_000,
        "<ul>" * 2_500,
        "|" * 9_999 + "\n" + "|-" * 5_000,
        "https://a" + "." * 9_000 + " b",
        "\0\x1b[31m \ufdd0 \ufdd2 &#xfdd2;",
    ],
)
def test_whatever_is_nested_the_html_is_small_and_of_known_names(text: str) -> None:
    html = rendered(text, "a b")
    assert len(html) < 40 * len(text) + 1_000
    assert set(re.findall(r"</?(\w+)", html)) <= {*ELEMENTS, "mark"}
