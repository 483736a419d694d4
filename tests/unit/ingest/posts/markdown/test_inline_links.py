"""Links of a post, whoever wrote them: Markdown, HTML, an editor or a generator's template."""

import pytest

from blog_search_mcp.index.types import Link
from blog_search_mcp.ingest.posts.markdown.inline import find_links_and_ids
from blog_search_mcp.ingest.posts.markdown.parser import parse_body


def links_in(markdown: str) -> tuple[tuple[Link, ...], tuple[str, ...]]:
    return find_links_and_ids(*parse_body(markdown))


@pytest.mark.parametrize(
    ("markdown", "href", "words"),
    [
        ("See [the *cache*](../cache.md#size 'title').", "../cache.md#size", "the cache"),
        ("See [the cache][c].\n\n[c]: /cache/", "/cache/", "the cache"),
        ("See <https://example.org/a>.", "https://example.org/a", "https://example.org/a"),
        ("See [[KV Cache|the cache]].", "KV Cache.md", "the cache"),
        ("See [[KV Cache#Size]].", "KV Cache.md#Size", "KV Cache Size"),
        ('See [it]({{< ref "posts/cache.md#size" >}}).', "ref:posts/cache.md#size", "it"),
        ('See [it]({{% relref path="cache.md" lang="en" %}}).', "ref:cache.md", "it"),
        ("See [it]({% post_url 2024-01-02-cache %}).", "post:2024-01-02-cache", "it"),
        ("See [it]({{ site.baseurl }}/cache/).", "/cache/", "it"),
        ("See [it]({{ site.baseurl }}{% link _posts/a.md %}).", "link:_posts/a.md", "it"),
        ("See [it]({{ '/cache/' | relative_url }}).", "/cache/", "it"),
        ('See [it]({{ "/cache/" | url }}).', "/cache/", "it"),
        ("See {% post_link cache 'the cache' %}.", "post:cache", "the cache"),
        ("> - see [it](a.md)", "a.md", "it"),
        ("| a |\n|---|\n| [it](a.md) |", "a.md", "it"),
        ("See [`code`](a.md).", "a.md", "code"),
    ],
)
def test_a_link_is_found_with_its_target_and_its_words(
    markdown: str, href: str, words: str
) -> None:
    assert links_in(markdown)[0] == (Link(href, words, 3 if "|---|" in markdown else 1),)


@pytest.mark.parametrize(
    "markdown",
    ["`[a](b.md)`", "```\n[a](b.md)\n```", "    [a](b.md)", "![a](b.png)", "[a]", "\\[a](b.md)"],
)
def test_code_pictures_and_brackets_are_no_links(markdown: str) -> None:
    assert links_in(markdown)[0] == ()


def test_elements_of_html_have_addresses_and_ids() -> None:
    html = '<div id="top">\n<a href="a.html" name="here">x</a>\n</div>\n\nSee <a id="b"></a> it.'
    found = links_in(html)
    assert found == ((Link("a.html", "", 2),), ("top", "here", "b"))


def test_what_is_no_tag_in_a_block_of_html_is_no_link() -> None:
    html = '<div>\n<a href="b.html">\n<![ </ <? < <a\n<A HREF=\'d.html\' id="d\nd">\n</div>'
    links = (Link("b.html", "", 2), Link("d.html", "", 4))
    assert links_in(html) == (links, ("d\nd",))
