"""Newer posts on the same subject: what titles, links, dates and nearness must all say."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np
import pytest

from blog_search_mcp.index.relations.addresses import Addresses
from blog_search_mcp.index.relations.corpus import PostVectors
from blog_search_mcp.index.relations.overtaken import find_overtaken, find_statement
from blog_search_mcp.index.types import Chunk, Link, Post

OLD = Post("old.md", "Faster linking with rust-lld on nightly", "2024-05-17", language="en")
NEW = Post("new.md", "Faster linking with rust-lld on stable", "2025-09-01", language="en")
OTHERS = tuple(
    Post(f"{n}.md", f"Garden {n} in bloom", "2020-01-01", language="en") for n in range(64)
)
TO_OLD = Link("old.md", "before", 3)
NEAR = ((1.0, 0.0, 0.0), (0.9, 0.43589, 0.0))
"""What OLD and NEW are about: near to each other, and to no other post."""
FAR = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))


def chunk_of(text: str) -> Chunk:
    return Chunk("old.md", 0, text, text, (), 1, 1, "")


def found(
    old: Post = OLD,
    new: Post = NEW,
    *others: Post,
    link: Link | None = TO_OLD,
    rows: Sequence[Sequence[float]] = NEAR,
    groups: tuple[dict[int, object], ...] = (),
    says: str = "",
) -> dict[str, str]:
    """Give the source of the newer post by that of the older one, which `says` something."""
    posts = dict(enumerate((old, new, *others, *OTHERS), 1))
    near = np.zeros((len(posts), 3), dtype=np.float32)
    near[:, 2] = 1
    near[: len(rows)] = rows
    vectors = PostVectors(np.array(sorted(posts)), near)
    links = {2: [link]} if link else {}
    chunks = {1: chunk_of(says)} if says else {}
    if says:
        links |= {1: [Link("new.md", "newer", 1)]}
    resolved = Addresses(posts, links).resolved
    overtaken = find_overtaken(posts, resolved, groups, lambda _: chunks, lambda: vectors)
    return {posts[one].source: posts[other].source for one, other in overtaken.items()}


def _read_nothing() -> NoReturn:
    raise AssertionError


def test_a_later_post_that_links_to_one_of_like_title_and_meaning_overtakes_it() -> None:
    assert found() == {"old.md": "new.md"}
    assert found(link=None) == {}


@pytest.mark.parametrize(
    "title", ["Updated: faster linking with rust-lld", "Faster linking with rust-lld, revisited"]
)
def test_a_title_that_calls_itself_an_update_needs_no_link(title: str) -> None:
    assert found(new=replace(NEW, title=title), link=None) == {"old.md": "new.md"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({}, {"date": "2024-06-01"}),
        ({}, {"date": None}),
        ({}, {"language": "de"}),
        ({}, {"title": "What the linker team did"}),
        ({"title": "rust-lld linking 1.89"}, {"title": "rust-lld linking 1.90"}),
        ({"title": "Faster linking, March rust-lld"}, {"title": "Faster linking, May rust-lld"}),
        ({"date": "2026-01-01"}, {}),
    ],
    ids=["soon", "undated", "language", "title", "release", "month", "earlier"],
)
def test_parts_releases_and_other_subjects_overtake_nothing(
    old: dict[str, Any], new: dict[str, Any]
) -> None:
    assert found(replace(OLD, **old), replace(NEW, **new)) == {}


def test_translations_and_parts_of_a_series_overtake_nothing() -> None:
    assert found(groups=({1: "one", 2: "one"},)) == {}
    assert found(groups=({1: "one", 2: "two"}, {})) == {"old.md": "new.md"}


@pytest.mark.slow
def test_thousands_of_titles_that_call_themselves_updates_are_compared_in_seconds() -> None:
    titles = [f"{'Updated: ' * (n % 2)}recipe {n} of a series of recipes" for n in range(6_000)]
    posts = {n: Post(f"{n}.md", title, "2020-01-01") for n, title in enumerate(titles, 1)}
    began = time.process_time()
    assert find_overtaken(posts, {}, (), lambda _: {}, _read_nothing) == {}
    assert time.process_time() - began < 5


@pytest.mark.slow
def test_a_line_with_thousands_of_links_to_one_post_is_read_in_seconds() -> None:
    line = "[again](new.md) " * 4_000
    began = time.process_time()
    assert find_statement([Link("new.md", "again", 1)] * 4_000, [chunk_of(line)]) is None
    assert time.process_time() - began < 5


@pytest.mark.slow
def test_thousands_of_lines_with_a_link_to_one_post_are_read_in_seconds() -> None:
    text = "\n".join(["A line of words and [again](new.md)."] * 50)
    chunks = [
        replace(chunk_of(text), first_line=start, last_line=start + 49)
        for start in range(1, 50_000, 50)
    ]
    links = [Link("new.md", "again", line) for line in range(1, 50_001)]
    began = time.process_time()
    assert find_statement(links, chunks) is None
    assert time.process_time() - began < 5


def test_without_vectors_what_the_older_post_says_counts_alone() -> None:
    posts = {1: OLD, 2: NEW}
    none = PostVectors(np.zeros(0, dtype=np.int64), np.zeros((0, 3), dtype=np.float32))
    old = {1: chunk_of("Superseded by newer.")}
    says = {1: [Link("new.md", "newer", 1)], 2: [TO_OLD]}
    links = [Addresses(posts, each).resolved for each in ({2: [TO_OLD]}, says)]
    assert find_overtaken(posts, links[0], (), lambda _: {}, lambda: none) == {}
    assert find_overtaken(posts, links[1], (), lambda _: old, lambda: none) == {1: 2}


def test_vectors_are_read_only_where_a_pair_is_proposed() -> None:
    assert find_overtaken({1: OLD, 2: NEW}, {}, (), lambda _: {}, _read_nothing) == {}


def test_posts_that_are_not_nearest_to_each_other_overtake_nothing() -> None:
    third = Post("third.md", "Linkers", "2019-01-01", language="en")
    between = [*NEAR, [0.97, 0.24, 0]]
    assert found(OLD, NEW, third, rows=between) == {}
    assert found(rows=[[1, 0, 0], [0.7, 0.714, 0]]) == {}
    assert found(rows=[[1, 0, 0], [0, 0, 1]]) == {}


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
def test_a_post_that_points_to_a_newer_one_instead_is_overtaken_whatever_its_title(
    words: str,
) -> None:
    other = replace(NEW, title="Walruses")
    assert found(new=other, link=None, rows=FAR, says=words) == {"old.md": "new.md"}
    assert found(replace(OLD, date="2026-01-01"), other, link=None, rows=FAR, says=words) == {}
    assert found(new=other, link=None, says=words, groups=({1: "one", 2: "one"},)) == {}


@pytest.mark.parametrize(
    "words",
    [
        "We wrote about it [again](new.md).",
        "The mailing lists have been replaced with forums, see [here](new.md).",
        "This function is deprecated; [see](new.md).",
        "The weekly update is [here](new.md).",
    ],
)
def test_a_link_to_a_newer_post_alone_is_no_sign(words: str) -> None:
    assert found(new=replace(NEW, title="Walruses"), link=None, rows=FAR, says=words) == {}


def test_a_statement_is_quoted_without_links_from_its_own_paragraph() -> None:
    text = (
        "Before.\n\nMuch of this is old by now.\nSee [new ways](new.md) for updated information.\n"
    )
    said = find_statement([Link("new.md", "new ways", 4)], [replace(chunk_of(text), last_line=5)])
    assert said is not None
    assert (said.line, said.quote) == (4, "…y now. See new ways for updated information.")
