"""A passage as the HTML that the search page shows."""

import re

import pytest

from blog_search_mcp.index.text.query import analyze_query
from blog_search_mcp.index.types import Chunk, Passage, Post
from blog_search_mcp.ingest.posts.markdown.inline import strip_markup
from blog_search_mcp.server.format.markdown import ELEMENTS, find_href, render_passage


def rendered(text: str, query: str = "", index: int = 0, lead: str = "") -> str:
    """Render a text, of which no link leads to a post, without the breaks between its blocks."""
    words = strip_markup(text)
    chunk = Chunk("a.md", index, text, words, (), 1, 1 + text.count("\n"), lead=lead)
    passage = Passage(Post("a.md", "A"), (chunk,), index, 2)
    asked = analyze_query(query, ("en",)) if query else None
    [html] = render_passage(passage, asked, lambda: passage, lambda: ["a.md"])
    return re.sub(r"(?<=>)\n|\n$", "", html)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("## A *head*\n\nText.", "<h3>A <em>head</em></h3><p>Text.</p>"),
        ("# A\n\n# A\n\nText.", "<h3>A</h3><p>Text.</p>"),
        ("**a _b_** ~~c~~", "<p><strong>a <em>b</em></strong> <s>c</s></p>"),
        ("```py\na *b*\n\n  c\n```", "<pre><code>a *b*\n\n  c\n</code></pre>"),
        ("快取\n很快", "<p>快取很快</p>"),
        ("> a\n> - b", "<blockquote><p>a</p><ul><li>b</li></ul></blockquote>"),
        (
            "| a |\n|--:|\n| **2** |",
            "<table><thead><tr><th>a</th></tr></thead>"
            "<tbody><tr><td><strong>2</strong></td></tr></tbody></table>",
        ),
        ("![a > picture](https://evil.example/x.png)", '<p><img alt="a &gt; picture"></p>'),
        ("a <b onclick=1>b</b> c", "<p>a b c</p>"),
        ("<script>alert(1)</script>\n\nText.", "\n<p>Text.</p>"),
        ('{{< figure src="a.png" caption="A caption" >}}', "<p>A caption</p>"),
        ("A note.[^1] And ==this==.", "<p>A note. And this.</p>"),
        ("&lt;b&gt; &amp; \\*", "<p>&lt;b&gt; &amp; *</p>"),
    ],
)
def test_markdown_is_shown_as_a_blog_shows_it(text: str, html: str) -> None:
    assert rendered(text) == html


def test_what_matches_is_marked_in_prose_and_in_code() -> None:
    assert rendered("*Walruses* and `two walruses`.\n\n    walrus(<1>)", "walrus") == (
        "<p><em><mark>Walruses</mark></em> and <code>two <mark>walruses</mark></code>.</p>"
        "<pre><code><mark>walrus</mark>(&lt;1&gt;)\n</code></pre>"
    )


@pytest.mark.parametrize(
    ("text", "lead", "html"),
    [
        ("    *one*", "-\n", "<ul><li><em>one</em></li></ul>"),
        ("# no\n\n*a* = 1", "```\n", "<pre><code># no\n\n*a* = 1</code></pre>"),
    ],
)
def test_what_begins_inside_a_list_or_code_is_shown_as_in_the_post(
    text: str, lead: str, html: str
) -> None:
    assert rendered(text, index=1, lead=lead) == html


@pytest.mark.parametrize(
    "text",
    [
        "[" * 5_000 + "a" + "]" * 5_000,
        "|" * 9_999 + "\n" + "|-" * 5_000,
        '![a > "b](x) [c](https://go.dev/"onmouseover="alert(1))',
        "\0\x1b[31m \ufdd0 \ufdd2 &#xfdd2;",
    ],
)
def test_whatever_is_nested_the_html_is_small_and_of_known_names(text: str) -> None:
    html = rendered(text, "a b")
    assert len(html) < 40 * len(text) + 1_000
    assert set(re.findall(r"</?(\w+)", html)) <= {*ELEMENTS, "mark"}
    tags = re.findall(r'<\w+((?: \w+="[^"]*")*)>', html)
    assert len(tags) == len(re.findall(r"<\w", html))


SITE = "https://blog.example"
GOAL = "?source=posts%2Fdeep%2Fgoal.md&chunk=0"


@pytest.mark.parametrize(
    ("written", "published", "offline"),
    [
        ("goal.md", GOAL, GOAL),
        ("/posts/deep/goal.md", GOAL, GOAL),
        ("../../notes/%E9%8D%B5.md", "?source=notes%2F%E9%8D%B5.md&chunk=0", "same"),
        ("../goal/", f"{SITE}/posts/deep/goal/", None),
        ("#part", f"{SITE}/posts/deep/start/#part", None),
        ("https://go.dev/x?y#z", "https://go.dev/x?y#z", "same"),
        ("javascript:alert(1)", None, None),
        (" JaVaScRiPt:alert(1)", None, None),
        ("java\nscript:alert(1)", None, None),
        ("\x01javascript:alert(1)", None, None),
        ("data:text/html,<script>1</script>", None, None),
        ("http://[::1", None, None),
    ],
)
def test_a_link_leads_to_a_post_or_out_or_nowhere(
    written: str, published: str | None, offline: str | None
) -> None:
    sources = {"posts/deep/start.md", "posts/deep/goal.md", "notes/鍵.md"}
    post = Post("posts/deep/start.md", "Start", url=f"{SITE}/posts/deep/start/")
    assert find_href(written, post, sources) == published
    without = Post("posts/deep/start.md", "Start")
    assert find_href(written, without, sources) == (published if offline == "same" else offline)
