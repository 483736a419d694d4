"""Every metric against numbers worked by hand and against a second, naive implementation."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.quality.bm25 import index_texts
from benchmarks.quality.metrics import (
    RESAMPLES,
    auroc,
    contain_evidence,
    estimate_auroc,
    estimate_mean,
    first_rank,
    hit,
    ndcg,
    reciprocal_rank,
    recognised_share,
)
from benchmarks.quality.summary import compare_fusion, compare_off_topic, summarise_retriever
from benchmarks.quality.types import Estimate, FusionRow, Outcome
from blog_search_mcp.index.search.ranking import Use

RANKED = st.permutations("abcdefghijkl")
ACCEPTABLE = st.sets(st.sampled_from("abcdefghijklmn"), min_size=1)
SCORES = st.lists(st.integers(0, 6).map(float), min_size=1, max_size=25)


def naive_gain(ranked: list[str], acceptable: set[str], cutoff: int) -> float:
    """nDCG over the whole list of gains; only the first acceptable post has one."""
    gains, found = [], False
    for item in ranked[:cutoff]:
        gains.append(1.0 if item in acceptable and not found else 0.0)
        found = found or item in acceptable
    ideal = sorted([1.0] + [0.0] * (cutoff - 1), reverse=True)
    return dcg(gains) / dcg(ideal)


def dcg(gains: list[float]) -> float:
    return sum(gain * math.log(2) / math.log(place + 2) for place, gain in enumerate(gains))


def naive_reciprocal(ranked: list[str], acceptable: set[str], cutoff: int) -> float:
    return max((1 / (ranked.index(a) + 1) for a in acceptable & set(ranked[:cutoff])), default=0)


def naive_auroc(positives: list[float], negatives: list[float]) -> float:
    points = 0.0
    for positive in positives:
        for negative in negatives:
            points += 1.0 if positive > negative else 0.5 if positive == negative else 0.0
    return points / (len(positives) * len(negatives))


def naive_bm25(texts: dict[str, list[str]], query: list[str]) -> dict[str, float]:
    mean = sum(len(words) for words in texts.values()) / len(texts)
    scores = {}
    for source, words in texts.items():
        score = 0.0
        for term in query:
            holders = sum(term in other for other in texts.values())
            rarity = math.log(1 + (len(texts) - holders + 0.5) / (holders + 0.5))
            times = words.count(term)
            score += rarity * times * 2.2 / (times + 1.2 * (0.25 + 0.75 * len(words) / mean))
        if score:
            scores[source] = score
    return scores


def test_the_rank_is_the_place_of_the_first_acceptable_post() -> None:
    assert first_rank(["a", "b", "c"], {"c", "b"}) == 2
    assert first_rank(["a", "b", "c"], {"d"}) is None
    assert first_rank([], {"d"}) is None


@pytest.mark.parametrize(
    ("rank", "hit_at_1", "hit_at_5", "reciprocal", "gain"),
    [
        (1, 1.0, 1.0, 1.0, 1.0),
        (3, 0.0, 1.0, 1 / 3, 0.5),
        (7, 0.0, 0.0, 1 / 7, 1 / 3),
        (11, 0.0, 0.0, 0.0, 0.0),
        (None, 0.0, 0.0, 0.0, 0.0),
    ],
)
def test_metrics_of_a_rank_worked_by_hand(
    rank: int | None, hit_at_1: float, hit_at_5: float, reciprocal: float, gain: float
) -> None:
    assert (hit(rank, 1), hit(rank, 5)) == (hit_at_1, hit_at_5)
    assert (reciprocal_rank(rank, 10), ndcg(rank, 10)) == (reciprocal, gain)


@given(RANKED, ACCEPTABLE, st.integers(1, 12))
def test_ranks_agree_with_lists_of_gains(
    ranked: list[str], acceptable: set[str], cutoff: int
) -> None:
    rank = first_rank(ranked, acceptable)
    assert hit(rank, cutoff) == float(bool(acceptable & set(ranked[:cutoff])))
    assert reciprocal_rank(rank, cutoff) == naive_reciprocal(ranked, acceptable, cutoff)
    assert ndcg(rank, cutoff) == pytest.approx(naive_gain(ranked, acceptable, cutoff))


def test_evidence_is_found_however_its_lines_are_broken_and_only_in_one_piece() -> None:
    assert contain_evidence(["no", "it was\n  released in\tMay"], " released\nin May ")
    assert not contain_evidence(["it was released", "in May"], "released in May")
    assert not contain_evidence([], "released")


def test_auroc_worked_by_hand() -> None:
    assert auroc([3.0, 2.0], [1.0, 0.0]) == 1.0
    assert auroc([1.0], [2.0]) == 0.0
    assert auroc([0.9, 0.4], [0.4, 0.1, 0.6]) == 4.5 / 6


@given(SCORES, SCORES)
def test_auroc_is_the_odds_of_a_pair_in_order(
    positives: list[float], negatives: list[float]
) -> None:
    assert auroc(positives, negatives) == pytest.approx(naive_auroc(positives, negatives))


def test_recognised_is_what_lies_below_the_score_that_19_of_20_reach() -> None:
    on_topic = [0.1, *(0.5 + place / 100 for place in range(19))]
    assert recognised_share(on_topic, [0.05, 0.2, 0.49, 0.5, 0.7]) == 3 / 5
    assert recognised_share([0.3, 0.9], [0.2, 0.3]) == 1 / 2


@given(SCORES, SCORES)
def test_recognised_never_costs_more_than_a_twentieth_of_the_on_topic(
    on_topic: list[float], off_topic: list[float]
) -> None:
    share = recognised_share(on_topic, off_topic)
    thresholds = [t for t in on_topic if sum(s >= t for s in on_topic) >= 0.95 * len(on_topic)]
    assert share == sum(score < max(thresholds) for score in off_topic) / len(off_topic)


def test_an_interval_holds_the_mean_and_has_the_width_that_theory_gives() -> None:
    found = estimate_mean([1.0] * 900 + [0.0] * 100)
    assert found.value == 0.9
    half_width = 1.96 * math.sqrt(0.9 * 0.1 / 1000)
    assert found.low == pytest.approx(0.9 - half_width, abs=0.002)
    assert found.high == pytest.approx(0.9 + half_width, abs=0.002)
    assert found == estimate_mean([1.0] * 900 + [0.0] * 100)


def test_equal_values_leave_no_doubt() -> None:
    assert estimate_mean([0.25] * 8) == Estimate(0.25, 0.25, 0.25)
    assert estimate_auroc([2.0, 3.0], [1.0]) == Estimate(1.0, 1.0, 1.0)


def test_the_interval_of_an_auroc_is_that_of_resampled_pairs() -> None:
    found = estimate_auroc([0.9, 0.8, 0.4, 0.3], [0.5, 0.2])
    assert RESAMPLES >= 1000
    assert found.value == 0.75
    assert 0.0 <= found.low < 0.75 < found.high <= 1.0


def outcome(rank: int | None, *, hits: int = 10, evidence: bool | None = None) -> Outcome:
    return Outcome(rank, hits, evidence, confidence=0.0)


def test_a_row_sums_up_the_outcomes_of_a_leg() -> None:
    outcomes = [outcome(1, evidence=True), outcome(3, evidence=False), outcome(None, hits=0)]
    row = summarise_retriever("title", Use.DENSE, outcomes)
    assert (row.kind, row.retriever, row.queries, row.zero_results) == ("title", "dense", 3, 1)
    assert row.hit_at_1.value == pytest.approx(1 / 3)
    assert row.hit_at_5.value == pytest.approx(2 / 3)
    assert row.mrr_at_10.value == pytest.approx((1 + 1 / 3) / 3)
    assert row.ndcg_at_10.value == pytest.approx((1 + 0.5) / 3)
    assert row.evidence is not None
    assert row.evidence.value == 0.5
    assert summarise_retriever("title", Use.DENSE, outcomes[2:]).evidence is None


def test_fusion_is_compared_with_the_leg_of_the_higher_mean() -> None:
    outcomes = {
        Use.LEXICAL: [outcome(3), outcome(3)],
        Use.DENSE: [outcome(1), outcome(3)],
        Use.HYBRID: [outcome(3), outcome(3)],
    }
    row = compare_fusion("heading", outcomes)
    assert row == FusionRow("heading", "dense", Estimate(-0.25, -0.5, 0.0))


def test_off_topic_is_told_by_confidence_alone() -> None:
    on = [Outcome(None, 10, None, confidence) for confidence in (0.9, 0.8)]
    off = [Outcome(1, 10, None, confidence) for confidence in (0.2, 0.85, 0.1)]
    row = compare_off_topic("title", on, off)
    assert (row.on_topic, row.off_topic, row.recognised) == (2, 3, 2 / 3)
    assert row.auroc.value == pytest.approx(5 / 6)


def test_the_floor_scores_whole_posts_as_bm25_does() -> None:
    texts = {"a.md": "cat cat dog", "b.md": "dog", "c.md": "fish and a dog and a bird"}
    floor = index_texts(texts, str.split)
    assert floor.search("cat", 5) == ["a.md"]
    assert floor.search("dog", 5) == ["b.md", "a.md", "c.md"]
    assert floor.search("whale", 5) == []
    assert floor.search("cat dog bird", 2) == ["a.md", "c.md"]


@given(
    st.dictionaries(
        st.sampled_from("pqrs"), st.lists(st.sampled_from("xyz"), min_size=1), min_size=1
    ),
    st.lists(st.sampled_from("xyzw"), max_size=4),
)
def test_the_floor_agrees_with_bm25_written_out(
    texts: dict[str, list[str]], query: list[str]
) -> None:
    scores = naive_bm25(texts, query)
    floor = index_texts({source: " ".join(words) for source, words in texts.items()}, str.split)
    found = floor.search(" ".join(query), 10)
    assert set(found) == set(scores)
    for better, worse in pairwise(found):
        assert scores[better] >= scores[worse] - 1e-12
