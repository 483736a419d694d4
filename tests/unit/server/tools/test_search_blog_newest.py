"""What is newest of what fits a query."""

from __future__ import annotations

from dataclasses import replace

from blog_search_mcp.index.types import Filters, Hit
from blog_search_mcp.server.tools.search_blog import LOOKED_AT, SHARE, newest_first, search_sorted
from tests.support.server_fixtures import CACHE, CHUNKS, FixedSearcher, hit


def found(source: str, score: float, date: str | None) -> Hit:
    post = replace(CACHE, source=source, date=date)
    return replace(hit(CHUNKS[CACHE.source][0], score), post=post)


def test_what_fits_about_as_well_as_the_best_comes_newest_first_one_hit_a_post() -> None:
    hits = [
        found("old", 0.5, "2019-01-01"),
        found("undated", 0.45, None),
        found("old", 0.4, "2019-01-01"),
        found("same day", 0.5 * SHARE, "2019-01-01"),
        found("new", 0.5 * SHARE, "2024-05-05"),
        found("weak", 0.49 * SHARE, "2025-01-01"),
    ]
    kept = newest_first(hits)
    assert [each.post.source for each in kept] == ["new", "old", "same day", "undated"]
    assert kept[1].score == 0.5


def test_nothing_found_is_nothing_ordered() -> None:
    assert newest_first(()) == ()


def test_by_relevance_the_page_alone_is_asked_for() -> None:
    searcher = FixedSearcher()
    search_sorted(searcher, "q", Filters(), "relevance", limit=3, offset=1)
    search_sorted(searcher, "q", Filters(), "newest", limit=3, offset=1)
    assert searcher.asked == [("q", Filters(), 3, 1), ("q", Filters(), LOOKED_AT, 0)]
