"""Run every query by every retriever over an opened index, and judge what a user would get."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from benchmarks.quality.metrics import contain_evidence, first_rank, ndcg
from benchmarks.quality.types import JUDGED, Outcome, Query, Reading
from blog_search_mcp.index.reader import IndexReader
from blog_search_mcp.index.search.ranking import Use
from blog_search_mcp.index.types import Answer, Filters, Hit
from blog_search_mcp.ingest.report import Progress
from blog_search_mcp.server.cli.tokens import estimate_cost
from blog_search_mcp.server.format.results import fit_page, page_of, to_json, wire_facts
from blog_search_mcp.server.settings import TOP_K_DEFAULT
from blog_search_mcp.server.tools.read_chunk import ReadArguments, read_chunk

DEPTH = 10
"""Posts per query, as deep as any metric looks."""

PASSAGES = 3
"""Hits that one post may have, at most: of a judged collection so many times DEPTH are asked for,
since every post counts once there."""

READ = TOP_K_DEFAULT
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
        outcomes.append(_run(readers(query), query, use))
        progress.advance(1)
    return outcomes


def _run(reader: IndexReader, query: Query, use: Use) -> Outcome:
    limit = DEPTH * (PASSAGES if query.kind == JUDGED else 1)
    answer = reader.search(query.text, Filters(), limit=limit, offset=0, use=use)
    sources = [counted_source(hit, query) for hit in answer.hits]
    if query.kind == JUDGED:
        sources = list(dict.fromkeys(sources))[:DEPTH]
    rank = first_rank(sources, query.acceptable)
    return Outcome(
        rank=rank,
        gain=_gain(sources, query, rank),
        certainty=answer.certainty,
        is_low=answer.confidence == "low",
        reading=_read(reader, answer, query.evidence) if query.evidence else None,
    )


def counted_source(hit: Hit, query: Query) -> str:
    """Return the source a hit counts as: the wanted one, if it or a translation of it is that."""
    sources = (hit.post.source, *(source for _, source in hit.translations))
    return next((source for source in sources if source in query.acceptable), sources[0])


def _gain(sources: Sequence[str], query: Query, first: int | None) -> float:
    if query.kind != JUDGED:
        return ndcg([] if first is None else [first], 1, DEPTH)
    ranks = [rank for rank, source in enumerate(sources, 1) if source in query.acceptable]
    return ndcg(ranks, len(query.acceptable), DEPTH)


def _read(reader: IndexReader, answer: Answer, evidence: str) -> Reading:
    """Read the hits by the tools, as an assistant would."""
    hits = replace(answer, hits=answer.hits[:READ])
    said = to_json(wire_facts(fit_page(page_of(hits, answer.notice))))
    read = ["\n".join(read_chunk(reader, _place(hit)).texts) for hit in hits.hits]
    return Reading(
        in_chunk=contain_evidence([hit.chunk.text for hit in hits.hits[:1]], evidence),
        in_first=contain_evidence(read[:1], evidence),
        in_any=contain_evidence(read, evidence),
        tokens=estimate_cost("\n".join([said, *read[:1]])).tokens,
    )


def _place(hit: Hit) -> ReadArguments:
    return ReadArguments(source=hit.post.source, chunk_index=hit.chunk.index)
