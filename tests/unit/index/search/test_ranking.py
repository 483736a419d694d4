from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blog_search_mcp.index.analysis.query import Query
from blog_search_mcp.index.search.ranking import (
    BEST_OF,
    DENSE_FEATURES,
    LEAST_SCORE,
    MAX_SIMILARITY,
    NEARNESS_WEIGHT,
    QueryKind,
    SearchMode,
    Weights,
    choose_weights,
    classify_query,
    compute_post_features,
    explain_score,
    score_chunks,
    score_posts,
)
from blog_search_mcp.index.search.retrieval import RetrievalResult
from blog_search_mcp.index.types import Feature, Reason
from tests.support.columns import Candidate, columns
from tests.support.models import MODEL

FEATURES: tuple[Feature, ...] = get_args(Feature)

SHARES = st.floats(0.0, 1.0)
COSINES = st.floats(-1.0, 1.0)

WORDS = Query("some words", (), is_question=False, is_prose=False, is_foreign=False)
QUESTION = replace(WORDS, is_question=True)
PROSE = replace(WORDS, is_prose=True)

PLAIN = Candidate(
    post_bm25=0.0,
    about_bm25=0.0,
    chunks=(1,),
    bm25={},
    cosines={},
)


def of_words(*shares: float, whole: float = 0.0, about: float = 0.0) -> Candidate:
    return replace(
        PLAIN,
        post_bm25=whole,
        about_bm25=about,
        chunks=tuple(range(len(shares))),
        bm25={chunk: share for chunk, share in enumerate(shares) if share},
    )


def of_meaning(*cosines: float) -> Candidate:
    return replace(PLAIN, chunks=tuple(range(len(cosines))), cosines=dict(enumerate(cosines)))


def retrieved(posts: Mapping[int, Candidate], vocabulary_coverage: float = 1.0) -> RetrievalResult:
    nearest = 0.5 if vocabulary_coverage else None
    return RetrievalResult(columns(posts), 0.0, vocabulary_coverage, {}, 1.0, nearest, 0.0, 0.0)


def features_of(
    posts: Mapping[int, Candidate], similarity: float = 1.0, vocabulary_coverage: float = 1.0
) -> dict[str, list[float]]:
    found = compute_post_features(retrieved(posts, vocabulary_coverage), similarity)
    return {name: values.tolist() for name, values in found.items()}


@st.composite
def candidates(draw: st.DrawFn) -> Candidate:
    chunks = tuple(range(draw(st.integers(1, 6))))
    return Candidate(
        post_bm25=draw(SHARES),
        about_bm25=draw(SHARES),
        chunks=chunks,
        bm25=draw(st.dictionaries(st.sampled_from(chunks), SHARES)),
        coverage=draw(st.dictionaries(st.sampled_from(chunks), SHARES)),
        cosines=draw(st.dictionaries(st.sampled_from(chunks), COSINES)),
    )


POSTS = st.dictionaries(st.integers(1, 9), candidates(), max_size=5)
WEIGHTS = st.fixed_dictionaries({name: st.floats(0.0, 5.0) for name in FEATURES})


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        (WORDS, "short"),
        (PROSE, "prose"),
        (QUESTION, "question"),
        (replace(QUESTION, is_prose=True), "question"),
    ],
)
def test_a_question_is_one_however_long_it_is(query: Query, kind: QueryKind) -> None:
    assert classify_query(query) == kind


@pytest.mark.usefixtures("round_model")
def test_each_kind_of_query_has_its_weights_and_each_use_its_features() -> None:
    for query, kind in ((WORDS, "short"), (PROSE, "prose"), (QUESTION, "question")):
        fitted = MODEL.ranking[classify_query(query)]
        assert classify_query(query) == kind
        assert choose_weights(query) == fitted
        assert choose_weights(query, SearchMode.DENSE) == {"meaning": 1.0}
        assert choose_weights(query, SearchMode.LEXICAL) == {
            name: weight for name, weight in fitted.items() if name not in DENSE_FEATURES
        }


def test_words_are_relative_to_the_best_candidate_feature_by_feature() -> None:
    found = features_of(
        {1: of_words(0.4, 0.2, whole=0.1, about=0.3), 2: of_words(0.1, 0.1, 0.1, whole=0.4)}
    )
    assert found == {
        "passage": [1.0, pytest.approx(0.25)],
        "coverage": [0.0, 0.0],
        "several": [1.0, pytest.approx(1 / 3)],
        "post": [pytest.approx(0.25), 1.0],
        "about": [1.0, 0.0],
        "meaning": [0.0, 0.0],
        "opening": [0.0, 0.0],
        "gated_meaning": [0.0, 0.0],
        "gated_opening": [0.0, 0.0],
    }


def test_coverage_is_that_of_the_best_passage_squared_and_compares_between_queries() -> None:
    found = features_of(
        {1: replace(of_words(0.4, 0.4), coverage={0: 0.5, 1: 0.25}), 2: of_meaning(0.3)}
    )
    assert found["coverage"] == [0.25, 0.0]


def test_meaning_is_relative_to_what_headings_reach_and_to_what_the_embedder_covers() -> None:
    found = features_of({1: of_meaning(0.1, 0.3)}, similarity=0.4, vocabulary_coverage=0.5)
    assert found["meaning"] == pytest.approx([0.5 * 0.3 / 0.4])
    assert found["opening"] == pytest.approx([0.5 * 0.1 / 0.4])


def test_a_post_that_waits_for_its_vectors_has_the_meaning_of_those_that_hold_as_many_words() -> (
    None
):
    posts = {
        number: replace(of_words(share), cosines={0: cosine} if cosine else {})
        for number, (share, cosine) in enumerate([(0.2, 0.1), (0.4, 0.2), (0.8, 0.4), (0.6, 0.0)])
    }
    posts[4] = of_meaning(0.9)
    waiting = replace(retrieved(posts), posts=columns(posts, waiting={3}))
    found = compute_post_features(waiting, similarity=1.0)
    assert found["meaning"].tolist() == pytest.approx([0.1, 0.2, 0.4, 0.3, 0.9])
    assert found["opening"].tolist() == pytest.approx([0.1, 0.2, 0.4, 0.3, 0.9])


def test_a_post_that_waits_has_the_mean_of_few_others_and_0_if_it_is_alone() -> None:
    posts = {1: replace(of_words(0.2), cosines={0: 0.4}), 2: of_words(0.9)}
    found = replace(retrieved(posts), posts=columns(posts, waiting={2}))
    assert compute_post_features(found, 1.0)["meaning"].tolist() == [0.4, 0.4]
    assert compute_post_features(found, 1.0, SearchMode.DENSE)["meaning"].tolist() == [0.4, 0.0]
    alone = replace(retrieved({2: posts[2]}), posts=columns({2: posts[2]}, waiting={2}))
    assert compute_post_features(alone, 1.0)["meaning"].tolist() == [0.0]


def test_meaning_is_limited_and_0_for_a_post_without_vectors() -> None:
    posts = {1: of_meaning(0.9), 2: of_meaning(-0.9), 3: of_words(0.5)}
    found = features_of(posts, similarity=0.3)
    assert found["meaning"] == found["opening"] == [MAX_SIMILARITY, -1.0, 0.0]


@pytest.mark.parametrize(("similarity", "coverage"), [(0.0, 1.0), (0.4, 0.0)])
def test_meaning_is_0_where_the_embedder_covers_no_heading_or_no_word(
    similarity: float, coverage: float
) -> None:
    found = features_of({1: of_meaning(0.9, 0.2)}, similarity, coverage)
    assert (found["meaning"], found["opening"]) == ([0.0], [0.0])


@given(POSTS, st.floats(0.01, 1.0), SHARES)
def test_every_feature_is_in_its_range(
    posts: dict[int, Candidate], similarity: float, coverage: float
) -> None:
    found = compute_post_features(retrieved(posts, coverage), similarity)
    assert set(found) == set(FEATURES)
    for name, values in found.items():
        least, most = (-1.0, MAX_SIMILARITY) if name in DENSE_FEATURES else (0.0, 1.0)
        assert values.shape == (len(posts),)
        assert ((values >= least) & (values <= most)).all()


def test_several_good_passages_count_and_a_fourth_does_not() -> None:
    posts = {n: of_words(*[0.5] * n, *[0.0] * (5 - n)) for n in range(1, 6)}
    first, second, *others = features_of(posts)["several"]
    assert first < second < others[0] == 1.0
    assert others == [1.0] * (len(posts) - BEST_OF + 1)


@given(candidates(), st.lists(SHARES, min_size=1, max_size=200))
def test_a_long_post_cannot_win_by_having_many_chunks(
    post: Candidate, further: list[float]
) -> None:
    """Chunks no better than the worst that already counts never raise a feature."""
    worst = min(post.bm25.get(chunk, 0.0) for chunk in post.chunks)
    first = len(post.chunks)
    longer = replace(
        post,
        chunks=(*post.chunks, *range(first, first + len(further))),
        bm25={
            **post.bm25,
            **{chunk: share * worst for chunk, share in enumerate(further, first)},
        },
    )
    for own, other in features_of({1: post, 2: longer}).values():
        assert other <= own + 1e-9


def columns_of(
    **values: list[float],
) -> dict[Feature, np.ndarray[tuple[int], np.dtype[np.float64]]]:
    return {name: np.array(values.get(name, [0.0, 0.0])) for name in FEATURES}


def test_the_gate_is_shut_where_one_passage_holds_all_words_and_open_where_none_does() -> None:
    near = replace(PLAIN, cosines={1: 0.25})
    for coverage, share in ((1.0, 0.0), (0.5, 1.0 - 0.5**4), (0.0, 1.0)):
        found = compute_post_features(replace(retrieved({1: near}), coverage=coverage), 0.5)
        assert found["meaning"].tolist() == [0.5]
        assert found["gated_meaning"].tolist() == found["gated_opening"].tolist() == [0.5 * share]


def test_a_score_is_the_weighted_sum_of_the_features_as_a_share_of_the_largest_there_can_be() -> (
    None
):
    features = columns_of(passage=[1.0, 0.5, 0.0], meaning=[0.2, MAX_SIMILARITY, -0.3])
    weights: Weights = {"passage": 3.0, "meaning": 2.0}
    scores = score_posts(features, [7, 8, 9], weights)
    assert scores == pytest.approx({7: 3.4 / 6.0, 8: 4.5 / 6.0})


def test_a_post_that_holds_a_word_has_a_score_however_far_its_meaning_is() -> None:
    features = columns_of(passage=[0.1, 0.0], meaning=[-1.0, -1.0])
    assert score_posts(features, [7, 8], {"passage": 1.0, "meaning": 5.0}) == {7: LEAST_SCORE}


@given(POSTS, WEIGHTS, st.floats(0.01, 1.0))
def test_a_score_is_above_zero_and_at_most_one(
    posts: dict[int, Candidate], weights: Weights, similarity: float
) -> None:
    found = retrieved(posts)
    scores = score_posts(compute_post_features(found, similarity), found.posts, weights)
    assert all(0.0 < score <= 1.0 for score in scores.values())
    assert scores.keys() <= posts.keys()


@given(POSTS.filter(bool), WEIGHTS.filter(lambda each: sum(each.values()) > 0.01), SHARES)
def test_the_reasons_of_a_post_add_up_to_its_score(
    posts: dict[int, Candidate], weights: Weights, scale: float
) -> None:
    found = retrieved(posts)
    features = compute_post_features(found, 0.5)
    scores = score_posts(features, found.posts, weights)
    for post in posts:
        reasons = explain_score(features, found.posts.position_of(post), weights, scale)
        together = sum(reason.share * reason.value for reason in reasons)
        score = scale * scores.get(post, 0.0)
        assert (
            together == pytest.approx(score) or together < score <= scale * LEAST_SCORE or not score
        )


def test_reasons_name_what_counts_for_the_query_and_the_weightiest_first() -> None:
    features = columns_of(passage=[1.0, 0.5], post=[0.2, 1.0], meaning=[0.1, 0.4])
    weights: Weights = {"passage": 1.0, "about": 0.0, "meaning": 3.0}
    assert explain_score(features, 1, weights, 0.5) == (
        Reason("meaning", 1.5 / 5.5, 0.4),
        Reason("passage", 0.5 / 5.5, 0.5),
    )


def test_words_place_the_answer_in_a_post_and_meaning_decides_between_equals() -> None:
    post = replace(PLAIN, chunks=(5, 6, 7), bm25={5: 0.5, 6: 0.5}, cosines={6: 0.2, 7: 0.4})
    found = retrieved({1: post}, vocabulary_coverage=0.5)
    step = NEARNESS_WEIGHT * 0.5 / np.std([0.0, 0.2, 0.4])
    assert score_chunks(found).tolist() == pytest.approx([0.5, 0.5 + 0.2 * step, 0.4 * step])
    assert score_chunks(found, SearchMode.LEXICAL).tolist() == [0.5, 0.5, 0.0]
    assert score_chunks(found, SearchMode.DENSE).tolist() == [0.0, 0.2, 0.4]


@given(POSTS, st.sampled_from(SearchMode))
def test_every_chunk_of_every_post_has_a_score(
    posts: dict[int, Candidate], mode: SearchMode
) -> None:
    found = retrieved(posts)
    assert score_chunks(found, mode).shape == found.posts.chunks.shape
