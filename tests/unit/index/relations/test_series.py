"""Series, by front matter, numbers and links; releases, years and quantities are none."""

from __future__ import annotations

import pytest

from blog_search_mcp.index.relations.addresses import Addresses
from blog_search_mcp.index.relations.series import find_series
from blog_search_mcp.index.types import Link, Post


def found(*posts: Post, links: dict[str, list[Link]] | None = None) -> list[tuple[str, list[str]]]:
    """Give the name and the parts, `NUMBER SOURCE`, of each series."""
    by_id = dict(enumerate(posts, 1))
    of_posts = {n: (links or {}).get(post.source, []) for n, post in by_id.items()}
    return [
        (series.name, [f"{each.part} {each.source}" for each in series.parts])
        for series in find_series(by_id, Addresses(by_id, of_posts).resolved)
    ]


def titled(*titles: str) -> list[Post]:
    names = "abcdefghijk"
    return [Post(f"{names[n]}.md", title) for n, title in enumerate(titles)]


def test_front_matter_names_a_series_and_its_order() -> None:
    posts = [
        Post("x.md", "Second", series="Go by hand", part=2),
        Post("y.md", "First", series="go by Hand", part=1),
        Post("z.md", "Alone", series="Another"),
    ]
    assert found(*posts) == [("go by Hand", ["1 y.md", "2 x.md"])]


@pytest.mark.parametrize(
    ("titles", "name"),
    [
        (["Raft, Part 1: Why", "Raft, part 2: How"], "Raft"),
        (["Raft (1)", "Raft (2)"], "Raft"),
        (["Raft（一）基礎", "Raft（二）實作"], "Raft"),
        (["Raft 第一篇", "Raft 第二篇"], "Raft"),
        (["Raft #1", "Raft #2 - logs"], "Raft"),
        (["Raft 1/2", "Raft 2/2"], "Raft"),
        (["Raft [1 of 2]", "Raft [2 of 2]"], "Raft"),
        (["Raft Teil 1", "Raft Teil 2"], "Raft"),
        (["Raft: часть 1", "Raft: часть 2"], "Raft"),
        (["iThome Day 01 | Why", "iThome Day 02 | How"], "iThome"),
        (["Raft part one", "Raft part two"], "Raft"),
        (["Raft（上）", "Raft（下）"], "Raft"),
    ],
)
def test_numbers_in_titles_make_a_series(titles: list[str], name: str) -> None:
    (series,) = found(*titled(*titles))
    assert series[0] == name
    assert [part[2:] for part in series[1]] == ["a.md", "b.md", "c.md"][: len(titles)]


@pytest.mark.parametrize(
    "titles",
    [
        ["Announcing Rust 1.87.0", "Announcing Rust 1.88.0"],
        ["Electron 14", "Electron 15"],
        ["Swift 5", "Swift 6"],
        ["Rust in 2017", "Rust in 2018"],
        ["5 things about Go", "10 things about Go"],
        ["Farewell, Windows 7/8/8.1", "Windows 10/11"],
        ["Raft, part 2", "Paxos, part 2"],
    ],
)
def test_releases_years_and_quantities_make_none(titles: list[str]) -> None:
    assert found(*titled(*titles)) == []


@pytest.mark.parametrize(
    "titles",
    [
        ["Raft", "Raft, part 2", "Raft, part 3"],
        ["Electron Internals", "Electron Internals: Node", "Electron Internals — GC"],
    ],
)
def test_a_title_is_a_part_of_the_series_that_it_names(titles: list[str]) -> None:
    assert found(*titled(*titles)) == [(titles[0], ["1 a.md", "2 b.md", "3 c.md"])]


def test_numbered_files_of_one_folder_make_a_series_named_by_it() -> None:
    posts = [Post(f"02-go-basics/0{n}-{word}.md", word) for n, word in enumerate("xyz", 1)]
    names = [f"{n} {post.source}" for n, post in enumerate(posts, 1)]
    assert found(*posts, Post("02-go-basics/_index.md", "Basics")) == [("go basics", names)]


def test_chapters_are_counted_within_their_own() -> None:
    posts = [Post(f"book/{c}{n}.md", f"{c}.{n} Title") for c in (1, 2) for n in (1, 2, 3)]
    assert [len(parts) for _, parts in found(*posts)] == [3, 3]


@pytest.mark.parametrize(
    ("titles", "words"),
    [
        (("How we asked", "What we heard"), "see part 1"),
        (("How we asked", "What we heard"), "first part of this series"),
        (("How we asked", "What we heard"), "introduction to the series"),
        (("Council update: March", "Council update — June"), "before"),
    ],
)
def test_a_link_joins_posts_by_its_words_or_their_beginning(
    titles: tuple[str, str], words: str
) -> None:
    posts = [Post(f"{name}.md", title) for name, title in zip("ab", titles, strict=True)]
    [(_, parts)] = found(*posts, links={"b.md": [Link("a.md", words, 3)]})
    assert parts == ["1 a.md", "2 b.md"]
    assert found(*posts) == []


def test_translations_are_series_of_their_own_and_named_series_stay_apart() -> None:
    posts = [
        *(Post(f"{code}/{n}.md", f"Raft ({n})", language=code) for code in "ab" for n in (1, 2)),
        Post("c/1.md", "Paxos (1)", series="One"),
        Post("c/2.md", "Paxos (2)", series="Two"),
    ]
    assert [[part[2:] for part in parts] for _, parts in found(*posts)] == [
        ["a/1.md", "a/2.md"],
        ["b/1.md", "b/2.md"],
    ]
