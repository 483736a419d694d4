"""Sum up outcomes as rows of metrics with intervals."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean

from benchmarks.quality.metrics import (
    estimate_auroc,
    estimate_mean,
    hit,
    ndcg,
    reciprocal_rank,
    recognised_share,
)
from benchmarks.quality.search import DEPTH, RETRIEVERS, Outcomes
from benchmarks.quality.types import FusionRow, OffTopicRow, Outcome, Query, RetrieverRow
from blog_search_mcp.index.search.ranking import Use

ByKind = Mapping[str, Outcomes]


def group_by_kind(queries: Sequence[Query], outcomes: Outcomes) -> ByKind:
    """Group outcomes by the kind of their query, kinds in the order of first appearance."""
    kinds: dict[str, dict[Use, list[Outcome]]] = {}
    for use in outcomes:
        for query, outcome in zip(queries, outcomes[use], strict=True):
            kinds.setdefault(query.kind, defaultdict(list))[use].append(outcome)
    return kinds


def summarise_retrievers(kinds: ByKind) -> tuple[RetrieverRow, ...]:
    """Return one row per kind and retriever."""
    return tuple(
        summarise_retriever(kind, use, kinds[kind][use]) for kind in kinds for use in RETRIEVERS
    )


def summarise_retriever(kind: str, use: Use, outcomes: Sequence[Outcome]) -> RetrieverRow:
    """Compute the metrics of one retriever's outcomes, at least one."""
    ranks = [outcome.rank for outcome in outcomes]
    evidence = [float(outcome.evidence) for outcome in outcomes if outcome.evidence is not None]
    return RetrieverRow(
        kind=kind,
        retriever=use.value,
        queries=len(outcomes),
        zero_results=sum(not outcome.hits for outcome in outcomes),
        hit_at_1=estimate_mean([hit(rank, 1) for rank in ranks]),
        hit_at_5=estimate_mean([hit(rank, 5) for rank in ranks]),
        mrr_at_10=estimate_mean([reciprocal_rank(rank, DEPTH) for rank in ranks]),
        ndcg_at_10=estimate_mean(_gains(outcomes)),
        evidence=estimate_mean(evidence) if evidence else None,
    )


def summarise_fusion(kinds: ByKind) -> tuple[FusionRow, ...]:
    """Compare hybrid with the better single retriever, for each kind."""
    return tuple(compare_fusion(kind, kinds[kind]) for kind in kinds)


def compare_fusion(kind: str, outcomes: Outcomes) -> FusionRow:
    """Return the paired difference in nDCG@10; where both are equal, lexical is the better."""
    better = max((Use.LEXICAL, Use.DENSE), key=lambda use: fmean(_gains(outcomes[use])))
    pairs = zip(_gains(outcomes[Use.HYBRID]), _gains(outcomes[better]), strict=True)
    return FusionRow(
        kind, better.value, estimate_mean([hybrid - single for hybrid, single in pairs])
    )


def summarise_off_topic(kinds: ByKind, off_topic: ByKind) -> tuple[OffTopicRow, ...]:
    """Compare each kind with the other blog's queries of that kind, or with all if it has none."""
    everything = [outcome for kind in off_topic.values() for outcome in kind[Use.HYBRID]]
    return tuple(
        compare_off_topic(
            kind,
            kinds[kind][Use.HYBRID],
            off_topic[kind][Use.HYBRID] if kind in off_topic else everything,
        )
        for kind in kinds
    )


def compare_off_topic(kind: str, on: Sequence[Outcome], off: Sequence[Outcome]) -> OffTopicRow:
    """Measure how well confidence separates `on` from `off`; neither may be empty."""
    inside = [outcome.confidence for outcome in on]
    outside = [outcome.confidence for outcome in off]
    return OffTopicRow(
        kind=kind,
        on_topic=len(inside),
        off_topic=len(outside),
        auroc=estimate_auroc(inside, outside),
        recognised=recognised_share(inside, outside),
        low_on_topic=fmean(outcome.is_low for outcome in on),
        low_off_topic=fmean(outcome.is_low for outcome in off),
    )


def _gains(outcomes: Sequence[Outcome]) -> list[float]:
    return [ndcg(outcome.rank, DEPTH) for outcome in outcomes]
