"""Posts that say again what another says, by their words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blog_search_mcp.index.relations.repeats import find_repeats, read_texts

if TYPE_CHECKING:
    from tests.support.blog import MakeBlog

WORDS = ("the", "quick", "brown", "fox", "jumps", "over", "a", "lazy", "dog")
PARAGRAPHS = [" ".join(f"{word}{number}" for word in WORDS) for number in range(12)]


def write(title: str, day: str, paragraphs: list[str], more: str = "") -> str:
    body = "\n\n".join(paragraphs)
    return f"---\ntitle: {title}\ndate: {day}\n{more}---\n{body}\n"


def repeats_of(blog: MakeBlog, posts: dict[str, str]) -> list[tuple[str, str, str]]:
    made = blog(posts)
    corpus = made.reader().corpus()
    found = find_repeats(corpus, read_texts(corpus))
    return [(each.newer, each.older, each.detail) for each in found]


def test_posts_with_mostly_the_same_words_are_found_with_the_passages(blog: MakeBlog) -> None:
    other = ["Nothing of this stands in any other post, however long one looks for it."] * 3
    posts = {
        "old.md": write("Foxes", "2023-01-01", PARAGRAPHS),
        "new.md": write("More foxes", "2024-01-01", [*other, *PARAGRAPHS[:8]]),
        "far.md": write("Walruses", "2024-01-01", other),
    }
    assert repeats_of(blog, posts) == [
        (
            "new.md",
            "old.md",
            "78% of its words stand in old.md too; lines 5 to 25 are lines 5 to 27 there",
        )
    ]


def test_of_posts_alike_the_same_is_the_newer_however_they_came(blog: MakeBlog) -> None:
    posts = {name: write("Foxes", "2023-01-01", PARAGRAPHS) for name in ("a.md", "b.md")}
    made = blog({"b.md": posts["b.md"]})
    made.write(posts)
    made.ingest()
    corpus = made.reader().corpus()
    [found] = find_repeats(corpus, read_texts(corpus))
    assert (found.newer, found.older) == ("b.md", "a.md")
    made.write({"a.md": posts["a.md"] + "\n"})
    made.ingest()
    corpus = made.reader().corpus()
    [found] = find_repeats(corpus, read_texts(corpus))
    assert (found.newer, found.older) == ("b.md", "a.md")


def test_a_cross_post_is_named_as_such(blog: MakeBlog) -> None:
    canonical = "canonical_url: https://example.com/foxes\n"
    posts = {
        "old.md": write("Foxes", "2023-01-01", PARAGRAPHS),
        "new.md": write("Foxes", "2024-01-01", PARAGRAPHS, canonical),
    }
    [(_, _, detail)] = repeats_of(blog, posts)
    assert detail.endswith("; new.md names https://example.com/foxes as its original")


def test_translations_and_short_posts_are_no_repeats(blog: MakeBlog) -> None:
    key = "translationKey: fox\n"
    posts = {
        "a.en.md": write("Foxes", "2023-01-01", PARAGRAPHS, key),
        "a.de.md": write("Foxes", "2023-01-01", PARAGRAPHS, key),
        "b.md": write("Short", "2023-01-01", PARAGRAPHS[:2]),
        "c.md": write("Short again", "2023-01-01", PARAGRAPHS[:2]),
    }
    assert repeats_of(blog, posts) == []
