"""Lists of a real generation: their order, their pages and what they count."""

from __future__ import annotations

from typing import get_args

import pytest

from blog_search_mcp.index.store.catalog import Catalog
from blog_search_mcp.index.types import Filters, Order
from tests.support.blog import MakeBlog


def written(day: str, title: str, tags: str = "[]") -> str:
    head = f"date: {day}\n" if day else ""
    return f"---\n{head}title: {title}\ntags: {tags}\n---\nSome words on {title}.\n"


@pytest.fixture
def listing(kept_blog: MakeBlog) -> Catalog:
    made = kept_blog(
        {
            "soup/leek.md": written("2025-02-03", "leek", "[Soup, green]"),
            "soup/cold/melon.md": written("2024-01-01", "Melon", "[soup]"),
            "bread/rye.md": written("2025-02-03", "Rye"),
            "undated.md": written("", "Aged"),
        }
    )
    return made.reader().snapshot.catalog


def sources(listing: Catalog, order: Order) -> list[str]:
    return [post.source for post in listing.list_posts(Filters(), order, 10, 0).page]


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("newest", ["bread/rye.md", "soup/leek.md", "soup/cold/melon.md", "undated.md"]),
        ("oldest", ["soup/cold/melon.md", "bread/rye.md", "soup/leek.md", "undated.md"]),
        ("title", ["undated.md", "soup/leek.md", "soup/cold/melon.md", "bread/rye.md"]),
    ],
)
def test_posts_come_in_the_order_asked_for(
    order: Order, expected: list[str], listing: Catalog
) -> None:
    assert sources(listing, order) == expected
    assert order in get_args(Order)


def test_a_place_is_followed_by_the_rest_of_the_list(listing: Catalog) -> None:
    whole = [(post.date or "", post.source) for post in listing.posts_after(None, 10)]
    assert [source for _, source in whole] == sources(listing, "newest")
    for number, place in enumerate(whole):
        rest = [(post.date or "", post.source) for post in listing.posts_after(place, 10)]
        assert rest == whole[number + 1 :]
    assert len(listing.posts_after(None, 2)) == 2


def raft(title: str, series: str = "Raft") -> str:
    return f"---\nlang: en\nseries: {series}\n---\n# {title}\n\nLeaders.\n"


def test_relations_follow_an_edit_of_the_text_and_of_the_series(blog: MakeBlog) -> None:
    others = {"c.md": "# Paxos\n\nNumbers.\n", "d.md": "# Notes\n\nMore.\n"}
    made = blog({"a.md": raft("Raft one"), "b.md": raft("Raft two"), **others})

    def parts(text: str, source: str) -> set[str]:
        made.write({source: text})
        made.ingest()
        listing = made.reader().snapshot.catalog
        assert listing.series().keys() <= listing.every_post().keys()
        return {part.source for series in listing.series().values() for part in series.parts}

    assert parts(raft("Raft one") + "They are elected.\n", "a.md") == {"a.md", "b.md"}
    assert parts(raft("Notes"), "d.md") == {"a.md", "b.md", "d.md"}
    assert parts("# Notes\n\nMore.\n", "d.md") == {"a.md", "b.md"}
    assert parts(raft("Raft one", "Paxos"), "a.md") == set()
