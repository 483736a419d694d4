"""Which posts are listed beside a post, and which never."""

from __future__ import annotations

from blog_search_mcp.index.relations.related import find_related
from tests.support.blog import Blog, MakeBlog

FOOD = "---\ntitle: {0}\ndate: {1}\ntags: [food]\n---\nSoup with bread and {0}.\n"
SEA = {
    "whale.md": "---\ntitle: Whale\ntags: [sea]\n---\nThe whale dives into the sea.\n",
    "seal.md": "---\ntitle: Seal\ntags: [sea]\n---\nThe seal dives into the sea.\n",
}


def related(made: Blog, limit: int = 5) -> dict[str, list[str]]:
    corpus = made.reader().corpus()
    return {
        corpus.posts[number].source: [corpus.posts[other].source for other in others]
        for number, others in find_related(corpus, limit).items()
    }


def test_of_equals_the_newer_is_first_and_the_limit_holds(blog: MakeBlog) -> None:
    days = ("2021-01-01", "2023-01-01", "2022-01-01")
    foods = {f"{name}.md": FOOD.format("Leek", day) for name, day in zip("abc", days, strict=True)}
    made = blog({**SEA, **foods})
    assert related(made)["a.md"] == ["b.md", "c.md"]
    assert related(made, 1)["a.md"] == ["b.md"]


def test_parts_of_the_series_translations_and_linked_posts_are_not_listed(blog: MakeBlog) -> None:
    made = blog(
        {
            **SEA,
            "1.md": FOOD.format("Leek (1)", "2024-01-01"),
            "2.md": FOOD.format("Leek (2)", "2024-01-01"),
            "linked.md": FOOD.format("Leek", "2024-01-02"),
            "kept.md": FOOD.format("Leek", "2023-01-02") + "See [it](linked.md).\n",
            "kept.de.md": FOOD.format("Leek", "2023-01-02"),
        }
    )
    found = related(made)
    assert "2.md" not in found["1.md"]
    assert "linked.md" not in found["kept.md"]
    assert "kept.md" in found["linked.md"]
    assert all("kept.de.md" not in others for others in found.values())
