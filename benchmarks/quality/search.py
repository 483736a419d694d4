"""Run every query by every retriever over an opened index."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from benchmarks.quality.metrics import contain_evidence, first_rank
from benchmarks.quality.types import Outcome, Query
from blog_search_mcp.index.reader import IndexReader
from blog_search_mcp.index.search.ranking import Use
from blog_search_mcp.index.types import Answer, Filters, Hit
from blog_search_mcp.ingest.report import Progress

DEPTH = 10
"""Hits per query, as deep as any metric looks."""

READ = 5
"""Hits that are read for evidence: what an assistant gets by default."""

RETRIEVERS = (Use.LEXICAL, Use.DENSE, Use.HYBRID)

Outcomes = Mapping[Use, Sequence[Outcome]]


Readers = Callable[[Query], IndexReader]
"""The index that a query is searched for in."""


def run_queries(readers: Readers, queries: Sequence[Query], progress: Progress) -> Outcomes:
    """Run every query by every retriever; outcomes in the order of `queries`."""
    progress.start("searching", len(RETRIEVERS) * len(queries))
    return {use: run_retriever(readers, queries, use, progress) for use in RETRIEVERS}


def run_retriever(
    readers: Readers, queries: Iterable[Query], use: Use, progress: Progress
) -> list[Outcome]:
    """Run every query by one retriever; outcomes in the order of `queries`."""
    outcomes = []
    for query in queries:
        reader = readers(query)
        answer = reader.search(query.text, Filters(), limit=DEPTH, offset=0, use=use)
        outcomes.append(judge_answer(reader, answer, query))
        progress.advance(1)
    return outcomes


def judge_answer(reader: IndexReader, answer: Answer, query: Query) -> Outcome:
    """Judge an answer: the rank of the wanted post, and whether its evidence was returned."""
    return Outcome(
        rank=first_rank([counted_source(hit, query) for hit in answer.hits], query.acceptable),
        hits=len(answer.hits),
        evidence=_has_evidence(reader, answer, query) if query.evidence else None,
        confidence=answer.certainty,
        is_low=answer.confidence == "low",
    )


def counted_source(hit: Hit, query: Query) -> str:
    """Return the source a hit counts as: the wanted one, if it or a translation of it is that."""
    sources = (hit.post.source, *(source for _, source in hit.translations))
    return next((source for source in sources if source in query.acceptable), sources[0])


def _has_evidence(reader: IndexReader, answer: Answer, query: Query) -> bool:
    right = (
        chunk.text
        for hit in answer.hits[:READ]
        if counted_source(hit, query) in query.acceptable
        for chunk in reader.read(hit.post.source, hit.chunk.index, 0).chunks
    )
    return contain_evidence(right, query.evidence)
