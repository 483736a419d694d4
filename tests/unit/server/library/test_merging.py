"""One page, one overview and one notice of several blogs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from blog_search_mcp.index.search.confidence import FOREIGN_NOTICE, NOTICE
from blog_search_mcp.index.types import Answer
from blog_search_mcp.server.library.merging import (
    MergedLists,
    merge_answers,
    merge_notices,
    merge_overviews,
)
from tests.support.server_fixtures import ALL_HITS, OVERVIEW

FIRST, SECOND, THIRD = ALL_HITS
SURE = Answer((FIRST, THIRD), 9, 0, "high", 0.9, "3 posts have changed.")
UNSURE = Answer((SECOND,), 1, 0, "low", 0.1, f"Keyword matches only. {NOTICE}")


def test_hits_of_all_come_in_one_order_with_their_blogs_before_their_sources() -> None:
    merged = merge_answers({"a": SURE, "b": UNSURE}, {"c": "No index."}, 2, 0)
    assert [(hit.post.source, hit.chunk.source, hit.score) for hit in merged.hits] == [
        ("a/inference/kv-cache.md", "a/inference/kv-cache.md", FIRST.score),
        ("b/notes.md", "b/notes.md", SECOND.score),
    ]
    assert (merged.total, merged.offset) == (10, 0)
    rest = merge_answers({"a": SURE, "b": UNSURE}, {}, 2, 2)
    assert [hit.chunk.index for hit in rest.hits] == [1]


def test_the_surest_blog_decides_and_the_doubt_about_the_others_is_not_told() -> None:
    merged = merge_answers({"a": SURE, "b": UNSURE}, {"c": "No index."}, 2, 0)
    assert (merged.confidence, merged.certainty) == ("high", 0.9)
    assert merged.notice == "a: 3 posts have changed. b: Keyword matches only. c: No index."


def test_where_none_is_sure_each_says_why() -> None:
    other = replace(UNSURE, notice=FOREIGN_NOTICE)
    merged = merge_answers({"a": UNSURE, "b": replace(UNSURE, notice=NOTICE), "c": other}, {}, 1, 0)
    assert merged.confidence == "low"
    assert merged.notice == f"a: Keyword matches only. {NOTICE} b: {NOTICE} c: {FOREIGN_NOTICE}"


def test_no_blog_has_no_answer() -> None:
    assert merge_answers({}, {}, 5, 0) == Answer((), 0, 0, "low")


def test_a_sentence_about_several_blogs_is_said_once() -> None:
    assert merge_notices({"a": "Ollama is away.", "b": None, "c": "Ollama is away."}) == (
        "a, c: Ollama is away."
    )
    assert merge_notices({"a": None}) is None


class Anchored:
    """A list of posts whose third chunk is below `#top`."""

    def anchored_chunks(self, sources: Iterable[str]) -> dict[tuple[str, str], int]:
        return {(source, "top"): 2 for source in sources}


def test_each_blog_is_asked_for_the_anchors_of_its_own_posts() -> None:
    lists: Any = {"a": Anchored(), "b": Anchored()}
    found = MergedLists(lists, {}).anchored_chunks(["a/x.md", "b/y.md", "z.md"])
    assert found == {("a/x.md", "top"): 2, ("b/y.md", "top"): 2}


def test_numbers_add_up_and_a_blog_is_a_section() -> None:
    other = replace(
        OVERVIEW,
        generation=2,
        created="2026-01-01T00:00:00+00:00",
        embedder="another",
        posts=5,
        tags=(("soup", 4), ("inference", 1)),
        sections=(),
        bundles=("soup",),
        first_day=None,
        last_day="2026-01-01",
        notice="Changed.",
    )
    merged = merge_overviews({"b": OVERVIEW, "a": other}, {"c": "No index."})
    assert merged == replace(
        OVERVIEW,
        generation=9,
        created="2026-01-01T00:00:00+00:00",
        embedder="fake bag-of-words, another",
        posts=7,
        chunks=6,
        sections=(("a", 5), ("b", 2), ("b/inference", 1)),
        bundles=("a/soup",),
        tags=(("soup", 4), ("inference", 2)),
        last_day="2026-01-01",
        notice="a: Changed. c: No index.",
    )
    assert merged.main_sections == (("a", 5), ("b", 2))
