from __future__ import annotations

import json
from dataclasses import replace

import pytest

from blog_search_mcp.index.types import Answer, PlaceInSeries
from blog_search_mcp.server.format.results import (
    describe_place,
    heading_path,
    hit_facts,
    page_from_wire,
    page_of,
    place_facts,
    shorten,
    wire_facts,
)
from tests.support.server_fixtures import ALL_HITS, CACHE, CHUNKS

PART = PlaceInSeries("Caches", 2, "c.md")


def test_a_hit_names_its_passage_and_its_lines() -> None:
    facts = hit_facts(replace(ALL_HITS[0], chunk=CHUNKS[CACHE.source][1]))
    assert (facts.chunk_index, facts.lines) == (1, "9-13")


def test_a_page_is_read_back_from_the_wire_as_it_was() -> None:
    others = (("en", "en/a.md"),)
    hits = tuple(replace(hit, score=0.5, translations=others, series=PART) for hit in ALL_HITS[:2])
    page = page_of(Answer(hits, total=3, offset=0), "A notice.")
    assert page_from_wire(json.loads(json.dumps(wire_facts(page)))) == page


def test_a_place_in_a_series_is_said_in_one_line() -> None:
    assert describe_place(place_facts(PART)) == "part 2 of Caches, next: c.md"
    assert place_facts(replace(PART, next=None)) == {"name": "Caches", "part": 2}
    assert describe_place(place_facts(None)) is None


def test_a_heading_path_leaves_out_the_title_and_first_its_outer_parts() -> None:
    assert heading_path(("T", "A", "B"), below="T") == "A > B"
    assert heading_path(("A", "T"), below="T") == "A > T"
    assert heading_path(("outermost", "outer", "inner"), width=17) == "… > outer > inner"
    assert heading_path(("outermost", "outer", "inner"), width=16) == "… > inner"
    assert heading_path(("outer", "the inner heading"), width=10) == "the inner…"


def test_a_title_is_measured_in_columns() -> None:
    assert shorten("鍵值快取", 8) == "鍵值快取"
    assert shorten("鍵值快取是什麼", 8) == "鍵值快…"
    assert shorten("a b c", 4) == "a b…"


@pytest.mark.parametrize("width", [-5, 0, 1])
def test_a_text_for_which_there_is_no_room_is_its_end_mark(width: int) -> None:
    assert shorten("two words", width) == "…"
