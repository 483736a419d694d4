"""Whether an answer is sure: from what a query reaches, by what the blog's own headings reach."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blog_search_mcp.index.analysis.query import Word, analyse_query
from blog_search_mcp.index.search.confidence import (
    FOREIGN_NOTICE,
    LEAST_QUERY_COVERAGE,
    NOTICE,
    Confidence,
    compute_confidence_features,
    estimate_confidence,
    measure_lead,
)
from blog_search_mcp.index.search.ranking import QueryKind, load_ranking_model
from blog_search_mcp.index.search.retrieval import Candidates, RetrievalResult
from blog_search_mcp.index.types import SMALL_BLOG, Calibration, Feature

ONE, NUMBER = np.array([1]), np.array([0.5])

REACHED = RetrievalResult(
    query=analyse_query("zebra"),
    coverage=0.5,
    vocabulary_coverage=1.0,
    idf={Word("zebra", ("zebra",), 1.0): 4.0},
    max_idf=5.0,
    max_cosine=0.35,
    blog_cosine=0.1,
    max_bm25=0.5,
    posts=Candidates(ONE, ONE, ONE, *[NUMBER] * 4),
)
ENGLISH = Calibration(
    heading_found=0.9,
    absent_found=0.1,
    heading_similarity=0.45,
    heading_cosine=0.55,
    absent_cosine=0.15,
    foreign_cosine=0.25,
    characters=SMALL_BLOG,
    chunks=100,
    last_chunk=100,
)

pytestmark = pytest.mark.usefixtures("round_model")


def reaching(found: float, cosine: float | None, text: str = "zebra") -> RetrievalResult:
    query = analyse_query(text)
    return replace(REACHED, query=query, coverage=found, max_bm25=found, max_cosine=cosine)


def estimate(retrieved: RetrievalResult, blog: Calibration | None = ENGLISH) -> Confidence:
    return estimate_confidence(retrieved, 0.1, blog)


@pytest.mark.parametrize("cosine", [0.55, None])
def test_what_headings_reach_is_high_and_what_absent_ones_do_is_low(cosine: float | None) -> None:
    high = estimate(reaching(1.0, cosine))
    low = estimate(reaching(0.0, None if cosine is None else 0.15))
    assert (high.word, high.notice) == ("high", None)
    assert (low.word, low.notice) == ("low", NOTICE)
    assert 0.0 < low.certainty < high.certainty < 1.0


@given(*[st.floats(0.0, 1.0)] * 3)
def test_more_words_or_nearer_meaning_is_never_less_certain(
    found: float, cosine: float, more: float
) -> None:
    certainty = estimate(reaching(found, cosine)).certainty
    assert estimate(reaching(max(found, more), cosine)).certainty >= certainty
    assert estimate(reaching(found, max(cosine, more))).certainty >= certainty


def test_nearness_counts_only_where_the_embedder_reads_query_and_blog() -> None:
    nearer = reaching(0.5, 0.9)
    alone = estimate(reaching(0.5, None))
    assert estimate(nearer) != alone
    assert estimate(replace(nearer, vocabulary_coverage=LEAST_QUERY_COVERAGE / 2)) == alone
    assert estimate(nearer, replace(ENGLISH, heading_similarity=0.0)) == alone


def test_a_query_in_another_script_is_compared_with_absent_headings_in_it() -> None:
    own, other = reaching(0.5, 0.35), reaching(0.5, 0.45, "快取")
    assert estimate(own).certainty == pytest.approx(estimate(other).certainty)


def test_a_small_blog_has_the_benefit_of_the_doubt() -> None:
    sizes = (0, SMALL_BLOG // 10, SMALL_BLOG, 2 * SMALL_BLOG)
    blogs = (replace(ENGLISH, characters=size) for size in sizes)
    smallest, small, usual, large = (estimate(REACHED, blog).certainty for blog in blogs)
    assert smallest > small > usual == large


@pytest.mark.parametrize(
    ("text", "notice"),
    [
        ("快取", FOREIGN_NOTICE),
        ("wie kann ich das einrichten", FOREIGN_NOTICE),
        ("как это настроить и что для этого нужно", FOREIGN_NOTICE),
        ("how do I set this up", NOTICE),
        ("RUSTUP_LOG", NOTICE),
    ],
)
def test_a_low_answer_to_another_language_says_to_ask_in_the_blogs(text: str, notice: str) -> None:
    assert estimate(reaching(0.0, 0.1, text)).notice == notice
    assert estimate(reaching(1.0, 0.9, text)).notice is None


def test_nothing_found_or_nothing_known_is_low_and_needs_no_notice() -> None:
    empty = RetrievalResult(REACHED.query, 0.0, 0.0, {}, 0.0, None, 0.0, 0.0)
    assert estimate(empty) == estimate(REACHED, None) == Confidence("low", 0.0)


@pytest.mark.parametrize(
    ("scores", "lead"),
    [([], 0.0), ([0.5], 0.5), ([0.25, 0.75, 0.5], 0.25), ([0.5, 0.5], 0.0)],
)
def test_the_lead_is_what_the_best_score_is_above_the_next(
    scores: list[float], lead: float
) -> None:
    assert measure_lead(scores) == lead


@given(
    st.builds(Calibration, *[st.floats(-5.0, 5.0)] * 2, st.floats(0.0, 1.0),
              *[st.floats(-1.0, 1.0)] * 3, *[st.just(1)] * 3)
)  # fmt: skip
def test_no_calibration_makes_a_certainty_of_0_or_1(blog: Calibration) -> None:
    """Not even one of a blog whose headings reach less than absent ones."""
    assert 0.0 < estimate(REACHED, blog).certainty < 1.0


def test_the_packaged_model_weighs_what_there_is() -> None:
    model = load_ranking_model.__wrapped__()
    assert set(model.ranking) == set(get_args(QueryKind))
    for weights in model.ranking.values():
        assert set(weights) == set(get_args(Feature))
        assert sum(weights.values()) > 0.0
    known = compute_confidence_features(REACHED, 0.1, ENGLISH)
    for logistic in (model.confidence, model.confidence_by_words):
        assert set(logistic.weights) <= set(known)
        assert 0.0 < logistic.low < logistic.high < 1.0
    assert "nearest" not in model.confidence_by_words.weights
