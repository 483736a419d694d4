"""Sum up outcomes as rows of metrics."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean, median

from benchmarks.quality.metrics import auroc, estimate_mean, hit, reciprocal_rank
from benchmarks.quality.search import DEPTH, READ, RETRIEVERS, Outcomes
from benchmarks.quality.types import AbsenceRow, FusionRow, Outcome, Query, Row
from blog_search_mcp.index.search.ranking import Use

ByKind = Mapping[str, Outcomes]


def group_by_kind(queries: Sequence[Query], outcomes: Outcomes) -> ByKind:
    """Group outcomes by the rows that their query counts in, in the order of first appearance."""
    kinds: dict[str, dict[Use, list[Outcome]]] = {}
    for use in outcomes:
        for query, outcome in zip(queries, outcomes[use], strict=True):
            for kind in query.rows:
                kinds.setdefault(kind, defaultdict(list))[use].append(outcome)
    return kinds


def summarise_retrievers(kinds: ByKind) -> tuple[Row, ...]:
    """Return one row per kind and retriever."""
    return tuple(
        summarise_retriever(kind, use, kinds[kind][use]) for kind in kinds for use in RETRIEVERS
    )


def summarise_retriever(kind: str, use: Use, outcomes: Sequence[Outcome]) -> Row:
    """Compute the metrics of one retriever's outcomes, at least one."""
    ranks = [outcome.rank for outcome in outcomes]
    readings = [outcome.reading for outcome in outcomes if outcome.reading is not None]
    return Row(
        kind=kind,
        retriever=use.value,
        queries=len(outcomes),
        hit_at_1=fmean(hit(rank, 1) for rank in ranks),
        hit_at_5=fmean(hit(rank, READ) for rank in ranks),
        ndcg_at_10=fmean(outcome.gain for outcome in outcomes),
        mrr_at_10=fmean(reciprocal_rank(rank, DEPTH) for rank in ranks),
        in_chunk=_mean(reading.in_chunk for reading in readings),
        in_first=_mean(reading.in_first for reading in readings),
        in_any=_mean(reading.in_any for reading in readings),
        tokens=median(reading.tokens for reading in readings) if readings else None,
        false_low=_mean(outcome.is_low for outcome in outcomes if hit(outcome.rank, READ)),
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


def summarise_absence(kinds: ByKind, unanswered: ByKind) -> Iterator[AbsenceRow]:
    """Compare each kind of query that the blog does not answer with the questions that it does."""
    asked = [kind for kind in kinds if kind.startswith("question") and "," not in kind]
    own = [
        outcome.certainty
        for kind in asked or ["heading"]
        if kind in kinds
        for outcome in kinds[kind][Use.HYBRID]
    ]
    for kind, outcomes in unanswered.items():
        found = outcomes[Use.HYBRID]
        yield AbsenceRow(
            kind=kind,
            queries=len(found),
            low=fmean(outcome.is_low for outcome in found),
            auroc=auroc(own, [outcome.certainty for outcome in found]) if own else None,
        )


def _gains(outcomes: Sequence[Outcome]) -> list[float]:
    return [outcome.gain for outcome in outcomes]


def _mean(values: Iterable[bool]) -> float | None:
    known = list(values)
    return fmean(known) if known else None
