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
from benchmarks.quality.queries import Query, fold
from blog_search_mcp import Filters, Hit
from blog_search_mcp.server.engine import Engine
from blog_search_mcp.server.mcp.read_chunk import READ_CHUNK
from blog_search_mcp.server.mcp.search_blog import SEARCH_BLOG
from examples.agent.loop import tokens_of

DEPTH, READ = 10, 5
"""Number of posts that nDCG looks at, and of hits that are read (an assistant's default page)."""

PASSAGES = 3
"""Hits that one post may have, at most: of a judged collection so many times DEPTH are asked for,
since every post counts once there."""

SHOWN = ("in_right", "first_preview", "any_preview", "answer_tokens", "read_tokens")
"""Fields of an outcome that measure the text shown by the tools."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The measured answer to one query."""

    rank: float
    """Rank of the first right post among the hits, from 1; infinite if there is none."""
    gain: float
    """nDCG@10."""
    is_low: bool
    """Whether the answer has low confidence."""
    in_first: bool | None = None
    """Whether `read_chunk` of the first hit shows the evidence; `None` if the query has none."""
    in_any: bool | None = None
    """Whether `read_chunk` of one of the first five hits does."""
    in_right: bool | None = None
    """Whether `read_chunk` of the first right one of these hits does."""
    first_preview: bool | None = None
    """Whether the first preview of `search_blog` shows the evidence, apart from punctuation."""
    any_preview: bool | None = None
    answer_tokens: int | None = None
    read_tokens: int | None = None


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
    in_right: float | None = None
    first_preview: float | None = None
    any_preview: float | None = None
    answer_tokens: float | None = None
    read_tokens: float | None = None


def measure(engine: Engine, queries: Iterable[Query]) -> list[Row]:
    """Ask every query; return a row for each kind, in the order of first appearance."""
    outcomes, answered = defaultdict[str, list[Outcome]](list), dict[str, bool]()
    for query in queries:
        outcomes[query.kind].append(ask(engine, query))
        answered[query.kind] = bool(query.right)
    return [summarise(kind, outcomes[kind], is_answered=answered[kind]) for kind in outcomes]


def ask(engine: Engine, query: Query) -> Outcome:
    """Search for one query and read its hits. Raises BlogSearchError."""
    is_judged = query.kind == JUDGED
    depth = DEPTH * (PASSAGES if is_judged else 1)
    answer = engine.search(query.text, Filters(), limit=depth, offset=0)
    sources = [_count_as(hit, query) for hit in answer.hits]
    if is_judged:
        sources = list(dict.fromkeys(sources))[:DEPTH]
    ranks = [rank for rank, source in enumerate(sources, 1) if source in query.right]
    gain = ndcg(ranks, len(query.right)) if is_judged else ndcg(ranks[:1], 1)
    rank, is_low = min(ranks, default=math.inf), answer.confidence == "low"
    if not query.evidence:
        return Outcome(rank, gain, is_low)
    reads = [_read(engine, hit) for hit in answer.hits[:READ]]
    wanted = " ".join(query.evidence.split())
    shown = [wanted in " ".join(text.split()) for text in reads]
    told = SEARCH_BLOG.call(engine, {"query": query.text})
    facts = SEARCH_BLOG.call(engine, {"query": query.text, "response_format": "json"}).facts or {}
    previews = [fold(wanted) in fold(hit["preview"]) for hit in facts["results"]]
    return Outcome(
        rank,
        gain,
        is_low,
        in_first=any(shown[:1]),
        in_any=any(shown),
        in_right=rank <= READ and shown[int(rank) - 1],
        first_preview=any(previews[:1]),
        any_preview=any(previews),
        answer_tokens=tokens_of(told.texts[0]),
        read_tokens=tokens_of(reads[0]) if reads else None,
    )


def _count_as(hit: Hit, query: Query) -> str:
    """Return the source that a hit counts as: a right one if the post or a translation is right."""
    sources = (hit.post.source, *(source for _, source in hit.translations))
    return next((source for source in sources if source in query.right), sources[0])


def _read(engine: Engine, hit: Hit) -> str:
    """Return what `read_chunk` answers for a hit."""
    place = {"source": hit.post.source, "chunk_index": hit.chunk.index}
    return "\n".join(READ_CHUNK.call(engine, place).texts)


def ndcg(ranks: Iterable[int], wanted: int) -> float:
    """Return the gain of these ranks, 1 / log2(1 + rank) each within DEPTH, as a share in [0, 1].

    The whole is the gain of `wanted` posts at the first ranks.
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
        **{name: _mean(getattr(outcome, name) for outcome in outcomes) for name in SHOWN},
    )


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None
