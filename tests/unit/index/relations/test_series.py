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
        (["Raft I", "Raft II: logs"], "Raft"),
        (["Raft Teil 1", "Raft Teil 2"], "Raft"),
        (["Raft: часть 1", "Raft: часть 2"], "Raft"),
        (["iThome Day 01 | Why", "iThome Day 02 | How"], "iThome"),
        (["Raft part one", "Raft part two"], "Raft"),
        (["Raft（上）", "Raft（下）"], "Raft"),
        (["Raft 1편", "Raft 2편", "Raft 3편"], "Raft"),
        (["Ray-00-总览", "Ray-01-API", "Ray-02-Actor"], "Ray"),
        (["Agents E1: Why", "Agents E2: How", "Agents E3: When"], "Agents"),
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
    ("titles", "name"),
    [
        (
            [
                "June 2025 team update",
                "Late 2025 team update",
                "January & February 2026 team update",
            ],
            "team update",
        ),
        (
            ["Lang team February update", "Lang team Apr. update", "Lang team July 2026 update"],
            "Lang team update",
        ),
        (
            ["專案進度報告：2025 年 3 月", "專案進度報告：2025 年 4 月", "專案進度報告：2025年5月"],
            "專案進度報告",
        ),
    ],
)
def test_reports_of_three_months_make_a_series_in_the_order_of_their_dates(
    titles: list[str], name: str
) -> None:
    posts = [
        Post(f"{9 - number}.md", title, f"2026-01-0{number}")
        for number, title in enumerate(titles, 1)
    ]
    assert found(*posts) == [(name, ["1 8.md", "2 7.md", "3 6.md"])]
    assert found(*posts[:2]) == []


def test_the_first_part_may_have_no_number() -> None:
    posts = titled("Raft, part 2", "Raft", "Raft, part 3")
    assert found(*posts) == [("Raft", ["1 b.md", "2 a.md", "3 c.md"])]


def test_numbered_files_of_one_folder_make_a_series_named_by_it() -> None:
    posts = [Post(f"02-go-basics/0{n}-{word}.md", word) for n, word in enumerate("xyz", 1)]
    names = [f"{n} {post.source}" for n, post in enumerate(posts, 1)]
    assert found(*posts, Post("02-go-basics/_index.md", "Basics")) == [("go basics", names)]


def test_chapters_are_counted_within_their_own() -> None:
    posts = [Post(f"book/{c}{n}.md", f"{c}.{n} Title") for c in (1, 2) for n in (1, 2, 3)]
    assert [len(parts) for _, parts in found(*posts)] == [3, 3]


def test_posts_that_link_to_each_other_as_neighbours_make_a_series() -> None:
    posts = [Post("a.md", "Slices", "2020-01-01"), Post("b.md", "Strings", "2020-02-01")]
    back = Link("a.md", "slices", 3)
    links = {"a.md": [Link("b.md", "Next: strings", 9)], "b.md": [back]}
    assert found(*posts, links=links) == [("Slices", ["1 a.md", "2 b.md"])]
    assert found(*posts, links={"a.md": [Link("b.md", "strings", 9)], "b.md": [back]}) == []
    assert found(*posts, links={"a.md": [Link("b.md", "Next: strings", 9)]}) == []


def test_two_titles_with_one_beginning_make_a_series_where_one_links_to_the_other() -> None:
    posts = [
        Post("a.md", "Council update: March", "2026-03-01"),
        Post("b.md", "Council update — June", "2026-06-01"),
    ]
    links = {"b.md": [Link("a.md", "before", 3)]}
    assert found(*posts, links=links) == [("Council update", ["1 a.md", "2 b.md"])]
    assert found(*posts) == []


def test_three_titles_with_one_beginning_make_a_series_with_the_title_that_is_the_beginning() -> (
    None
):
    posts = [
        Post("a.md", "Electron Internals", "2016-01-01"),
        Post("b.md", "Electron Internals: Using Node", "2016-01-02"),
        Post("c.md", "Electron Internals — Weak References", "2016-01-03"),
    ]
    assert found(*posts) == [("Electron Internals", ["1 a.md", "2 b.md", "3 c.md"])]
    assert found(*posts[1:]) == []


@pytest.mark.parametrize(
    "words",
    ["see part 1", "first part of this series", "introduction to the series", "Second post"],
)
def test_a_link_that_names_a_part_joins_posts_that_do_not_link_back(words: str) -> None:
    posts = [
        Post("a.md", "How we asked", "2016-01-01"),
        Post("b.md", "What we heard", "2016-02-01"),
    ]
    links = {"b.md": [Link("a.md", words, 3)]}
    assert found(*posts, links=links) == [("How we asked", ["1 a.md", "2 b.md"])]
    assert found(*posts, links={"b.md": [Link("a.md", "a post of ours", 3)]}) == []


def test_posts_that_list_each_other_by_date_make_a_series() -> None:
    names = ["using.md", "moving.md", "publishing.md"]
    posts = [Post(name, name[:-3], f"2019-0{n}-01") for n, name in enumerate(names, 1)]

    def lists(order: list[str]) -> dict[str, list[Link]]:
        return {
            name: [Link(other, "", 3 + n) for n, other in enumerate(order) if other != name]
            for name in names
        }

    assert found(*posts, links=lists(names)) == [
        ("using", ["1 using.md", "2 moving.md", "3 publishing.md"])
    ]
    assert found(*posts, links={**lists(names), "using.md": []}) == []


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
