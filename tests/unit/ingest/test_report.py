"""What an ingest says while it lasts and at its end."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO

import pytest

from blog_search_mcp.index.commands import MAX_LISTED
from blog_search_mcp.index.posts.walk import Skipped
from blog_search_mcp.ingest.report import (
    LinkCounts,
    Progress,
    Report,
    as_lines,
    describe_rate,
)

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
    assert as_lines(NOTHING) == ["1 post, 1 chunk: 1 added; 1 text embedded; 0.3 s. As asked."]


def test_what_there_is_none_of_is_left_out() -> None:
    skipped = (Skipped("a.md", "draft"), Skipped("b.md", "it cannot be read: Input/output error"))
    assert as_lines(replace(NOTHING, added=0, changed=1200, removed=2, skipped=skipped))[-1] == (
        "1 post, 1 chunk: 1,200 changed, 2 removed, 2 skipped (1 draft, 1 unreadable); "
        "1 text embedded; 0.3 s. As asked."
    )
    assert as_lines(replace(NOTHING, added=0, embedded=0))[-1] == (
        "1 post, 1 chunk: nothing changed; 0 texts embedded; 0.3 s. As asked."
    )


def test_of_many_faults_of_a_kind_the_first_are_listed_and_the_others_counted() -> None:
    skipped = tuple(Skipped(f"{n}.md", "it is not text") for n in range(MAX_LISTED + 1200))
    warnings = tuple(f"{n}.md: its date cannot be read" for n in range(MAX_LISTED))
    lines = as_lines(replace(NOTHING, skipped=skipped, warnings=warnings))[:-1]
    assert lines == [
        *(f"skipped {n}.md: it is not text" for n in range(MAX_LISTED)),
        "… and 1,200 more like these; --rebuild --json lists all.",
        *warnings,
    ]


def test_links_are_counted_with_the_reasons_why_posts_have_none() -> None:
    assert with_links(1, {}) == ["Links to the published blog: for 1 of 1 post read."]
    assert with_links(1200, {"beside an index.md": 30, "no date": 1}) == [
        "Links to the published blog: for 1,200 of 1,231 posts read. The others: 30 beside an "
        "index.md; 1 no date."
    ]
    assert with_links(0, {"no site": 2}) == [
        "Links to the published blog: for 0 of 2 posts read. Why none: no site."
    ]


@pytest.mark.parametrize(
    ("done", "left", "seconds", "said"),
    [
        (0, 10, 1.0, ""),
        (10, 0, 0.0, ""),
        (10, 90, 10.0, "1.0 a second, 90 s left"),
        (5_000, 100_000, 100.0, "50 a second, 33 min left"),
        (5_000, 0, 100.0, "50 a second"),
    ],
)
def test_a_rate_and_the_time_left_are_those_of_the_stage_so_far(
    done: int, left: int, seconds: float, said: str
) -> None:
    assert describe_rate(done, left, seconds) == said


def test_lines_name_the_stage_the_share_the_rate_and_the_time_left() -> None:
    stream, clock = StringIO(), iter([0.0, 10.0, 40.0])
    progress = Progress(stream, now=lambda: next(clock))
    progress.start("embedding texts", 2_000, done=1_000)
    progress.advance(200)
    progress.say("Words can be searched.")
    progress.advance(800)
    assert stream.getvalue().splitlines() == [
        "embedding texts: 1,200 of 2,000 (60%), 20 a second, 40 s left",
        "Words can be searched.",
        "embedding texts: 2,000 of 2,000 (100%), 25 a second",
    ]


def test_a_stage_of_one_step_is_done_or_not() -> None:
    stream = StringIO()
    progress = Progress(stream)
    progress.start("writing the index", 1)
    progress.advance(1)
    assert stream.getvalue() == "writing the index: done\n"
