"""Sources that begin with a blog's name: given, taken, and in what is said of a miss."""

from __future__ import annotations

from dataclasses import replace

import pytest

from blog_search_mcp.index.errors import UnknownChunk, UnknownPost
from blog_search_mcp.index.types import Filters, NewerPost, PlaceInSeries
from blog_search_mcp.server.library.prefixes import narrow, prefix_failure, prefix_hit, split_source
from tests.support.server_fixtures import ALL_HITS

BLOGS = ("go", "rust")


@pytest.mark.parametrize(
    ("source", "split"),
    [
        ("go/a/b.md", ("go", "a/b.md")),
        ("rust/go/a.md", ("rust", "go/a.md")),
        ("a/b.md", None),
        ("go", None),
        ("", None),
    ],
)
def test_a_source_is_split_at_the_name_of_a_blog(
    source: str, split: tuple[str, str] | None
) -> None:
    assert split_source(source, BLOGS) == split


@pytest.mark.parametrize(
    ("section", "names", "own"),
    [
        (None, BLOGS, None),
        ("go", ("go",), None),
        ("/rust/", ("rust",), None),
        ("go/a/b", ("go",), "a/b"),
        ("a/b", (), "b"),
    ],
)
def test_a_section_names_its_blog_first(
    section: str | None, names: tuple[str, ...], own: str | None
) -> None:
    filters = Filters(section=section, tag="t")
    assert narrow(filters, BLOGS) == (names, Filters(section=own, tag="t"))


def test_the_next_part_of_a_series_is_of_its_blog() -> None:
    hit = replace(ALL_HITS[0], series=PlaceInSeries("Caches", 1, "b.md"))
    assert prefix_hit("go", hit).series == PlaceInSeries("Caches", 1, "go/b.md")


def test_the_newer_post_is_of_its_blog() -> None:
    hit = replace(ALL_HITS[0], newer=NewerPost("b.md", "2026-01-02"))
    assert prefix_hit("go", hit).newer == NewerPost("go/b.md", "2026-01-02")


def test_what_is_missing_is_named_as_it_was_asked_for() -> None:
    post = prefix_failure("go", UnknownPost("a.md", ("b.md", "c.md")))
    assert str(post) == (
        "No post 'go/a.md' in the index. Nearest: go/b.md, go/c.md. Use a source from search_blog."
    )
    chunk = prefix_failure("go", UnknownChunk("a.md", 7, 3))
    assert str(chunk) == "go/a.md has no chunk 7: its chunk_index goes from 0 to 2."
