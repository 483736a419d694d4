"""Heading ids as each generator renders them; every expected one was rendered by it."""

from __future__ import annotations

import pytest

from blog_search_mcp.index.types import Chunk
from blog_search_mcp.ingest.sites.anchors import anchors, with_anchors
from blog_search_mcp.ingest.sites.base import Anchors, Maker

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
    "goldmark": """\
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
    "gfm": """\
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
    "marked": """\
Top-code-em-link-“quoted”-–-dash
快取與，記憶體-KV
快取與，記憶體-KV-1
Hello-World’s-—-end…
my-id
a-b-c-d-two-spaces
image

-1
Quoted-1
trailing-hashes
esc-star
https-auto-link-auto
ref-ref
emoji-😀-smile-x
1-Number-dash
под-черк-Ⅳ-²
""",
    "zola": """\
top-code-em-link-quoted-dash
kuai-qu-yu-ji-yi-ti-kv
kuai-qu-yu-ji-yi-ti-kv-1
hello-world-s-end
my-id
a-b-c-d-two-spaces
alt-image

-1
quoted-1
trailing-hashes
esc-star
https-auto-link-auto
ref-ref

1-number-dash
pod-cherk-iv-2
""",
    "zola-safe": """\
Top_code_em_link_&_%22quoted%22_--_dash
快取與，記憶體_(KV)
快取與，記憶體_(KV)-1
Héllo_Wörld's_—_end...
my-id
a--b_c_d__two_spaces
alt_image
!!!
???
Quoted-1
trailing_hashes
esc_#_*_star
https://auto.link_auto
ref_ref
emoji_😀_:smile:_x
1._Number_-_dash
под_черк_Ⅳ_²
""",
}


def ids(body: str, maker: str, *, smart: bool = True, lower: bool = False) -> list[str]:
    how = Anchors(maker, smart, lower)  # type: ignore[arg-type]
    return [heading_id for _, heading_id in anchors(body, how)]


@pytest.mark.parametrize("maker", RENDERED)
def test_ids_are_the_generator_s(maker: str) -> None:
    """Those in the quotation and the list are counted, and are nobody's section."""
    rendered = RENDERED[maker].split("\n")[:-1]
    assert ids(HEADINGS, maker, smart=maker == "marked") == [*rendered, ""]


def test_kramdown_s_own_ids_are_ascii_from_the_first_letter_of_the_markdown_on() -> None:
    repeated = "## 快取 KV\n\n## 快取 KV\n\n## 快取\n\n## 記憶體\n"
    body = f"# 1. Top [l](http://x) _a_\n\n{repeated}Text\n## no\n"
    assert ids(body, "kramdown") == ["top-lhttpx-a", "kv", "kv-1", "section", "section-1"]


@pytest.mark.parametrize(
    ("maker", "expected"),
    [
        ("goldmark", ["x", "x-1", "own", "other", "v", "f-not", "same", "same-1", "auto"]),
        ("zola", ["x", "x-1", "own", "other", "e", "f", "same", "same-1", "auto"]),
        ("gfm", ["x", "x", "cc-own", "d-c-other", "e-idv", "f-not", "same", "same", "auto-c"]),
    ],
)
def test_an_id_of_the_author_s_own_is_taken(maker: str, expected: list[str]) -> None:
    body = (
        "## a {#x}\n## x\n## c{.c #own}\n## d {.c #other}\n## e {id=v}\n## f {not}\n"
        "## same {#same}\n## same\n## auto {.c}\n"
    )
    assert ids(body, maker) == expected


def test_zola_gives_way_to_an_author_s_id_further_down_and_hugo_does_not() -> None:
    body = "## name\n## other {#name}\n"
    assert ids(body, "zola") == ["name-1", "name"]
    assert ids(body, "goldmark") == ["name", "name"]


def test_kramdown_reads_an_id_from_the_line_below() -> None:
    body = "## One\n{: #ial-id .c}\n\n## Two\n{:.no_toc}\n\n{: #above}\n## Three\n"
    assert ids(body, "gfm") == ["ial-id", "two", ""]


def test_hugo_takes_the_last_line_of_a_heading_and_kramdown_sees_none() -> None:
    body = "Setext multi\nline head\n---\n"
    assert ids(body, "goldmark") == ["line-head"]
    assert ids(body, "marked") == ["Setext-multiline-head"]
    assert ids(body, "zola") == ["setext-multiline-head"]
    assert ids(body, "gfm") == []


@pytest.mark.parametrize(
    ("heading", "maker"),
    [
        ("{{< x >}}", "goldmark"),
        ("see https://x.y", "goldmark"),
        ("a[^1]", "goldmark"),
        ("a[^1]", "gfm"),
        ("<<q>>", "gfm"),
        ("{% x %}", "gfm"),
        ("a&nbsp;b", "marked"),
        ("H~2~O", "marked"),
        ("ƛ", "marked"),
        ("😀", "zola"),
    ],
)
def test_an_id_that_is_not_sure_is_left_out(heading: str, maker: str) -> None:
    assert ids(f"## Before\n\n## {heading}\n\n## After\n", maker)[1] == ""


def test_hexo_s_ids_may_be_lower_and_without_typographic_signs() -> None:
    assert ids("## It's A--B\n", "marked", smart=False, lower=True) == ["it-s-a-b"]


def test_zola_s_typographic_quotes_are_not_guessed() -> None:
    assert ids("## It's\n\n## Its\n", "zola-safe") == ["", "Its"]


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
    assert anchors(body, Anchors("gfm")) == [
        (0, "comment"),
        (body.count("\n") - 1, "comment-1"),
    ]


def chunk(first_line: int, anchor: str = "") -> Chunk:
    return Chunk("a.md", first_line, "t", "t", (), first_line, first_line, anchor)


def test_a_chunk_is_linked_at_the_nearest_heading_at_or_before_its_first_line() -> None:
    body = "Before.\n\n# One\n\ntext\n\n## Two\n\ntext\n"
    chunks = [chunk(line) for line in (5, 6, 7, 8, 9, 10, 11, 12, 13)]
    linked = with_anchors(chunks, body, 5, Anchors("goldmark"))
    assert [c.anchor for c in linked] == ["", "", "one", "one", "one", "one", "two", "two", "two"]


def test_without_a_known_maker_no_chunk_has_an_anchor() -> None:
    assert with_anchors([chunk(1)], "# One\n", 1, Anchors()) == (chunk(1),)


@pytest.mark.parametrize("maker", ["goldmark", "zola"])
def test_equal_headings_are_numbered_however_many(maker: Maker) -> None:
    """Trying every number from 1 for each of them would take minutes."""
    ids = [anchor for _, anchor in anchors("# a\n" * 20_000, Anchors(maker))]
    assert ids == ["a", *(f"a-{number}" for number in range(1, 20_000))]


def test_a_heading_too_long_to_be_one_is_no_place_to_link_to() -> None:
    body = f"# One\n\n# {'long ' * 200}\n\n# One\n"
    assert [anchor for _, anchor in anchors(body, Anchors("goldmark"))] == ["one", "", "one-1"]


@pytest.mark.parametrize("tag", ["{% raw %}", "{% highlight %}\n", "{{< code >}}", "{{< code "])
def test_tags_that_are_never_closed_hide_no_heading(tag: str) -> None:
    """Looking from each of them to the end would take minutes."""
    body = f"{{% endraw %}}\n{tag * 20_000}\n\n# One\n"
    assert [anchor for _, anchor in anchors(body, Anchors("goldmark"))] == ["one"]
