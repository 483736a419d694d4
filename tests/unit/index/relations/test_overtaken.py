"""Newer posts on the same subject: what titles, links, dates and nearness must all say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from blog_search_mcp.index.relations.corpus import PostVectors
from blog_search_mcp.index.relations.overtaken import find_overtaken
from blog_search_mcp.index.types import Link, Post

OLD = Post("old.md", "Faster linking with rust-lld on nightly", "2024-05-17", language="en")
NEW = Post("new.md", "Faster linking with rust-lld on stable", "2025-09-01", language="en")
OTHERS = tuple(
    Post(f"{n}.md", f"Garden {n} in bloom", "2020-01-01", language="en") for n in range(64)
)
TO_OLD = Link("old.md", "before", 3)
NEAR = ((1.0, 0.0, 0.0), (0.9, 0.43589, 0.0))
"""What OLD and NEW are about: near to each other, and to no other post."""


def found(
    old: Post = OLD,
    new: Post = NEW,
    *others: Post,
    link: Link | None = TO_OLD,
    rows: Sequence[Sequence[float]] = NEAR,
    groups: tuple[dict[int, object], ...] = (),
) -> dict[str, str]:
    """Give the source of the newer post by that of the older one."""
    posts = dict(enumerate((old, new, *others, *OTHERS), 1))
    near = np.zeros((len(posts), 3), dtype=np.float32)
    near[:, 2] = 1
    near[: len(rows)] = rows
    vectors = PostVectors(np.array(sorted(posts)), near)
    links = {2: [link]} if link else {}
    overtaken = find_overtaken(posts, links, groups, lambda: vectors)
    return {posts[one].source: posts[other].source for one, other in overtaken.items()}


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


def test_posts_that_are_not_nearest_to_each_other_overtake_nothing() -> None:
    third = Post("third.md", "Linkers", "2019-01-01", language="en")
    between = [*NEAR, [0.97, 0.24, 0]]
    assert found(OLD, NEW, third, rows=between) == {}
    assert found(rows=[[1, 0, 0], [0.7, 0.714, 0]]) == {}
    assert found(rows=[[1, 0, 0], [0, 0, 1]]) == {}
