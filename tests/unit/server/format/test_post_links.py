"""Where the links inside a post lead."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

import pytest

from blog_search_mcp.index.relations.addresses import Addresses
from blog_search_mcp.index.types import Post
from blog_search_mcp.server.format.post_links import find_href

SITE = "https://blog.example"
POST = Post("posts/deep/start.md", "Start", url=f"{SITE}/posts/deep/start/")


def blog(*posts: tuple[str, str | None]) -> Any:
    """What is known of the posts of one blog, given by source and URL."""
    numbered = {n: Post(source, source, url=url) for n, (source, url) in enumerate(posts, 1)}
    return SimpleNamespace(posts=numbered, addresses=Addresses(numbered))


CORPUS = blog(
    (POST.source, POST.url),
    ("posts/deep/goal.md", f"{SITE}/posts/deep/goal/"),
    ("posts/bundle/index.md", f"{SITE}/posts/bundle/"),
    ("notes/鍵值.md", f"{SITE}/notes/%E9%8D%B5%E5%80%BC/"),
    ("a/twin.md", None),
    ("b/twin.md", None),
)


class Listed:
    """Every post has a chunk 3 below `part`."""

    def anchored_chunks(self, sources: list[str]) -> dict[tuple[str, str], int]:
        return {(source, "part"): 3 for source in sources}


def found(written: str, post: Post = POST, corpus: Any = CORPUS) -> str | None:
    listed: Any = Listed()
    return find_href(written, post, corpus, listed)


def to(source: str, chunk: int = 0) -> str:
    return f"/?source={quote(source, safe='')}&chunk={chunk}"


@pytest.mark.parametrize(
    ("written", "target"),
    [
        ("goal.md", to("posts/deep/goal.md")),
        ("./goal.md#part", to("posts/deep/goal.md", 3)),
        ("goal", to("posts/deep/goal.md")),
        ("../bundle/", to("posts/bundle/index.md")),
        ("../goal/", to("posts/deep/goal.md")),
        ("/posts/bundle", to("posts/bundle/index.md")),
        ("/posts/deep/goal.html", to("posts/deep/goal.md")),
        (f"{SITE}/posts/deep/goal/?a=b#x", to("posts/deep/goal.md")),
        ("https://BLOG.example/notes/鍵值/", to("notes/鍵值.md")),
        ("../../notes/%E9%8D%B5%E5%80%BC.md", to("notes/鍵值.md")),
        ("Goal.md", to("posts/deep/goal.md")),
        ("#part", to("posts/deep/start.md", 3)),
        ("/about/", f"{SITE}/about/"),
        ("twin.md", f"{SITE}/posts/deep/start/twin.md"),
        ("https://go.dev/x?y#z", "https://go.dev/x?y#z"),
        ("//cdn.example/x", "https://cdn.example/x"),
        ("HTTP://go.dev", "HTTP://go.dev"),
    ],
)
def test_a_link_leads_to_a_post_or_out(written: str, target: str) -> None:
    assert found(written) == target


@pytest.mark.parametrize(
    "written",
    [
        "javascript:alert(1)",
        " JaVaScRiPt:alert(1)",
        "java\nscript:alert(1)",
        "\x01javascript:alert(1)",
        "data:text/html,<script>1</script>",
        "vbscript:1",
        "file:///etc/passwd",
        "blob:https://blog.example/1",
        "mailto:a@b.example",
        "http://[::1",
        "https://",
        "#",
        "#elsewhere",
        "",
    ],
)
def test_what_is_no_page_is_no_link(written: str) -> None:
    assert found(written) is None


def test_without_the_sites_address_only_files_and_whole_addresses_are_links() -> None:
    post = Post("posts/start.md", "Start")
    blog_without = blog(("posts/goal.md", None))
    hrefs = {
        written: found(written, post, blog_without)
        for written in ("goal.md", "/about/", "../x", "twin.md", "//go.dev", "https://go.dev")
    }
    assert hrefs == {
        "goal.md": to("posts/goal.md"),
        "/about/": None,
        "../x": None,
        "twin.md": None,
        "//go.dev": None,
        "https://go.dev": "https://go.dev",
    }
