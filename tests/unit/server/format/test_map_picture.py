"""The pictures of a blog: dots, labels, bars, and what a reader who does not see them is told."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

import numpy as np

from blog_search_mcp.index.relations.subjects import BlogMap
from blog_search_mcp.index.types import Post
from blog_search_mcp.server.format.map_picture import (
    count_by_subject,
    count_by_year,
    draw_map,
    draw_years,
    map_facts,
    write_svg,
)
from blog_search_mcp.server.format.results import count_columns

BLOG = BlogMap(
    posts=(
        Post("x.md", "No <day>"),
        Post("a.md", "Walrus\x00 & ice", "2023-05-01", url="https://example.org/a/"),
        Post("b.md", "Soup", "2025-02-03"),
    ),
    places=np.array([[0.2, 0.1], [0.8, 0.5], [0.3, 0.4]], dtype=np.float32),
    subjects=(0, 0, 1),
    names=("sea · ice", ""),
    missing=2,
)


def all_of(node: Any, name: str) -> list[Any]:
    if isinstance(node, str):
        return []
    return [*([node] if node[0] == name else []), *(x for n in node[2:] for x in all_of(n, name))]


def test_thousands_of_posts_on_one_subject_are_labelled_in_little_memory() -> None:
    places = np.random.default_rng(0).random((4_000, 2)).astype(np.float32)
    posts = tuple(Post(f"{n}.md", "Soup") for n in range(4_000))
    tracemalloc.start()
    drawn = draw_map(BlogMap(posts, places, (0,) * 4_000, ("soup",), 0), lambda _: None)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [label[2] for label in all_of(drawn, "text")] == ["soup"]
    assert most < 50_000_000


def test_each_post_is_a_dot_that_tells_what_it_is_and_leads_to_it() -> None:
    drawn = draw_map(BLOG, lambda post: post.url)
    dots = all_of(drawn, "a")
    assert [dot[1] for dot in dots] == [
        {"class": "s0"},
        {"class": "s0", "href": "https://example.org/a/"},
        {"class": "s1"},
    ]
    assert [dot[2][2] for dot in dots] == ["No <day>", "Walrus\x00 & ice · 2023-05-01",
                                           "Soup · 2025-02-03"]  # fmt: skip
    assert [(dot[3][1]["cx"], dot[3][1]["cy"]) for dot in dots] == [
        ("36.0", "36.0"), ("924.0", "628.0"), ("184.0", "480.0")
    ]  # fmt: skip
    assert drawn[1]["viewBox"] == "0 0 960 664"
    assert drawn[3] == [
        "desc", {}, "Posts that are alike lie side by side. Subjects: sea · ice, 2; subject 2, 1"
    ]  # fmt: skip


def test_dots_of_posts_in_one_place_lie_beside_each_other_and_the_others_where_they_are() -> None:
    places = np.array([[0.5, 0.5]] * 40 + [[0.1, 0.1], [0.9, 0.9]], dtype=np.float32)
    posts = tuple(Post(f"{n}.md", str(n)) for n in range(42))
    crowd = replace(BLOG, posts=posts, places=places, subjects=(0,) * 42)
    drawn = draw_map(crowd, lambda _: None)
    circles = [dot[3][1] for dot in all_of(drawn, "a")]
    at = np.array([[float(circle["cx"]), float(circle["cy"])] for circle in circles])
    gaps = np.hypot(*(at[:, np.newaxis] - at).transpose(2, 0, 1)) + np.eye(42) * 1000
    assert gaps.min() > float(circles[0]["r"])
    assert at[40:].tolist() == [[36.0, 36.0], [924.0, 924.0]]
    assert np.abs(at[:40] - 480).max() < 60
    assert draw_map(crowd, lambda _: None) == drawn


def test_a_label_stands_where_its_posts_are_and_none_over_another() -> None:
    places = np.full((40, 2), 0.5, dtype=np.float32)
    posts = tuple(Post(f"{n}.md", "x") for n in range(40))
    blog = BlogMap(posts, places, tuple(n % 4 for n in range(40)), ("a", "b · c", "d", "e"), 0)
    blog.places[0], blog.places[1] = (0, 0), (1, 1)
    labels = all_of(draw_map(blog, lambda _: None), "text")
    assert [label[2] for label in labels] == ["a", "b", "c", "d", "e"]
    heights = sorted(float(label[1]["y"]) for label in labels)
    assert all(later - earlier >= 15 for earlier, later in pairwise(heights))


def test_years_without_a_post_have_their_place_among_the_bars() -> None:
    assert count_by_year(BLOG) == {"2023": [1, 0], "2024": [0, 0], "2025": [0, 1]}
    drawn = draw_years(BLOG)
    told = [bar[2][2] for bar in all_of(drawn, "rect") if len(bar) > 2]
    assert told == ["2023: 1 on sea · ice", "2025: 1 on other subjects"]
    assert [text[2] for text in all_of(drawn, "text") if "middle" in text[1]["class"]] == [
        "2023", "2024", "2025"
    ]  # fmt: skip


def test_a_blog_without_dates_has_no_years() -> None:
    undated = BlogMap(BLOG.posts[:1], BLOG.places[:1], (0,), ("sea",), 0)
    assert (count_by_year(undated), draw_years(undated)) == ({}, None)


def test_an_empty_blog_can_be_drawn() -> None:
    empty = BlogMap((), np.zeros((0, 2), dtype=np.float32), (), (), 0)
    assert all_of(draw_map(empty, lambda _: None), "a") == []


def test_the_search_page_gets_links_into_itself() -> None:
    facts = map_facts("", BLOG)
    assert all_of(facts["map"], "a")[1][1]["href"] == "/?source=a.md&chunk=0"
    assert all_of(map_facts("sea", BLOG)["map"], "a")[1][1]["href"] == (
        "/?source=sea%2Fa.md&chunk=0"
    )
    assert facts["subjects"] == [("sea · ice", 2), ("subject 2", 1)]
    assert (facts["blog"], facts["missing"], facts["counts"][0]) == ("", 2, ("2023", [1, 0]))
    assert count_by_subject(BLOG) == dict(facts["subjects"])


def test_a_file_holds_every_picture_and_is_well_formed_whatever_a_title_says() -> None:
    years = draw_years(BLOG)
    assert years is not None
    text = write_svg([draw_map(BLOG, lambda post: post.url), years], ".dots {}")
    root = ElementTree.fromstring(text)
    space = "{http://www.w3.org/2000/svg}"
    inner = root.findall(f"{space}svg")
    assert [each.get("y") for each in inner] == ["0", "664"]
    assert root.get("viewBox") == f"0 0 960 {664 + int(inner[1].get('height') or 0)}"
    titles = [each.text for each in inner[0].iter(f"{space}title")]
    assert titles == ["Map of 3 posts by meaning", "No <day>", "Walrus & ice · 2023-05-01",
                      "Soup · 2025-02-03"]  # fmt: skip


def test_a_long_name_ends_before_the_next_of_the_legend() -> None:
    name = "open data · federal front door · analytics of the whole government"
    [legend] = all_of(draw_years(replace(BLOG, names=(name, "b"))), "g")
    first, second = (each for each in legend[2:] if each[0] == "text")
    assert first[2].endswith("… (2)")
    widest = 6.2 * count_columns(first[2].replace("(2)", "(1,000)"))
    assert float(first[1]["x"]) + widest < float(second[1]["x"]) - 18  # its colour
