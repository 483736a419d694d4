"""What an ingest says at its end."""

from __future__ import annotations

from dataclasses import replace

from blog_search_mcp.ingest.report import LinkCounts, Report, as_lines

NOTHING = Report(
    generation=1,
    posts=1,
    chunks=1,
    added=1,
    changed=0,
    removed=0,
    embedded=1,
    without_vector=(),
    skipped=(),
    warnings=(),
    links=LinkCounts(),
    embedder="fake",
    embedder_reason="As asked.",
    seconds=0.26,
)


def with_links(linked: int, unlinked: dict[str, int]) -> list[str]:
    return as_lines(replace(NOTHING, links=LinkCounts(linked, unlinked)))[:-1]


def test_one_of_anything_stands_in_the_singular() -> None:
    assert as_lines(NOTHING) == [
        "1 post, 1 chunk: 1 added, 0 changed, 0 removed, none skipped; 1 text embedded; 0.3 s. "
        "As asked."
    ]


def test_links_are_counted_with_the_reasons_why_posts_have_none() -> None:
    assert with_links(1, {}) == ["Links: 1 of 1 post read have one."]
    assert with_links(1200, {"beside an index.md": 30, "no date": 1}) == [
        "Links: 1,200 of 1,231 posts read have one. The others: 30 beside an index.md; 1 no date."
    ]
    assert with_links(0, {"no site": 2}) == [
        "Links: 0 of 2 posts read have one. The others: no site."
    ]
