from __future__ import annotations

from typing import TYPE_CHECKING

from blog_search_mcp.index.store.statistics import Overview

if TYPE_CHECKING:
    from tests.support.blog import MakeBlog


def test_a_generation_is_told_in_numbers(blog: MakeBlog) -> None:
    made = blog(
        {
            "a/b/one.md": "---\ndate: 2025-03-04\ntags: [Go, tea]\nlang: en\n---\nOne.\n",
            "a/two.md": "---\ndate: 2024-01-02\ntags: [go]\nlang: en\n---\nTwo.\n",
            "three.md": "---\nlang: zh-tw\n---\n三。\n",
        }
    )
    assert made.reader().overview == Overview(
        generation=1,
        created=made.manifest.created,
        embedder="fake bag-of-words",
        posts=3,
        chunks=3,
        languages=(("en", 2), ("zh-tw", 1)),
        sections=(("a", 2), ("a/b", 1)),
        tags=(("go", 2), ("tea", 1)),
        first_day="2024-01-02",
        last_day="2025-03-04",
    )


def test_without_dates_there_is_no_first_nor_last_day(blog: MakeBlog) -> None:
    held = blog({"a.md": "A.\n"}).reader().overview
    assert (held.first_day, held.last_day) == (None, None)
