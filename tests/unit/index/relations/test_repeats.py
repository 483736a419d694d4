"""Posts that say again what another says, by their words, and posts that a newer one overtook."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from blog_search_mcp.index.relations.repeats import (
    Overtaken,
    find_overtaken,
    find_repeats,
    read_texts,
)

if TYPE_CHECKING:
    from tests.support.blog import MakeBlog

WORDS = ("the", "quick", "brown", "fox", "jumps", "over", "a", "lazy", "dog")
PARAGRAPHS = [" ".join(f"{word}{number}" for word in WORDS) for number in range(12)]


def write(title: str, day: str, paragraphs: list[str], more: str = "") -> str:
    body = "\n\n".join(paragraphs)
    return f"---\ntitle: {title}\ndate: {day}\n{more}---\n{body}\n"


def repeats_of(blog: MakeBlog, posts: dict[str, str]) -> list[tuple[str, str, str]]:
    made = blog(posts)
    made.ingest()
    corpus = made.reader().corpora()[""]
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


def overtaken_of(blog: MakeBlog, posts: dict[str, str]) -> tuple[Overtaken, ...]:
    made = blog(posts)
    made.ingest()
    corpus = made.reader().corpora()[""]
    return find_overtaken(corpus, read_texts(corpus))


def linking(words: str, old_title: str = "Old ways", new_title: str = "New ways") -> dict[str, str]:
    return {
        "old.md": write(old_title, "2023-01-01", [words]),
        "new.md": write(new_title, "2024-01-01", ["Other words."]),
    }


@pytest.mark.parametrize(
    "words",
    [
        "Update: this is now [easier](new.md).",
        "_Summer 2017 Update: it [left beta](new.md)._",
        "Please read the updated [new ways](new.md) post instead.",
        "See [new ways](new.md) for updated information.",
        "This post is out of date, see [here](new.md).",
        "This has been superseded by [another one](new.md).",
        "本文已過時，請看[新的一篇](new.md)。",
    ],
)
def test_a_post_that_points_to_a_newer_one_instead_is_overtaken(words: str, blog: MakeBlog) -> None:
    [found] = overtaken_of(blog, linking(words))
    assert (found.older, found.newer, found.line) == ("old.md", "new.md", 5)
    assert found.detail.startswith("it says so itself: “")
    assert found.detail.endswith("”; newer: new.md")


@pytest.mark.parametrize(
    "words",
    [
        "We wrote about it [again](new.md).",
        "The mailing lists have been replaced with forums, see [here](new.md).",
        "This function is deprecated; [see](new.md).",
        "The weekly update is [here](new.md).",
    ],
)
def test_a_link_to_a_newer_post_alone_is_no_sign(words: str, blog: MakeBlog) -> None:
    assert overtaken_of(blog, linking(words)) == ()


def test_a_newer_post_may_say_that_it_takes_the_place(blog: MakeBlog) -> None:
    posts = {
        "old.md": write("Old ways", "2023-01-01", ["Words."]),
        "new.md": write("New ways", "2024-01-01", ["This post replaces [mine](old.md) of then."]),
    }
    assert overtaken_of(blog, posts) == (
        Overtaken("old.md", "new.md", 0, "new.md:5 says so: “This post replaces mine of then.”"),
    )


@pytest.mark.parametrize(
    ("old", "new", "is_overtaken"),
    [
        ("How to deploy Rails 4 apps", "How to deploy Rails 7 apps", True),
        ("The best of all caches", "The best of all caches, revisited", True),
        ("如何安裝資料庫 5.1", "如何安裝資料庫 6.0", True),
        ("Announcing Rust 1.88 for all", "Announcing Rust 1.89 for all", False),
        ("News in our Rails 4 apps", "News in our Rails 7 apps", False),
        ("How to deploy apps in 2023", "How to deploy apps in 2024", False),
        ("Lang team April update", "Lang team April update", False),
        ("Cache", "Cache revisited", False),
    ],
)
def test_titles_tell_a_renewed_post_from_the_next_of_a_list(
    old: str, new: str, is_overtaken: bool, blog: MakeBlog
) -> None:
    body = ["Some words on one subject that both posts treat."]
    posts = {
        "old.md": write(old, "2023-01-01", body),
        "new.md": write(new, "2024-01-01", body),
        "far.md": write("Walruses", "2024-01-01", ["Tusks of ivory in the sea."]),
    }
    assert bool(overtaken_of(blog, posts)) is is_overtaken
