"""Links to posts whose address nobody gave: where others show it, and nowhere else."""

from __future__ import annotations

import pytest

from blog_search_mcp.index.relations.addresses import Addresses
from blog_search_mcp.index.types import Link, Post

POSTS = {
    1: Post("2024-01-31-descaling.md", "Descaling", date="2024-02-01", slug="descale-it"),
    2: Post("burr-alignment.md", "Burrs"),
    3: Post("brewing/cold-brew.md", "Cold brew"),
    4: Post("brewing/water-hardness/index.md", "Water", aliases=("/2019/05/water/",)),
    5: Post("docker.md", "Docker"),
    6: Post("nginx.md", "nginx"),
    7: Post("redis.md", "Redis"),
    8: Post("c++-in-1.2.md", "C++"),
    9: Post("go_1.2.md", "Go"),
}
BLOG = ("/blog/burr-alignment/", "/blog/brewing/cold-brew/", "/blog/brewing/#more")
HOST = (
    "https://www.a.example/burr-alignment",
    "https://a.example/brewing/cold-brew",
    "http://www.a.example/brewing/water-hardness",
    "https://a.example/app.js",
    "https://elsewhere.example/burr-alignment",
)


def target_of(href: str, *hrefs: str, url: str | None = None) -> int | None:
    links = {1: tuple(Link(each, "words", 1) for each in hrefs)}
    posts = {**POSTS, 10: Post("ten.md", "Ten", url=url)}
    target = Addresses(posts, links).find_target(href, "2024-01-31-descaling.md")
    return target.post if target else None


@pytest.mark.parametrize(
    ("hrefs", "href", "post"),
    [
        (BLOG, "/blog/docker", 5),
        (BLOG, "/Blog/Brewing/Water-Hardness/index.html", 4),
        (BLOG, "/blog/c-in-1-2/", 8),
        (BLOG, "/blog/go_1-2/", 9),
        (BLOG, "/blog/go-1-2/", None),
        (BLOG, "/elsewhere/docker", None),
        (BLOG, "https://a.example/blog/docker", None),
        (("/en/posts/cold-brew", "/en/posts/water-hardness#top"), "/en/posts/burr-alignment", 2),
        (("/a/2024/02/01/descale-it.html", "/a/docker"), "/a/2024/descale-it/", 1),
        (("/2019/05/water/", "/docker"), "/descaling/", 1),
        (HOST, "https://a.example/redis#top", 7),
        (HOST, "https://elsewhere.example/redis", None),
        (HOST, "/x/redis", None),
    ],
)
def test_a_link_leads_to_the_post_where_several_others_are_reached(
    hrefs: tuple[str, ...], href: str, post: int | None
) -> None:
    assert target_of(href, *hrefs) == post
    assert target_of(href, *hrefs, url="https://b.example/ten/") is None


@pytest.mark.parametrize(
    "hrefs",
    [
        ("/blog/burr-alignment/",),
        ("https://a.example/x/burr-alignment", "https://a.example/x/cold-brew"),
        (
            "https://hub.example/_/docker",
            "https://hub.example/_/nginx",
            "https://hub.example/_/redis",
        ),
        ("/tags/docker/", "/tags/nginx/", "/tags/redis/"),
        ("/doc/docker", "/doc/nginx", "/doc/a", "/doc/b", "/doc/c"),
    ],
)
def test_names_that_others_may_have_too_lead_nowhere(hrefs: tuple[str, ...]) -> None:
    assert target_of(hrefs[0], *hrefs) is None
