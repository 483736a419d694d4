"""The tool `timeline`: what it answers, and how long that may be."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from blog_search_mcp.index.types import Filters, PlaceInSeries
from blog_search_mcp.server.tools.timeline import ANSWER_BYTES, TIMELINE, TOP_K
from tests.support.server_fixtures import ALL_HITS, FixedSearcher

if TYPE_CHECKING:
    from tests.support.blog import MakeBlog

POST = "---\ntitle: {0} ({1})\ndate: 20{1}-03-04\n---\nThe walrus rests on the ice, {0} {1}.\n"


def test_posts_are_told_by_year_with_their_place_in_a_series(blog: MakeBlog) -> None:
    made = blog({f"{n}.md": POST.format("Walrus", n) for n in (11, 12)})
    found = TIMELINE.call(made.engine(), {"subject": "walrus"})
    assert found.facts is not None
    assert json.loads(found.texts[0]) == found.facts
    facts = found.facts
    assert (facts["posts"], facts["first"], facts["latest"]) == (
        2,
        {"date": "2011-03-04", "source": "11.md"},
        {"date": "2012-03-04", "source": "12.md"},
    )
    [entry] = facts["years"]["2011"]
    assert entry.pop("says").startswith("The walrus rests")
    assert entry == {
        "date": "2011-03-04",
        "title": "Walrus (11)",
        "source": "11.md",
        "chunk_index": 0,
        "series": {"name": "Walrus", "part": 11, "next": "12.md"},
    }


def test_a_long_answer_is_cut_to_what_a_model_should_pay_for() -> None:
    class Long(FixedSearcher):
        def search(self, *_: object, **__: object):  # type: ignore[no-untyped-def]
            hit = replace(
                ALL_HITS[0], score=0.5, preview="快" * 90, series=PlaceInSeries("快" * 90, 1, "x")
            )
            hits = tuple(
                replace(hit, post=replace(hit.post, source=f"{n}/{'x' * 60}.md"))
                for n in range(TOP_K + 5)
            )
            return replace(super().search("x", Filters(), limit=1, offset=0), hits=hits)

    found = TIMELINE.call(Long(), {"subject": "walrus"})
    assert found.facts is not None
    assert found.facts["posts"] == TOP_K + 5
    assert 2 < sum(map(len, found.facts["years"].values())) < TOP_K
    assert len(found.texts[0].encode()) <= ANSWER_BYTES


def test_nothing_found_is_said() -> None:
    found = TIMELINE.call(FixedSearcher(), {"subject": "nothing"})
    assert found.facts is not None
    assert (found.facts["years"], "notice" in found.facts) == ({}, True)
