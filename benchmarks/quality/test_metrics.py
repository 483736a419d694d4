"""Every metric against numbers worked by hand and against a second, naive implementation."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.quality.metrics import (
    auroc,
    contain_evidence,
    group_by_kind,
    hit,
    ndcg,
    reciprocal_rank,
    summarise,
    summarise_absence,
)
from benchmarks.quality.types import AbsenceRow, Outcome, Query, Reading, Row

RANKS = st.sets(st.integers(1, 12))
SCORES = st.lists(st.integers(0, 6).map(float), min_size=1, max_size=25)


def discounted(gains: list[float]) -> float:
    return sum(gain * math.log(2) / math.log(place + 2) for place, gain in enumerate(gains))


@pytest.mark.parametrize(
    ("rank", "hit_at_1", "hit_at_5", "reciprocal", "gain"),
    [
        (1, 1.0, 1.0, 1.0, 1.0),
        (3, 0.0, 1.0, 1 / 3, 1 / 2),
        (7, 0.0, 0.0, 1 / 7, 1 / 3),
        (11, 0.0, 0.0, 0.0, 0.0),
        (None, 0.0, 0.0, 0.0, 0.0),
    ],
)
def test_metrics_of_a_rank_worked_by_hand(
    rank: int | None, hit_at_1: float, hit_at_5: float, reciprocal: float, gain: float
) -> None:
    assert (hit(rank, 1), hit(rank, 5), reciprocal_rank(rank, 10)) == (
        *(hit_at_1, hit_at_5),
        reciprocal,
    )
    assert ndcg([rank] if rank else [], 1, 10) == gain


@given(RANKS, st.integers(0, 3), st.integers(1, 12))
def test_a_gain_is_a_share_of_the_best_that_could_be(
    ranks: set[int], missing: int, cutoff: int
) -> None:
    wanted = max(1, len(ranks) + missing)
    gains = [float(rank in ranks) for rank in range(1, cutoff + 1)]
    best = discounted([1.0] * min(cutoff, wanted))
    assert ndcg(ranks, wanted, cutoff) == pytest.approx(discounted(gains) / best)


@pytest.mark.parametrize(
    ("texts", "evidence", "contained"),
    [
        (["no", "it was\n  released in\tMay"], " released\nin May ", True),
        (["it was released", "in May"], "released in May", False),
        ([], "released", False),
    ],
)
def test_evidence_is_found_however_its_lines_are_broken_and_only_in_one_piece(
    texts: list[str], evidence: str, contained: bool
) -> None:
    assert contain_evidence(texts, evidence) is contained


@given(SCORES, SCORES)
def test_auroc_is_the_odds_of_a_pair_in_order(
    positives: list[float], negatives: list[float]
) -> None:
    points = [
        1.0 if positive > negative else 0.5 if positive == negative else 0.0
        for positive in positives
        for negative in negatives
    ]
    assert auroc(positives, negatives) == pytest.approx(sum(points) / len(points))


def outcome(
    rank: int | None, certainty: float = 0.0, low: bool = False, reading: Reading | None = None
) -> Outcome:
    return Outcome(rank, 1 / math.log2(1 + rank) if rank else 0.0, certainty, low, reading)


def test_a_row_sums_up_the_outcomes_of_a_kind() -> None:
    outcomes = [
        outcome(1, reading=Reading(in_chunk=False, in_first=True, in_any=True, tokens=900)),
        outcome(3, 0, True, Reading(in_chunk=False, in_first=False, in_any=True, tokens=1100)),
        outcome(7, low=True),
        outcome(None, low=True),
    ]
    row = summarise("question", outcomes)
    gain, shares = (1 + 1 / 2 + 1 / 3) / 4, (0.0, 1 / 2, 1.0, 1000, 1 / 2)
    assert row.mrr_at_10 == pytest.approx((1 + 1 / 3 + 1 / 7) / 4)
    assert row == Row("question", 4, 1 / 4, 2 / 4, gain, row.mrr_at_10, *shares)
    nothing = summarise("title", [outcome(None, low=True)])
    assert nothing == Row("title", 1, 0.0, 0.0, 0.0, 0.0, *(None,) * 5)


def test_a_query_counts_in_its_kind_and_in_each_part_of_it() -> None:
    queries = [Query("title", "RAG", "a.md", parts=("short", "card")), Query("title", "b", "b.md")]
    kinds = group_by_kind(queries, [outcome(1), outcome(2)])
    ranks = {kind: [each.rank for each in found] for kind, found in kinds.items()}
    assert ranks == {"title": [1, 2], "title, short": [1], "title, card": [1]}


def test_absence_is_told_from_the_blogs_own_questions() -> None:
    kinds = {
        "heading": [outcome(1, 0.0)],
        "question": [outcome(1, 0.9), outcome(1, 0.8)],
        "question, other language": [outcome(1, 0.1)],
    }
    absent = [outcome(None, 0.2, low=True), outcome(None, 0.85), outcome(None, 0.1, low=True)]
    [row] = summarise_absence(kinds, {"absent": absent})
    assert row == AbsenceRow("absent", 3, 2 / 3, 5 / 6)
    [alone] = summarise_absence({}, {"absent": absent})
    assert alone.auroc is None
