"""Where a blog is published, as the links among its posts show."""

from __future__ import annotations

import pytest

from blog_search_mcp.index.relations.addresses import Addresses, Target
from blog_search_mcp.index.relations.linking.places import Place, Places
from blog_search_mcp.index.types import Link, Post

DESCALING = "2024-01-31-espresso-descaling.md"
POSTS = {
    1: Post(DESCALING, "Descaling", date="2024-02-01", slug="descale-it"),
    2: Post("burr-alignment.md", "Burrs"),
    3: Post("brewing/cold-brew.md", "Cold brew"),
    4: Post("brewing/water-hardness/index.md", "Water", aliases=("/2019/05/water/",)),
    5: Post("docker.md", "Docker"),
    6: Post("nginx.md", "nginx"),
    7: Post("redis.md", "Redis"),
}


def learn(*hrefs: str) -> Places:
    return Places(POSTS, {1: tuple(Link(href, "words", 1) for href in hrefs)})


@pytest.mark.parametrize(
    ("hrefs", "known"),
    [
        (
            ("/blog/burr-alignment/", "/blog/brewing/cold-brew/", "/blog/brewing/#more"),
            Place("", "blog", "file", "/blog/", "/"),
        ),
        (
            ("/en/posts/cold-brew", "/en/posts/water-hardness#top"),
            Place("", "en/posts", "name", "/en/posts/", ""),
        ),
        (
            (
                "https://www.coffee.example/burr-alignment",
                "https://coffee.example/brewing/cold-brew",
                "http://www.coffee.example/brewing/water-hardness",
                "https://coffee.example/app.js",
                "https://elsewhere.example/burr-alignment",
            ),
            Place("coffee.example", "", "file", "https://www.coffee.example/", ""),
        ),
        (
            (
                "https://github.com/me/blog/blob/main/burr-alignment.md",
                "https://github.com/me/blog/blob/main/brewing/cold-brew.md",
                "https://github.com/me/blog/blob/main/brewing/water-hardness/index.md",
            ),
            Place(
                "github.com",
                "me/blog/blob/main",
                "file",
                "https://github.com/me/blog/blob/main/",
                ".md",
            ),
        ),
    ],
)
def test_a_place_is_where_several_posts_are_reached(hrefs: tuple[str, ...], known: Place) -> None:
    assert learn(*hrefs).known == (known,)


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
        ("docker", "nginx.md", "/nginx.md", "/docker.md", "mailto:docker", "http://[x", "/", ""),
    ],
)
def test_names_that_others_may_have_too_show_no_place(hrefs: tuple[str, ...]) -> None:
    assert learn(*hrefs).known == ()


def test_the_address_of_a_post_at_a_place_has_the_form_of_others_there() -> None:
    of_day = Place("", "", "day", "/", ".html")
    assert of_day.address_of(POSTS[1]) == "/2024/02/01/descale-it.html"
    assert of_day.address_of(POSTS[2]) == ""
    assert Place("", "", "month", "/", "").address_of(POSTS[1]) == "/2024/02/descale-it"
    assert Place("", "a", "year", "/a/", "/").address_of(POSTS[1]) == "/a/2024/descale-it/"
    assert Place("", "", "permalink", "/", "/").address_of(POSTS[4]) == "/2019/05/water/"
    assert Place("", "b", "slug", "/b/", "/").address_of(POSTS[1]) == "/b/descale-it/"
    assert Place("", "", "undated", "/", "").address_of(POSTS[1]) == "/espresso-descaling"


@pytest.mark.parametrize("source", ["_posts/2024-01-31-mocha.md", "en/_drafts/mocha.md"])
def test_a_post_in_a_folder_that_no_generator_publishes_has_no_address(source: str) -> None:
    place = Place("", "blog", "file", "/blog/", "/")
    assert place.address_of(Post(source, "Mocha")) == ""
    assert place.address_of(Post("docs/mocha_1.md", "Mocha")) == "/blog/docs/mocha_1/"


def test_the_best_place_is_the_most_used_one_that_is_no_view_of_files() -> None:
    on_site = ("https://a.example/burr-alignment/", "https://a.example/brewing/cold-brew/")
    places = learn(
        "https://github.com/me/blog/blob/main/burr-alignment.md",
        "https://github.com/me/blog/blob/main/brewing/cold-brew.md",
        "https://github.com/me/blog/blob/main/brewing/water-hardness/index.md",
        *(*on_site, "https://a.example/brewing/water-hardness/"),
    )
    best = places.best(is_whole=True)
    assert best
    assert best.opening == "https://a.example/"
    assert places.best(is_whole=False) is None


@pytest.mark.parametrize(
    ("href", "found"),
    [
        ("/blog/burr-alignment/#shims", Target(2, "shims")),
        ("/Blog/Brewing/Water-Hardness/index.html", Target(4, "")),
        ("/blog/docker", Target(5, "")),
        ("/elsewhere/docker", None),
        ("https://a.example/blog/docker", None),
    ],
)
def test_a_link_leads_to_the_post_at_a_place(href: str, found: Target | None) -> None:
    links = (Link("/blog/burr-alignment/", "a", 1), Link("/blog/brewing/cold-brew/", "b", 2))
    assert Addresses(POSTS, {1: links}).find_target(href, DESCALING) == found


def test_a_name_is_found_with_the_signs_that_generators_replace() -> None:
    posts = {**POSTS, 8: Post("c++-in-1.2.md", "C++"), 9: Post("go_1.2.md", "Go")}
    links = (Link("/blog/docker/", "a", 1), Link("/blog/redis/", "b", 2))
    addresses = Addresses(posts, {1: links})
    assert addresses.find_target("/blog/c-in-1-2/", DESCALING) == Target(8, "")
    assert addresses.find_target("/blog/go_1-2/", DESCALING) == Target(9, "")
    assert addresses.find_target("/blog/go-1-2/", DESCALING) is None


def test_links_are_not_asked_where_posts_have_urls() -> None:
    posts = {**POSTS, 8: Post("a.md", "A", url="https://a.example/a/")}
    links = (Link("/blog/burr-alignment/", "a", 1), Link("/blog/brewing/cold-brew/", "b", 2))
    assert Addresses(posts, {1: links}).find_target("/blog/docker/", DESCALING) is None
