"""Queries and an opened index in, outcomes out: every query asked of every leg."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from benchmarks.metrics import first_rank, holds
from benchmarks.types import Outcome, Query
from blog_search_mcp.index.reader import Reader
from blog_search_mcp.index.search.ranking import Use
from blog_search_mcp.index.types import Answer, Filters, Hit
from blog_search_mcp.ingest.report import Progress

DEPTH = 10
"""Hits asked for, as deep as any metric looks."""

READ = 5
"""Hits whose chunks are searched for evidence: what an assistant gets by default."""

LEGS = (Use.LEXICAL, Use.DENSE, Use.HYBRID)

Outcomes = Mapping[Use, Sequence[Outcome]]


def ask_all(reader: Reader, queries: Sequence[Query], progress: Progress) -> Outcomes:
    """The outcomes by leg, in the order of `queries`."""
    progress.start("asking", len(LEGS) * len(queries))
    return {use: ask_leg(reader, queries, use, progress) for use in LEGS}


def ask_leg(
    reader: Reader, queries: Iterable[Query], use: Use, progress: Progress
) -> list[Outcome]:
    """The outcomes of one leg, in the order of `queries`."""
    outcomes = []
    for query in queries:
        answer = reader.search(query.text, Filters(), limit=DEPTH, offset=0, use=use)
        outcomes.append(outcome_of(answer, query))
        progress.advance(1)
    return outcomes


def outcome_of(answer: Answer, query: Query) -> Outcome:
    """What `answer` is worth to `query`."""
    return Outcome(
        rank=first_rank([found_as(hit, query) for hit in answer.hits], query.acceptable),
        hits=len(answer.hits),
        evidence=_has_evidence(answer, query) if query.evidence else None,
        confidence=answer.certainty,
        is_low=answer.confidence == "low",
    )


def found_as(hit: Hit, query: Query) -> str:
    """The source a hit counts as."""
    return counted((hit.post.source, *(source for _, source in hit.translations)), query)


def counted(sources: Sequence[str], query: Query) -> str:
    """Of a post and its translations the one that answers, if any does; else the post."""
    return next((source for source in sources if source in query.acceptable), sources[0])


def _has_evidence(answer: Answer, query: Query) -> bool:
    read = answer.hits[:READ]
    right = (
        text for hit in read if found_as(hit, query) in query.acceptable for text in _texts(hit)
    )
    return holds(right, query.evidence)


def _texts(hit: Hit) -> Iterator[str]:
    yield hit.chunk.text
    if hit.beside is not None:
        yield hit.beside.text
