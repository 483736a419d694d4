"""Ask the queries of a kind, judge what a user would get, and sum up: one row for each kind.

Relevance is binary, so a ranking is the ranks of its right posts.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from benchmarks.quality.blogs import JUDGED
from benchmarks.quality.queries import Query
from blog_search_mcp import BlogIndex, Hit

DEPTH, READ = 10, 5
"""Posts per query, as deep as nDCG looks; hits that are read: what an assistant gets by default."""

PASSAGES = 3
"""Hits that one post may have, at most: of a judged collection so many times DEPTH are asked for,
since every post counts once there."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one query returned."""

    rank: float
    """Of the first right post among the hits, from 1; infinite if it is not there."""
    gain: float
    """nDCG@10."""
    is_low: bool
    """Whether the answer has low confidence."""
    in_first: bool | None = None
    """Whether `read_chunk` of the first hit shows the evidence; `None` if the query has none."""
    in_any: bool | None = None
    """Whether that of one of the first five does."""


@dataclass(frozen=True, slots=True)
class Row:
    """Shares of the queries of one kind; `None` where the kind has nothing to say."""

    kind: str
    queries: int
    hit_at_1: float | None
    hit_at_5: float | None
    ndcg_at_10: float | None
    in_first: float | None
    in_any: float | None
    low: float | None
    """Share with low confidence: of those whose post is among the first five, or, of a kind that
    the blog does not answer, of all."""


def measure(index: BlogIndex, queries: Iterable[Query]) -> list[Row]:
    """Ask every query; a row a kind, in the order of first appearance."""
    outcomes, answered = defaultdict[str, list[Outcome]](list), dict[str, bool]()
    for query in queries:
        outcomes[query.kind].append(ask(index, query))
        answered[query.kind] = bool(query.right)
    return [summarise(kind, outcomes[kind], is_answered=answered[kind]) for kind in outcomes]


def ask(index: BlogIndex, query: Query) -> Outcome:
    """Search for one query and read its hits. Raises BlogSearchError."""
    is_judged = query.kind == JUDGED
    answer = index.search(query.text, limit=DEPTH * (PASSAGES if is_judged else 1))
    sources = [_count_as(hit, query) for hit in answer.hits]
    if is_judged:
        sources = list(dict.fromkeys(sources))[:DEPTH]
    ranks = [rank for rank, source in enumerate(sources, 1) if source in query.right]
    gain = ndcg(ranks, len(query.right)) if is_judged else ndcg(ranks[:1], 1)
    rank, is_low = min(ranks, default=math.inf), answer.confidence == "low"
    if not query.evidence:
        return Outcome(rank, gain, is_low)
    shown = [_shows(index, hit, query.evidence) for hit in answer.hits[:READ]]
    return Outcome(rank, gain, is_low, any(shown[:1]), any(shown))


def _count_as(hit: Hit, query: Query) -> str:
    """Return the source a hit counts as: the wanted one, if it or a translation of it is that."""
    sources = (hit.post.source, *(source for _, source in hit.translations))
    return next((source for source in sources if source in query.right), sources[0])


def _shows(index: BlogIndex, hit: Hit, evidence: str) -> bool:
    """Whether the page around a hit contains the evidence, however lines are laid out."""
    chunks = index.read(hit.post.source, hit.chunk.index).chunks
    return " ".join(evidence.split()) in " ".join(" ".join(chunk.text for chunk in chunks).split())


def ndcg(ranks: Iterable[int], wanted: int) -> float:
    """Return the gain of these ranks, 1 / log2(1 + rank) each within DEPTH, in [0, 1].

    Of the gain that `wanted` posts at the first ranks have.
    """
    gain = sum(1 / math.log2(1 + rank) for rank in ranks if rank <= DEPTH)
    return gain / sum(1 / math.log2(1 + rank) for rank in range(1, min(wanted, DEPTH) + 1))


def summarise(kind: str, outcomes: Sequence[Outcome], *, is_answered: bool) -> Row:
    """Compute the shares of outcomes, at least one."""
    if not is_answered:
        low = fmean(outcome.is_low for outcome in outcomes)
        return Row(kind, len(outcomes), None, None, None, None, None, low)
    return Row(
        kind=kind,
        queries=len(outcomes),
        hit_at_1=fmean(outcome.rank <= 1 for outcome in outcomes),
        hit_at_5=fmean(outcome.rank <= READ for outcome in outcomes),
        ndcg_at_10=fmean(outcome.gain for outcome in outcomes),
        in_first=_mean(outcome.in_first for outcome in outcomes),
        in_any=_mean(outcome.in_any for outcome in outcomes),
        low=_mean(outcome.is_low for outcome in outcomes if outcome.rank <= READ),
    )


def _mean(values: Iterable[bool | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None
