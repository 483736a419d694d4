"""Links as the blog's own posts write them."""

from __future__ import annotations

import pytest

from blog_search_mcp.index.relations.linking.hrefs import (
    Style,
    find_style,
    write_href,
)
from blog_search_mcp.index.relations.linking.places import Form, Place
from blog_search_mcp.index.types import Post
from tests.support.blog import MakeBlog

PUBLISHED = Post("llm/the cache.md", "Cache", url="https://example.com/cache/")
UNPUBLISHED = Post("llm/the cache.md", "Cache")


@pytest.mark.parametrize(
    ("style", "target", "href"),
    [
        ("url", PUBLISHED, "https://example.com/cache/#a"),
        ("path", PUBLISHED, "/cache/#a"),
        ("path", UNPUBLISHED, "../llm/the%20cache.md#a"),
        ("file", PUBLISHED, "../llm/the%20cache.md#a"),
        ("root_file", PUBLISHED, "/llm/the%20cache.md#a"),
    ],
)
def test_a_link_is_written_as_the_blog_does(style: Style, target: Post, href: str) -> None:
    assert write_href(style, "go/a.md", target, "a") == href


@pytest.mark.parametrize(
    ("style", "form", "href"),
    [
        ("path", "file", "/blog/llm/the%20cache/#a"),
        ("url", "name", "/blog/the%20cache/#a"),
        ("path", "slug", "../llm/the%20cache.md#a"),
        ("file", "file", "../llm/the%20cache.md#a"),
    ],
)
def test_a_post_without_a_url_is_linked_to_where_other_links_show_such_posts(
    style: Style, form: Form, href: str
) -> None:
    place = Place("", "blog", form, "/blog/", "/")
    assert write_href(style, "go/a.md", UNPUBLISHED, "a", place) == href


@pytest.mark.parametrize(
    ("links", "style"),
    [
        ("[b](b.md) [b](b.md#x) [b](/b/) [x](https://example.org/)", "file"),
        ("[b](/b.md)", "root_file"),
        ("none", "path"),
    ],
)
def test_the_commonest_way_of_writing_links_is_found(
    links: str, style: Style, blog: MakeBlog
) -> None:
    made = blog({"a.md": f"# A\n\n{links}\n", "b.md": "# B\n\nBee.\n"})
    assert find_style(made.reader().corpus()) == style
