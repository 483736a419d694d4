"""Ids of headings as Hugo and Jekyll render them; `""` stands for one that is not sure."""

import json
from pathlib import Path
from random import Random

import pytest

from blog_search_mcp.ingest.posts.markdown.body import Body
from blog_search_mcp.ingest.sites.generator import Generator
from blog_search_mcp.ingest.sites.hugo import Hugo
from blog_search_mcp.ingest.sites.known_generators import Hexo, Jekyll, Zola
from blog_search_mcp.ingest.sites.links import find_anchors
from tests.support.front import made

HUGO, JEKYLL = Hugo.make({}), Jekyll.make({})

HEADINGS = """\
# Top `code` *em* [link](https://x.y/z) & "quoted" -- dash
## 快取與，記憶體 (KV)
## 快取與，記憶體 (KV)
## Héllo Wörld's — end...
## my-id
## `a--b` c_d  two spaces
## ![alt](x.png) image
## !!!
> ## Quoted
- ## In list
## Quoted
## trailing hashes ##
## esc \\# \\* star
## <https://auto.link> auto
## [ref][r] ref
## emoji 😀 :smile: x
## 1. Number - dash
## {{< x >}}

[r]: https://ref.example
"""

RENDERED = """\
top-code-em-link--quoted--dash
快取與記憶體-kv
快取與記憶體-kv-1
héllo-wörlds--end
my-id
a--b-c_d--two-spaces


quoted-1
trailing-hashes
esc---star

ref-ref
emoji--smile-x
1-number---dash

"""


def ids(body: str, generator: Generator) -> list[str]:
    return [heading_id for _, heading_id in find_anchors(Body(body), generator.sure_id_categories)]


@pytest.mark.parametrize("generator", [HUGO, JEKYLL])
def test_ids_are_the_generator_s(generator: Generator) -> None:
    """Those in the quotation and the list are counted, and are nobody's section."""
    assert ids(HEADINGS, generator) == RENDERED.split("\n")[:-1]


@pytest.mark.parametrize(
    ("generator", "heading", "expected"),
    [
        (HUGO, "под_черк Ⅳ ²", "под_черк--"),
        (JEKYLL, "под_черк Ⅳ ²", "под_черк-ⅳ-"),
        *((generator, "a {#x}", "x") for generator in (HUGO, JEKYLL)),
        *(
            (generator, heading, "")
            for generator in (HUGO, JEKYLL)
            for heading in (
                *("see https://x.y", "a[^1]", "<<q>>", "{% x %}", "{{< x >}}", "auto {.c}"),
                *("c{.c #own}", "e {id=v}", "One\n{: #ial}", "Two\n{:.no_toc}", "x\ty"),
            )
        ),
    ],
)
def test_the_id_of_a_heading(generator: Generator, heading: str, expected: str) -> None:
    assert ids(f"## Before\n\n## {heading}\n\n## After\n", generator) == [
        "before",
        expected,
        "after",
    ]


@pytest.mark.parametrize("generator", [HUGO, JEKYLL])
@pytest.mark.parametrize(
    ("headings", "expected"),
    [
        ("same {#same}|same|same", ["same", "", ""]),
        ("Setup 1|Setup|Setup|Setup", ["setup-1", "setup", "", ""]),
        ("Setup|Setup|Setup 1", ["setup", "setup-1", ""]),
        ("![a](b) One|One| One ", ["", "one", "one-1"]),
        ("see a@b|see ab", ["", ""]),
    ],
)
def test_where_parsers_number_in_other_ways_an_id_is_not_sure(
    headings: str, expected: list[str], generator: Generator
) -> None:
    body = "".join(f"## {heading}\n\n" for heading in headings.split("|"))
    assert ids(body, generator) == expected


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
    assert ids(f"## comment\n\n{code}\n\n## comment\n", JEKYLL) == ["comment", "comment-1"]


@pytest.mark.parametrize(
    "generator",
    [
        *(Hexo.make({}), Zola.make({}), Jekyll.make({"markdown": "CommonMarkGhPages"})),
        *(
            Jekyll.make({"kramdown": given})
            for given in ({"auto_ids": "false"}, {"auto_id_prefix": "h-"}, {"input": "kramdown"})
        ),
        *(
            Hugo.make({"markup": given})
            for given in (
                {"defaultmarkdownhandler": "org"},
                {"goldmark": {"parser": {"autoheadingid": False}}},
                {"goldmark": {"parser": {"autoidtype": "github-ascii"}}},
                {"goldmark": {"parser": {"autoheadingidtype": "blackfriday"}}},
            )
        ),
    ],
)
def test_where_heading_ids_are_not_known_there_are_none(generator: Generator) -> None:
    assert ids("# One\n", generator) == []


def test_equal_headings_are_numbered_however_many() -> None:
    """Trying every number from 1 for each of them would take minutes."""
    assert ids("# a\n" * 10_000, HUGO) == ["a", *(f"a-{number}" for number in range(1, 10_000))]


def test_a_heading_too_long_to_be_one_is_no_place_to_link_to() -> None:
    assert ids(f"# One\n\n# {'long ' * 200}\n\n# One\n", HUGO) == ["one", "", "one-1"]


@pytest.mark.parametrize("tag", ["{% raw %}", "{% highlight %}\n", "{{< code >}}", "{{< code "])
def test_tags_that_are_never_closed_hide_no_heading(tag: str) -> None:
    """Looking from each of them to the end would take minutes."""
    assert ids(f"{{% endraw %}}\n{tag * 10_000}\n\n# One\n", HUGO) == ["one"]


def test_a_chunk_is_linked_at_its_heading_and_the_report_counts_links(tmp_path: Path) -> None:
    filler = " ".join(f"And so on, {number}." for number in range(150))
    post = f"---\ntitle: Animals\n---\nZebra. {filler}\n\n## 長頸鹿 (KV)\n\nWalrus. {filler}\n"
    site = {"hugo.toml": 'baseURL = "https://example.org/b/"\n', "content/a.md": post}
    blog = made(tmp_path, {**site, "content/b/index.md": "Words.\n", "content/b/c.md": "Words.\n"})
    [hit, *_] = blog.tool("search_blog", query="walrus").facts["results"]
    assert hit["url"] == "https://example.org/b/a/#長頸鹿-kv"
    links = blog.report["links"]
    assert (links["linked"], sum(links["unlinked"].values())) == (2, 1)


def test_the_link_of_a_hit_leads_to_the_nearest_heading_told_whose_id_is_sure(
    tmp_path: Path,
) -> None:
    """Sections of all levels and lengths, packed and divided; of a bare address no id is sure."""
    chance, words = Random(7), [f"{a}{b}{c}um" for a in "bdkm" for b in "aeiou" for c in "lnrt"]
    posts = dict[str, str]()
    for word in words:
        name = chance.choice(["Of {}", "Of {}", "Of https://x.y/{}"]).format(word)
        text = f"The {word} was seen. " + "So it goes on. " * chance.choice([0, 2, 30, 200])
        post = f"content/{chance.choice('abcd')}.md"
        posts.setdefault(post, "---\ntitle: Sights\n---\n")
        posts[post] += f"{'#' * chance.randint(2, 4)} {name}\n\n{text}\n\n"
    blog = made(tmp_path, {"hugo.toml": 'baseURL = "https://example.org/"\n', **posts})
    told = list[str]()
    for word in words[::5]:
        ran = blog.command("search", "--json", "--limit", "20", f"{word} was seen")
        for hit in json.loads(ran.out)["hits"]:
            sure = [name for name in hit["headings"] if ":" not in name]
            anchor = "#" + sure[-1].lower().replace(" ", "-") if sure else ""
            assert hit["url"] == f"https://example.org/{hit['source'][-4]}/{anchor}", hit
            told += hit["headings"][-1:]
    assert len({*told}) > len(words) // 5
