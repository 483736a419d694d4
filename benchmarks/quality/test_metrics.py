"""Every metric against numbers worked by hand and against a second, naive implementation."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.quality.metrics import (
    auroc,
    contain_evidence,
    estimate_mean,
    first_rank,
    hit,
    ndcg,
    reciprocal_rank,
)
from benchmarks.quality.summary import (
    compare_fusion,
    group_by_kind,
    summarise_absence,
    summarise_retriever,
)
from benchmarks.quality.types import AbsenceRow, Estimate, FusionRow, Outcome, Query, Reading
from blog_search_mcp.index.search.ranking import Use

RANKED = st.permutations("abcdefghijkl")
ACCEPTABLE = st.sets(st.sampled_from("abcdefghijklmn"), min_size=1)
SCORES = st.lists(st.integers(0, 6).map(float), min_size=1, max_size=25)


def naive_gain(ranked: list[str], acceptable: set[str], cutoff: int) -> float:
    """nDCG over the whole list of gains."""
    gains = [float(item in acceptable) for item in ranked[:cutoff]]
    return dcg(gains) / dcg([1.0] * min(cutoff, len(acceptable)))


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


def test_the_rank_is_the_place_of_the_first_acceptable_post() -> None:
    assert first_rank(["a", "b", "c"], {"c", "b"}) == 2
    assert first_rank(["a", "b", "c"], {"d"}) is None
    assert first_rank([], {"d"}) is None


@pytest.mark.parametrize(
    ("rank", "hit_at_1", "hit_at_5", "reciprocal"),
    [
        (1, 1.0, 1.0, 1.0),
        (3, 0.0, 1.0, 1 / 3),
        (7, 0.0, 0.0, 1 / 7),
        (11, 0.0, 0.0, 0.0),
        (None, 0.0, 0.0, 0.0),
    ],
)
def test_metrics_of_a_rank_worked_by_hand(
    rank: int | None, hit_at_1: float, hit_at_5: float, reciprocal: float
) -> None:
    assert (hit(rank, 1), hit(rank, 5)) == (hit_at_1, hit_at_5)
    assert reciprocal_rank(rank, 10) == reciprocal


def test_a_gain_is_a_share_of_the_best_that_could_be() -> None:
    assert [ndcg([rank], 1, 10) for rank in (1, 3, 7, 11)] == [1.0, 0.5, 1 / 3, 0.0]
    assert ndcg([1, 3], 2, 10) == pytest.approx((1 + 0.5) / (1 + 1 / math.log2(3)))
    assert ndcg([], 4, 10) == 0.0


@given(RANKED, ACCEPTABLE, st.integers(1, 12))
def test_ranks_agree_with_lists_of_gains(
    ranked: list[str], acceptable: set[str], cutoff: int
) -> None:
    rank = first_rank(ranked, acceptable)
    ranks = [place for place, item in enumerate(ranked, 1) if item in acceptable]
    assert hit(rank, cutoff) == float(bool(acceptable & set(ranked[:cutoff])))
    assert reciprocal_rank(rank, cutoff) == naive_reciprocal(ranked, acceptable, cutoff)
    assert ndcg(ranks, len(acceptable), cutoff) == pytest.approx(
        naive_gain(ranked, acceptable, cutoff)
    )


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


def test_an_interval_holds_the_mean_and_has_the_width_that_theory_gives() -> None:
    found = estimate_mean([1.0] * 900 + [0.0] * 100)
    assert found.value == 0.9
    half_width = 1.96 * math.sqrt(0.9 * 0.1 / 1000)
    assert found.low == pytest.approx(0.9 - half_width, abs=0.002)
    assert found.high == pytest.approx(0.9 + half_width, abs=0.002)
    assert found == estimate_mean([1.0] * 900 + [0.0] * 100)


def test_equal_values_leave_no_doubt() -> None:
    assert estimate_mean([0.25] * 8) == Estimate(0.25, 0.25, 0.25)


def outcome(
    rank: int | None,
    certainty: float = 0.0,
    *,
    low: bool = False,
    reading: Reading | None = None,
) -> Outcome:
    gain = 0.0 if rank is None else 1 / math.log2(1 + rank)
    return Outcome(rank, gain, certainty, low, reading)


def test_a_row_sums_up_the_outcomes_of_a_retriever() -> None:
    outcomes = [
        outcome(1, reading=Reading(in_chunk=False, in_first=True, in_any=True, tokens=900)),
        outcome(
            3, low=True, reading=Reading(in_chunk=False, in_first=False, in_any=True, tokens=1100)
        ),
        outcome(7, low=True),
        outcome(None, low=True),
    ]
    row = summarise_retriever("question", Use.HYBRID, outcomes)
    assert (row.kind, row.retriever, row.queries) == ("question", "hybrid", 4)
    assert (row.hit_at_1, row.hit_at_5) == (1 / 4, 2 / 4)
    assert row.ndcg_at_10 == pytest.approx((1 + 1 / 2 + 1 / 3) / 4)
    assert row.mrr_at_10 == pytest.approx((1 + 1 / 3 + 1 / 7) / 4)
    assert (row.in_chunk, row.in_first, row.in_any) == (0.0, 1 / 2, 1.0)
    assert (row.tokens, row.false_low) == (1000, 1 / 2)


def test_what_nothing_is_known_of_stays_open() -> None:
    row = summarise_retriever("title", Use.DENSE, [outcome(None, low=True)])
    assert (row.in_chunk, row.in_first, row.in_any, row.tokens, row.false_low) == (None,) * 5


def test_a_query_counts_in_its_kind_and_in_each_part_of_it() -> None:
    queries = [Query("title", "RAG", "a.md", parts=("short", "card")), Query("title", "b", "b.md")]
    kinds = group_by_kind(queries, {Use.DENSE: [outcome(1), outcome(2)]})
    ranks = {kind: [each.rank for each in found[Use.DENSE]] for kind, found in kinds.items()}
    assert ranks == {"title": [1, 2], "title, short": [1], "title, card": [1]}


def test_fusion_is_compared_with_the_leg_of_the_higher_mean() -> None:
    outcomes = {
        Use.LEXICAL: [outcome(3), outcome(3)],
        Use.DENSE: [outcome(1), outcome(3)],
        Use.HYBRID: [outcome(3), outcome(3)],
    }
    row = compare_fusion("heading", outcomes)
    assert row == FusionRow("heading", "dense", Estimate(-0.25, -0.5, 0.0))


def test_absence_is_told_from_the_blogs_own_questions() -> None:
    kinds = {
        "heading": {Use.HYBRID: [outcome(1, 0.0)]},
        "question": {Use.HYBRID: [outcome(1, 0.9), outcome(1, 0.8)]},
        "question, other language": {Use.HYBRID: [outcome(1, 0.1)]},
    }
    absent = [outcome(None, 0.2, low=True), outcome(None, 0.85), outcome(None, 0.1, low=True)]
    [row] = summarise_absence(kinds, {"absent": {Use.HYBRID: absent}})
    assert row == AbsenceRow("absent", 3, 2 / 3, 5 / 6)
    [alone] = summarise_absence({}, {"absent": {Use.HYBRID: absent}})
    assert alone.auroc is None
