"""Which post a link leads to, however its author wrote it."""

import pytest

from blog_search_mcp.index.types import Link, Post
from blog_search_mcp.ingest.relations.link_targets import LinkTargets, Target

POSTS = {
    1: Post("posts/kv-cache.md", "KV Cache", url="https://example.org/blog/kv-cache/"),
    2: Post("posts/tokens/index.md", "Tokens", url="https://example.org/blog/tokens/"),
    3: Post("_posts/2024-01-02-old.md", "Old", aliases=("/2019/old.html", "Ancient")),
    4: Post("notes/Vector Search.md", "Vectors"),
    5: Post("a/same.md", "Same A"),
    6: Post("b/same.md", "Same B"),
    7: Post("posts/plots/index.qmd", "Plots"),
    8: Post("_index.md", "Home", url="https://example.org/"),
}


@pytest.mark.parametrize(
    ("href", "source", "found"),
    [
        ("https://example.org/blog/kv-cache/", "posts/tokens/index.md", Target(1, "")),
        ("http://www.example.org/blog/kv-cache#size", "a/same.md", Target(1, "size")),
        ("/blog/kv-cache/index.html", "a/same.md", Target(1, "")),
        ("https://example.org", "a/same.md", Target(8, "")),
        ("/", "a/same.md", Target(8, "")),
        ("../kv-cache/", "posts/tokens/index.md", Target(1, "")),
        ("../kv-cache.md#%E5%A4%A7", "posts/tokens/index.md", Target(1, "大")),
        ("tokens/", "posts/kv-cache.md", Target(2, "")),
        ("ref:posts/tokens", "a/same.md", Target(2, "")),
        ("ref:kv-cache.md", "a/same.md", Target(1, "")),
        ("post:2024-01-02-old", "a/same.md", Target(3, "")),
        ("link:_posts/2024-01-02-old.md", "a/same.md", Target(3, "")),
        ("/2019/old", "a/same.md", Target(3, "")),
        ("@/posts/kv-cache.md", "a/same.md", Target(1, "")),
        ("../plots/index.qmd#sec-axes", "posts/tokens/index.md", Target(7, "sec-axes")),
        ("Vector Search.md", "a/same.md", Target(4, "")),
        ("Ancient.md", "a/same.md", Target(3, "")),
        ("same.md", "b/other.md", Target(6, "")),
        ("#size", "posts/kv-cache.md", Target(1, "size")),
        ("same.md", "c/other.md", None),
        ("https://elsewhere.org/blog/kv-cache/", "a/same.md", None),
        ("mailto:me@example.org", "a/same.md", None),
        ("/blog/nothing/", "a/same.md", None),
        ("http://[broken", "a/same.md", None),
        ("%2F%2F[broken", "posts/kv-cache.md", None),
        ("", "a/same.md", None),
    ],
)
def test_a_link_leads_to_the_post_that_its_generator_would_lead_to(
    href: str, source: str, found: Target | None
) -> None:
    assert LinkTargets(POSTS).find_target(href, source) == found


def test_an_alias_that_is_no_address_leads_nowhere_and_hides_no_other() -> None:
    post = Post("a.md", "A", url="https://example.org/a/", aliases=("http://[broken", "/old/"))
    addresses = LinkTargets({0: post})
    assert addresses.find_target("/old/", "b.md") == Target(0, "")
    assert addresses.find_target("http://[broken", "b.md") is None


TALES = {
    number: Post(f"{number}.md", "T", date=f"2024-01-0{number}", url=f"https://a.org/{number}/")
    for number in range(1, 6)
}


def contradict(*hrefs: str) -> str:
    links = {1: tuple(Link(href, "words", 1) for href in hrefs)}
    return LinkTargets(TALES, links).contradiction


DATED = ("/2024/01/01/1/", "/2024/01/02/2/#more", "/2024/01/03/3.html")


def test_links_to_other_addresses_than_those_made_contradict_them() -> None:
    told = contradict(*DATED, "/4/", "/elsewhere/", "https://b.org/2024/01/05/5/")
    assert all(each in told for each in ("3", "4", "/2024/01/01/1/", "https://a.org/1/"))


@pytest.mark.parametrize("hrefs", [(*DATED[:2], "/4/"), (*DATED, "/1/"), ("/1/", "2.md", "3.md")])
def test_few_such_links_and_links_to_files_contradict_no_address(hrefs: tuple[str, ...]) -> None:
    assert contradict(*hrefs) == ""


NAMED = {
    1: Post("2024-01-31-descaling.md", "Descaling", date="2024-02-01", slug="descale-it"),
    2: Post("burr-alignment.md", "Burrs"),
    3: Post("brewing/cold-brew.md", "Cold brew"),
    4: Post("brewing/water-hardness/index.md", "Water", aliases=("/2019/05/water/",)),
    5: Post("docker.md", "Docker"),
    6: Post("nginx.md", "nginx"),
    7: Post("redis.md", "Redis"),
    8: Post("c++-in-1.2.md", "C++"),
}
BLOG = ("/blog/burr-alignment/", "/blog/brewing/cold-brew/", "/blog/brewing/#more")


def lead(href: str, hrefs: tuple[str, ...], url: str | None = None) -> int | None:
    """Follow a link of a blog that has others, and one post more, perhaps with an address."""
    links = {1: tuple(Link(each, "words", 1) for each in hrefs)}
    posts = {**NAMED, 10: Post("ten.md", "Ten", url=url)}
    target = LinkTargets(posts, links).find_target(href, "2024-01-31-descaling.md")
    return target.post if target else None


@pytest.mark.parametrize(
    ("hrefs", "href", "post"),
    [
        (BLOG, "/blog/docker", 5),
        (BLOG, "/Blog/Brewing/Water-Hardness/index.html", 4),
        (BLOG, "/blog/c-in-1-2/", 8),
        (BLOG, "/elsewhere/docker", None),
        (BLOG, "blog/docker", None),
        (BLOG, "https://a.example/blog/docker", None),
        (("/en/posts/cold-brew", "/en/posts/water-hardness#top"), "/en/posts/burr-alignment", 2),
        (("/a/2024/02/01/descale-it.html", "/a/docker"), "/a/2024/descale-it/", 1),
        (("/redis", "/docker"), "/descaling/", 1),
    ],
)
def test_a_link_leads_to_the_post_where_several_others_are_reached(
    hrefs: tuple[str, ...], href: str, post: int | None
) -> None:
    assert lead(href, hrefs) == post
    assert lead(href, hrefs, url="https://b.example/ten/") is None


@pytest.mark.parametrize(
    "hrefs",
    [
        ("/blog/burr-alignment/",),
        tuple(f"https://hub.example/_/{name}" for name in ("docker", "nginx", "redis")),
        ("/tags/docker/", "/tags/nginx/", "/tags/redis/"),
        ("/doc/docker", "/doc/nginx", "/doc/a", "/doc/b", "/doc/c"),
    ],
)
def test_names_that_others_may_have_too_lead_nowhere(hrefs: tuple[str, ...]) -> None:
    assert lead(hrefs[0], hrefs) is None
