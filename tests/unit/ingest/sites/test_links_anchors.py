"""Heading ids as each generator renders them; every expected one was rendered by it."""

from __future__ import annotations

import pytest

from blog_search_mcp.index.posts.markdown.body import Body
from blog_search_mcp.index.types import Chunk
from blog_search_mcp.ingest.sites.base import SiteGenerator
from blog_search_mcp.ingest.sites.generators.hexo import Hexo
from blog_search_mcp.ingest.sites.generators.hugo import Hugo
from blog_search_mcp.ingest.sites.generators.jekyll import Jekyll
from blog_search_mcp.ingest.sites.generators.zola import Zola
from blog_search_mcp.ingest.sites.links import add_anchors, find_anchors

GENERATORS: dict[str, SiteGenerator] = {"hugo": Hugo(), "jekyll": Jekyll()}

HEADINGS = """\
# Top `code` *em* [link](https://x.y/z) & "quoted" -- dash
## 快取與，記憶體 (KV)
## 快取與，記憶體 (KV)
## Héllo Wörld's — end...
## my-id
## `a--b` c_d  two spaces
## ![alt](x.png) image
## !!!
## ???
> ## Quoted
- ## In list
## Quoted
## trailing hashes ##
## esc \\# \\* star
## <https://auto.link> auto
## [ref][r] ref
## emoji 😀 :smile: x
## 1. Number - dash
## под_черк Ⅳ ²
## {{< x >}}

[r]: https://ref.example
"""

RENDERED = {
    "hugo": """\
top-code-em-link--quoted--dash
快取與記憶體-kv
快取與記憶體-kv-1
héllo-wörlds--end
my-id
a--b-c_d--two-spaces
alt-image
heading
heading-1
quoted-1
trailing-hashes
esc---star
auto
ref-ref
emoji--smile-x
1-number---dash
под_черк--
""",
    "jekyll": """\
top-code-em-link--quoted--dash
快取與記憶體-kv
快取與記憶體-kv-1
héllo-wörlds--end
my-id
a--b-c_d--two-spaces
-image

-1
quoted-1
trailing-hashes
esc---star
httpsautolink-auto
ref-ref
emoji--smile-x
1-number---dash
под_черк-ⅳ-
""",
}


def ids(body: str, name: str) -> list[str]:
    return [heading_id for _, heading_id in find_anchors(Body(body), GENERATORS[name])]


@pytest.mark.parametrize("name", RENDERED)
def test_ids_are_the_generator_s(name: str) -> None:
    """Those in the quotation and the list are counted, and are nobody's section."""
    rendered = RENDERED[name].split("\n")[:-1]
    assert ids(HEADINGS, name) == [*rendered, ""]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("hugo", ["x", "x-1", "own", "other", "v", "f-not", "same", "same-1", "auto"]),
        ("jekyll", ["x", "x", "cc-own", "d-c-other", "e-idv", "f-not", "same", "same", "auto-c"]),
    ],
)
def test_an_id_of_the_author_s_own_is_taken(name: str, expected: list[str]) -> None:
    body = (
        "## a {#x}\n## x\n## c{.c #own}\n## d {.c #other}\n## e {id=v}\n## f {not}\n"
        "## same {#same}\n## same\n## auto {.c}\n"
    )
    assert ids(body, name) == expected


def test_kramdown_reads_an_id_from_the_line_below() -> None:
    body = "## One\n{: #ial-id .c}\n\n## Two\n{:.no_toc}\n\n{: #above}\n## Three\n"
    assert ids(body, "jekyll") == ["ial-id", "two", ""]


def test_hugo_takes_the_last_line_of_a_heading_and_kramdown_sees_none() -> None:
    body = "Setext multi\nline head\n---\n"
    assert ids(body, "hugo") == ["line-head"]
    assert ids(body, "jekyll") == []


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("{{< x >}}", "hugo"),
        ("see https://x.y", "hugo"),
        ("a[^1]", "hugo"),
        ("a[^1]", "jekyll"),
        ("<<q>>", "jekyll"),
        ("{% x %}", "jekyll"),
    ],
)
def test_an_id_that_is_not_sure_is_left_out(heading: str, name: str) -> None:
    assert ids(f"## Before\n\n## {heading}\n\n## After\n", name)[1] == ""


@pytest.mark.parametrize(
    "code",
    [
        "{% highlight sh %}\n# comment\n{% endhighlight %}",
        "{% codeblock lang:sh %}\n# comment\n{% endcodeblock %}",
        "{{< highlight sh >}}\n# comment\n{{< /highlight >}}",
        "```\n# comment\n```",
        "<!--\n\n# comment\n\n-->",
    ],
)
def test_a_comment_in_code_is_no_heading(code: str) -> None:
    body = f"## comment\n\n{code}\n\n## comment\n"
    assert find_anchors(Body(body), Jekyll()) == [
        (0, "comment"),
        (body.count("\n") - 1, "comment-1"),
    ]


def chunk(first_line: int, anchor: str = "") -> Chunk:
    return Chunk("a.md", first_line, "t", "t", (), first_line, first_line, anchor)


def test_a_chunk_is_linked_at_the_nearest_heading_at_or_before_its_first_line() -> None:
    body = "Before.\n\n# One\n\ntext\n\n## Two\n\ntext\n"
    chunks = [chunk(line) for line in (5, 6, 7, 8, 9, 10, 11, 12, 13)]
    linked = add_anchors(chunks, find_anchors(Body(body), Hugo()), 5)
    assert [c.anchor for c in linked] == ["", "", "one", "one", "one", "one", "two", "two", "two"]


@pytest.mark.parametrize("generator", [Hexo(), Zola(), Jekyll(has_heading_ids=False)])
def test_where_heading_ids_are_not_known_no_chunk_has_an_anchor(generator: SiteGenerator) -> None:
    assert find_anchors(Body("# One\n"), generator) == []
    assert add_anchors([chunk(1)], [], 1) == (chunk(1),)


def test_equal_headings_are_numbered_however_many() -> None:
    """Trying every number from 1 for each of them would take minutes."""
    assert ids("# a\n" * 20_000, "hugo") == ["a", *(f"a-{number}" for number in range(1, 20_000))]


def test_a_heading_too_long_to_be_one_is_no_place_to_link_to() -> None:
    body = f"# One\n\n# {'long ' * 200}\n\n# One\n"
    assert ids(body, "hugo") == ["one", "", "one-1"]


@pytest.mark.parametrize("tag", ["{% raw %}", "{% highlight %}\n", "{{< code >}}", "{{< code "])
def test_tags_that_are_never_closed_hide_no_heading(tag: str) -> None:
    """Looking from each of them to the end would take minutes."""
    body = f"{{% endraw %}}\n{tag * 20_000}\n\n# One\n"
    assert ids(body, "hugo") == ["one"]
