from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blog_search_mcp.index.search.diversify import (
    DECAY,
    PER_POST,
    RankedPassage,
    RankedPassages,
    diversify_passages,
)
from tests.support.columns import Candidate, columns

SCORES = st.dictionaries(st.integers(1, 20), st.floats(0.01, 1.0), max_size=8)
OF_CHUNKS = st.dictionaries(st.integers(1, 50), st.floats(-1.0, 5.0), min_size=1, max_size=8)


def places_of(
    posts: Mapping[int, float],
    chunks: Mapping[int, Mapping[int, float]],
) -> RankedPassages:
    """The places of posts by their scores, and of their chunks by theirs, in the post's order."""
    own = {n: Candidate(0.0, tuple(chunks[n]), {}, {}) for n in posts}
    candidates = columns(own)
    scores = [score for post in candidates for score in chunks[post].values()]
    return diversify_passages(posts, candidates, np.array(scores))


def listed(
    posts: Mapping[int, float],
    chunks: Mapping[int, Mapping[int, float]],
) -> list[RankedPassage]:
    """The whole list."""
    places = places_of(posts, chunks)
    return places.page(0, len(places))


def test_posts_stand_by_their_scores_and_show_their_best_chunk() -> None:
    assert listed({1: 0.3, 2: 0.9}, {1: {10: 1.0}, 2: {20: 2.0, 22: 0.0}}) == [
        RankedPassage(2, 20, 0.9),
        RankedPassage(1, 10, 0.3),
    ]


def test_a_clear_winner_shows_a_second_passage_before_the_next_post_and_a_third_behind() -> None:
    own = {10: 1.0, 11: 0.1, 12: 0.81, 13: 0.1, 14: 0.64, 15: 0.1, 16: 0.64}
    assert listed({1: 0.9, 2: 0.5}, {1: own, 2: {20: 1.0}}) == [
        RankedPassage(1, 10, 0.9),
        RankedPassage(1, 12, 0.9 * (0.9 * DECAY)),
        RankedPassage(2, 20, 0.5),
        RankedPassage(1, 14, 0.9 * (0.8 * DECAY**2)),
    ]


def test_close_rivals_are_seen_before_a_second_passage() -> None:
    chunks = {n: {10 * n: 1.0, 10 * n + 1: 0.5, 10 * n + 2: 1.0} for n in (1, 2, 3)}
    places = listed({1: 0.9, 2: 0.85, 3: 0.8}, chunks)
    assert [place.chunk for place in places] == [10, 20, 30, 12, 22, 32]


def test_a_neighbour_of_what_is_shown_is_read_with_it_and_no_entry() -> None:
    chunks = {1: {10: 0.8, 11: 1.0, 12: 0.7, 13: 0.64, 14: 0.5}}
    assert listed({1: 0.9}, chunks) == [
        RankedPassage(1, 11, 0.9),
        RankedPassage(1, 13, 0.9 * (0.8 * DECAY)),
    ]


def test_equal_scores_stand_in_the_order_of_the_blog() -> None:
    places = listed({3: 0.5, 1: 0.5, 2: 0.5}, {n: {10 * n: 1.0} for n in (1, 2, 3)})
    assert [place.post for place in places] == [1, 2, 3]


def test_equal_chunks_stand_in_the_order_of_the_post() -> None:
    chunks = {1: {9: 0.5, 10: 0.1, 11: 1.0, 12: 0.1, 13: 1.0}}
    assert [place.chunk for place in listed({1: 0.9}, chunks)] == [11, 13, 9]


def test_a_page_is_a_part_of_the_list() -> None:
    places = places_of({n: 0.1 * n for n in range(1, 6)}, {n: {n: 1.0} for n in range(1, 6)})
    assert [place.post for place in places.page(1, 2)] == [4, 3]
    assert [place.post for place in places.page(4, 2)] == [1]
    assert places.page(5, 2) == places.page(0, 0) == []
    assert len(places) == 5


@pytest.mark.parametrize("score", [0.0, -0.5])
def test_a_post_without_a_telling_chunk_shows_its_best_alone(score: float) -> None:
    chunks = {1: {11: score, 12: score - 0.1, 13: score - 0.1}}
    assert listed({1: 0.5}, chunks) == [RankedPassage(1, 11, 0.5)]


@given(SCORES, st.data())
def test_every_post_is_there_with_its_score_and_at_most_so_many_passages(
    posts: dict[int, float], data: st.DataObject
) -> None:
    chunks = {post: data.draw(OF_CHUNKS) for post in posts}
    places = listed(posts, chunks)
    assert places == sorted(places, key=lambda place: -place.score)
    for post, score in posts.items():
        own = [place for place in places if place.post == post]
        assert own[0].score == score
        assert chunks[post][own[0].chunk] == max(chunks[post].values())
        assert all(0.0 < place.score <= DECAY * score for place in own[1:])
        shown = sorted([*chunks[post]].index(place.chunk) for place in own)
        assert 1 <= len(shown) <= PER_POST
        assert all(after - before > 1 for before, after in pairwise(shown))


def test_nothing_found_is_an_empty_list() -> None:
    assert listed({}, {}) == []
