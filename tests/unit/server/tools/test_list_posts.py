from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from blog_search_mcp.index.errors import UsageError
from blog_search_mcp.server.tools import list_posts as list_module
from blog_search_mcp.server.tools.list_posts import LIST_POSTS

if TYPE_CHECKING:
    from tests.support.blog import MakeBlog

SOUP = "---\ntitle: Onion soup\ndate: 2025-03-04\ntags: [soup, winter]\n---\nBoil an onion.\n"
POSTS = {
    "soup/onion.md": SOUP,
    "soup/leek.md": "---\ntitle: Leek\ndate: 2024-01-01\n---\nBoil a leek.\n",
    "bread.md": "---\ntitle: Bread\n---\nBake some bread.\n",
}
ONION = {
    "source": "soup/onion.md",
    "title": "Onion soup",
    "date": "2025-03-04",
    "tags": ["soup", "winter"],
}
LEEK = {"source": "soup/leek.md", "title": "Leek", "date": "2024-01-01"}
BREAD = {"source": "bread.md", "title": "Bread"}


@pytest.mark.parametrize(
    ("given", "posts", "total"),
    [
        ({}, [ONION, LEEK, BREAD], 3),
        ({"order": "title"}, [BREAD, LEEK, ONION], 3),
        ({"section": "soup", "order": "oldest"}, [LEEK, ONION], 2),
        ({"tag": "Winter"}, [ONION], 1),
        ({"after": "2024-02", "before": None}, [ONION], 1),
        ({"before": "2024"}, [LEEK], 1),
    ],
)
def test_posts_are_listed_as_asked(
    given: dict[str, Any], posts: list[dict[str, Any]], total: int, blog: MakeBlog
) -> None:
    result = LIST_POSTS.call(blog(POSTS).engine(), given)
    assert result.facts == {
        "posts": posts,
        "total": total,
        "offset": 0,
        "has_more": False,
        "next_offset": None,
    }


def test_a_list_goes_on_where_its_page_ends(blog: MakeBlog) -> None:
    made = blog(POSTS)
    first = LIST_POSTS.call(made.engine(), {"limit": 2}).facts
    assert first is not None
    assert (first["posts"], first["has_more"], first["next_offset"]) == ([ONION, LEEK], True, 2)
    rest = LIST_POSTS.call(made.engine(), {"limit": 2, "offset": 2}).facts
    assert rest is not None
    assert (rest["posts"], rest["has_more"], rest["next_offset"]) == ([BREAD], False, None)


def test_a_page_that_is_too_long_ends_earlier(
    blog: MakeBlog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(list_module, "ANSWER", 200)
    page = LIST_POSTS.call(blog(POSTS).engine(), {}).facts
    assert page is not None
    assert (page["posts"], page["has_more"], page["next_offset"]) == ([ONION], True, 1)


@pytest.mark.parametrize(
    ("given", "notice"),
    [
        ({"tag": "soup", "after": "2030"}, "No post passes these filters. Leave some out."),
        (
            {"tag": "soop"},
            "No post has the tag 'soop'. Nearest: soup (1). The tags: soup (1), winter (1).",
        ),
        ({"offset": 7}, "offset 7 is past the last post: 3 in all, from 0."),
    ],
)
def test_an_empty_page_says_why(given: dict[str, Any], notice: str, blog: MakeBlog) -> None:
    page = LIST_POSTS.call(blog(POSTS).engine(), given).facts
    assert page is not None
    assert (page["posts"], page["notice"]) == ([], notice)


def test_an_order_that_is_none_is_refused(blog: MakeBlog) -> None:
    with pytest.raises(UsageError) as refused:
        LIST_POSTS.call(blog(POSTS).engine(), {"order": "best"})
    assert str(refused.value) == "order must be 'newest', 'oldest' or 'title', got 'best'."
