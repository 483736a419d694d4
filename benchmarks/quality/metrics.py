"""Metrics of ranks and scores, and what they sum up to: one row for a kind of query.

Relevance is binary, so a ranking is the ranks of its acceptable posts.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean, median

import numpy as np

from benchmarks.quality.types import AbsenceRow, Outcome, Query, Row
from blog_search_mcp.server.settings import TOP_K_DEFAULT

DEPTH = 10
"""Posts per query, as deep as any metric looks."""

READ = TOP_K_DEFAULT
"""Hits that are read for evidence: what an assistant gets by default."""


def hit(rank: int | None, cutoff: int) -> float:
    """1 if the rank is among the first `cutoff`, else 0."""
    return float(rank is not None and rank <= cutoff)


def reciprocal_rank(rank: int | None, cutoff: int) -> float:
    """1 / rank within the cutoff, else 0."""
    return 1 / rank if rank is not None and rank <= cutoff else 0.0


def ndcg(ranks: Iterable[int], wanted: int, cutoff: int) -> float:
    """Return the gain of these ranks, 1 / log2(1 + rank) each within the cutoff, in [0, 1].

    Of the gain that `wanted` posts at the first ranks have.
    """
    gain = sum(1 / math.log2(1 + rank) for rank in ranks if rank <= cutoff)
    return gain / sum(1 / math.log2(1 + rank) for rank in range(1, min(wanted, cutoff) + 1))


def contain_evidence(texts: Iterable[str], evidence: str) -> bool:
    """Whether a text contains the evidence, however lines and spaces are laid out."""
    wanted = " ".join(evidence.split())
    return any(wanted in " ".join(text.split()) for text in texts)


def auroc(positives: Sequence[float], negatives: Sequence[float]) -> float:
    """Return the probability that a positive scores above a negative; a tie counts half.

    By ranks (Mann and Whitney): the sum of the positives' ranks among all, ties sharing
    their mean rank, less the least that sum can be. Neither may be empty.
    """
    scores = np.concatenate([np.asarray(positives, float), np.asarray(negatives, float)])
    _, inverse, counts = np.unique(scores, return_inverse=True, return_counts=True)
    places = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    own = len(positives) * (len(positives) + 1) / 2
    above = float(places[: len(positives)].sum()) - own
    return above / (len(positives) * len(negatives))


def group_by_kind(
    queries: Sequence[Query], outcomes: Sequence[Outcome]
) -> Mapping[str, Sequence[Outcome]]:
    """Group outcomes by the rows that their query counts in, in the order of first appearance."""
    kinds = defaultdict[str, list[Outcome]](list)
    for query, outcome in zip(queries, outcomes, strict=True):
        for kind in query.rows:
            kinds[kind].append(outcome)
    return kinds


def summarise(kind: str, outcomes: Sequence[Outcome]) -> Row:
    """Compute the metrics of outcomes, at least one."""
    ranks = [outcome.rank for outcome in outcomes]
    readings = [outcome.reading for outcome in outcomes if outcome.reading is not None]
    return Row(
        kind=kind,
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


def summarise_absence(
    kinds: Mapping[str, Sequence[Outcome]], unanswered: Mapping[str, Sequence[Outcome]]
) -> Iterator[AbsenceRow]:
    """Compare each kind of query that the blog does not answer with the questions it does."""
    asked = [kind for kind in kinds if kind.startswith("question") and "," not in kind]
    own = [outcome.certainty for kind in asked or ["heading"] for outcome in kinds.get(kind, ())]
    for kind, outcomes in unanswered.items():
        yield AbsenceRow(
            kind=kind,
            queries=len(outcomes),
            low=fmean(outcome.is_low for outcome in outcomes),
            auroc=auroc(own, [outcome.certainty for outcome in outcomes]) if own else None,
        )


def _mean(values: Iterable[bool]) -> float | None:
    known = list(values)
    return fmean(known) if known else None
