"""The packaged model, whatever its numbers are, and what a logistic model makes of features."""

from __future__ import annotations

import math
from typing import get_args

import pytest
from pydantic import ValidationError

from blog_search_mcp.index.analysis.query import analyse_query
from blog_search_mcp.index.search.confidence import compute_confidence_features
from blog_search_mcp.index.search.ranking import (
    LogisticModel,
    QueryKind,
    RankingModel,
    load_ranking_model,
)
from blog_search_mcp.index.search.retrieval import RetrievalResult
from blog_search_mcp.index.types import Calibration, Feature
from tests.support.columns import columns
from tests.support.models import MODEL

LOGISTIC = LogisticModel(bias=-1.0, weights={"a": 2.0, "b": -3.0}, low=0.3, high=0.6)


def test_the_packaged_model_ranks_every_kind_of_query_by_every_feature() -> None:
    ranking = load_ranking_model().ranking
    assert set(ranking) == set(get_args(QueryKind))
    for weights in ranking.values():
        assert set(weights) == set(get_args(Feature))
        assert all(weight >= 0.0 for weight in weights.values())
        assert sum(weights.values()) > 0.0


def test_the_packaged_model_weighs_features_that_there_are_and_cuts_low_below_high() -> None:
    packaged = load_ranking_model()
    nothing = RetrievalResult(columns({}), 0.0, 0.0, {}, 0.0, None, 0.0, 0.0)
    blog = Calibration(1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0, 0, -1)
    known = compute_confidence_features(analyse_query(""), nothing, 0.0, blog)
    for logistic in (packaged.confidence, packaged.confidence_by_words):
        assert set(logistic.weights) <= set(known)
        assert 0.0 < logistic.low < logistic.high < 1.0
    assert not {"nearest", "matching"} & set(packaged.confidence_by_words.weights)


def test_the_probability_is_the_logistic_of_bias_and_weighted_features() -> None:
    found = LOGISTIC.probability({"a": 1.5, "b": 0.5, "unused": 9.0})
    assert found == pytest.approx(1.0 / (1.0 + math.exp(-0.5)))
    assert LOGISTIC.probability({"a": 0.5, "b": 0.0}) == 0.5


@pytest.mark.parametrize("extreme", [-1e9, 1e9])
def test_no_feature_is_too_large_for_a_probability(extreme: float) -> None:
    assert 0.0 < LOGISTIC.probability({"a": extreme, "b": 0.0}) <= 1.0


@pytest.mark.parametrize(
    "change",
    [
        {"ranking": {"poem": {}}},
        {"ranking": {"short": {"rhyme": 1.0}}},
        {"ranking": {"short": {"passage": -1.0}}},
        {"surprise": 1},
    ],
)
def test_a_model_with_anything_unknown_or_negative_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        RankingModel.model_validate(MODEL.model_dump() | change)
