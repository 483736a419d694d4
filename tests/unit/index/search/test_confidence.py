"""Whether a blog has a subject: from what a query reaches, by how near it comes."""

from typing import get_args

import numpy as np
import pytest

from blog_search_mcp.index.search.confidence import (
    Confidence,
    compute_confidence_features,
    estimate_confidence,
)
from blog_search_mcp.index.search.ranking import Feature, QueryKind, load_ranking_model
from blog_search_mcp.index.search.retrieval import Candidates, Retrieval
from blog_search_mcp.index.text.query import Word, analyze_query

ONE, NUMBER = np.array([1]), np.array([0.5])

pytestmark = pytest.mark.usefixtures("round_model")


def reaching(found: float, nearness: float | None, text: str = "zebra") -> Retrieval:
    """What a query reaches whose best passage has so much of its words and is so near."""
    return Retrieval(
        query=analyze_query(text),
        coverage=found,
        meaning_weight=1.0,
        idf={Word("zebra", ("zebra",), 1.0): 4.0},
        max_idf=5.0,
        nearness=nearness,
        vector_count=1000,
        missing={},
        posts=Candidates(ONE, ONE, ONE, *[NUMBER] * 4),
    )


def estimate(retrieved: Retrieval) -> Confidence:
    return estimate_confidence(retrieved, 0.5, "en")


@pytest.mark.parametrize("nearness", [0.55, None])
def test_what_headings_reach_is_normal_and_what_absent_ones_do_is_low(
    nearness: float | None,
) -> None:
    near, sure, notice = estimate(reaching(1.0, nearness))
    far, unsure, told = estimate(reaching(0.0, None if nearness is None else 0.15))
    assert (near, notice, far, bool(told)) == ("normal", "", "low", True)
    assert estimate(reaching(1.0, nearness and 0.1))[0] == "normal"
    assert 0.0 < unsure < sure < 1.0


@pytest.mark.parametrize(
    ("text", "word", "said"),
    [
        ("快取是什麼", "normal", " en"),
        ("wie kann ich das einrichten", "normal", " en"),
        ("how do I set this up", "low", ""),
        ("RUSTUP_LOG", "low", ""),
    ],
)
def test_a_query_in_another_language_is_not_low_and_is_told_the_blogs(
    text: str, word: str, said: str
) -> None:
    far, _, notice = estimate(reaching(0.0, 0.1, text))
    assert far == word
    assert said in notice
    assert estimate(reaching(1.0, 0.9, text))[2] == ""


def test_the_packaged_model_weighs_what_there_is() -> None:
    model = load_ranking_model.__wrapped__()
    assert set(model.ranking) == set(get_args(QueryKind))
    assert {frozenset(weights) for weights in model.ranking.values()} == {
        frozenset(get_args(Feature))
    }
    weighed = compute_confidence_features(reaching(0.5, 0.35), 0.5)
    assert set(model.confidence.weights) <= set(weighed)
    assert set(model.confidence_by_words.weights) <= set(weighed) - {"score", "nearest"}
