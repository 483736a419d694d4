"""Outcomes in, rows of numbers with intervals out: pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean

from benchmarks.bootstrap import estimate_auroc, estimate_mean
from benchmarks.metrics import hit, ndcg, reciprocal_rank, recognised
from benchmarks.run import DEPTH, LEGS, Outcomes
from benchmarks.types import FusionRow, LegRow, OffTopicRow, Outcome, Query
from blog_search_mcp.index.search.ranking import Use

ByKind = Mapping[str, Outcomes]


def by_kind(queries: Sequence[Query], outcomes: Outcomes) -> ByKind:
    """The outcomes of each kind of query, kinds in the order in which they first come."""
    kinds: dict[str, dict[Use, list[Outcome]]] = {}
    for use in outcomes:
        for query, outcome in zip(queries, outcomes[use], strict=True):
            kinds.setdefault(query.kind, defaultdict(list))[use].append(outcome)
    return kinds


def leg_rows(kinds: ByKind) -> tuple[LegRow, ...]:
    """One row for each kind and leg."""
    return tuple(leg_row(kind, use, kinds[kind][use]) for kind in kinds for use in LEGS)


def leg_row(kind: str, use: Use, outcomes: Sequence[Outcome]) -> LegRow:
    """The metrics of one leg's outcomes, at least one."""
    ranks = [outcome.rank for outcome in outcomes]
    evidence = [float(outcome.evidence) for outcome in outcomes if outcome.evidence is not None]
    return LegRow(
        kind=kind,
        leg=use.value,
        queries=len(outcomes),
        zero_results=sum(not outcome.hits for outcome in outcomes),
        hit_at_1=estimate_mean([hit(rank, 1) for rank in ranks]),
        hit_at_5=estimate_mean([hit(rank, 5) for rank in ranks]),
        mrr_at_10=estimate_mean([reciprocal_rank(rank, DEPTH) for rank in ranks]),
        ndcg_at_10=estimate_mean(_gains(outcomes)),
        evidence=estimate_mean(evidence) if evidence else None,
    )


def fusion_rows(kinds: ByKind) -> tuple[FusionRow, ...]:
    """Hybrid against whichever single leg has the higher mean, for each kind."""
    return tuple(fusion_row(kind, kinds[kind]) for kind in kinds)


def fusion_row(kind: str, outcomes: Outcomes) -> FusionRow:
    """The paired difference in nDCG@10; the lexical leg counts as better where both are equal."""
    better = max((Use.LEXICAL, Use.DENSE), key=lambda use: fmean(_gains(outcomes[use])))
    pairs = zip(_gains(outcomes[Use.HYBRID]), _gains(outcomes[better]), strict=True)
    return FusionRow(
        kind, better.value, estimate_mean([hybrid - single for hybrid, single in pairs])
    )


def off_topic_rows(
    kinds: ByKind, off_topic: Mapping[str, Sequence[Outcome]]
) -> tuple[OffTopicRow, ...]:
    """Each kind against the other blog's queries of that kind, or against all where it has none."""
    everything = [outcome for outcomes in off_topic.values() for outcome in outcomes]
    return tuple(
        off_topic_row(kind, kinds[kind][Use.HYBRID], off_topic.get(kind) or everything)
        for kind in kinds
    )


def off_topic_row(kind: str, on: Sequence[Outcome], off: Sequence[Outcome]) -> OffTopicRow:
    """How well confidence tells `on` from `off`; neither may be empty."""
    inside = [outcome.confidence for outcome in on]
    outside = [outcome.confidence for outcome in off]
    return OffTopicRow(
        kind=kind,
        on_topic=len(inside),
        off_topic=len(outside),
        auroc=estimate_auroc(inside, outside),
        recognised=recognised(inside, outside),
        low_on_topic=fmean(outcome.is_low for outcome in on),
        low_off_topic=fmean(outcome.is_low for outcome in off),
    )


def _gains(outcomes: Sequence[Outcome]) -> list[float]:
    return [ndcg(outcome.rank, DEPTH) for outcome in outcomes]
