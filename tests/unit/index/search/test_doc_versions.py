"""Pages in several versions: the current one is found, an old one below it or by its version."""

from __future__ import annotations

from pathlib import Path

import pytest

from blog_search_mcp.index.search.doc_versions import find_versions
from tests.support.front import made


@pytest.mark.parametrize(
    ("current", "old"),
    [
        ("docs/a.md", "versioned_docs/version-2.1/a.md"),
        ("docs/b/a.mdx", "website/versioned_docs/version-v1/b/a.md"),
        ("site/docs/a.md", "site/versioned_docs/version-legacy/a.md"),
        ("team_docs/a.md", "team_versioned_docs/version-1.0/a.md"),
        ("versioned_docs/version-10.0/a.md", "versioned_docs/version-9.1/a.md"),
    ],
)
def test_an_old_page_has_a_current_one(current: str, old: str) -> None:
    posts = [(1, current), (2, old), (3, "z.md")]
    assert {post: to for post, (_, to) in find_versions(posts).items()} == {2: 1}


@pytest.mark.parametrize(
    ("one", "other"),
    [("releases/v1.2/a.md", "releases/v1.3/a.md"), ("a/docs/x.md", "b/docs/x.md")],
)
def test_posts_that_are_no_versions_stand_by_themselves(one: str, other: str) -> None:
    assert find_versions([(1, one), (2, other)]) == {}


def test_the_current_page_answers_for_the_old_ones(tmp_path: Path) -> None:
    text = "---\ntitle: Wind up the clock\n---\n\nTurn the {} key until the spring is tight.\n"
    gone = "---\ntitle: The cuckoo\n---\n\nThe cuckoo sings at noon if the bellows are oiled.\n"
    posts = {
        "docs/wind.md": text.format("brass"),
        "versioned_docs/version-1.0/wind.md": text.format("iron"),
        "versioned_docs/version-2.0/wind.md": text.format("brass"),
        "versioned_docs/version-1.0/cuckoo.md": gone,
    }
    blog = made(tmp_path, posts)
    assert blog.sources("how do I wind up the clock")[:1] == ["docs/wind.md"]
    assert blog.sources("wind up the clock 1.0")[0] == "versioned_docs/version-1.0/wind.md"
    assert blog.sources("when does the cuckoo sing")[0] == "versioned_docs/version-1.0/cuckoo.md"
    assert "1.0" in blog.posts()["versioned_docs/version-1.0/cuckoo.md"]["title"]
