"""Measure one blog: make its indexes, run every query, judge what a user would get, sum up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.quality.blog import Embedding, build_indexes, open_index
from benchmarks.quality.corpora import Corpus
from benchmarks.quality.metrics import (
    DEPTH,
    READ,
    contain_evidence,
    group_by_kind,
    ndcg,
    summarise,
    summarise_absence,
)
from benchmarks.quality.types import JUDGED, Measurement, Outcome, Query, Reading
from blog_search_mcp.index.reader import IndexReader
from blog_search_mcp.index.types import Answer, Filters, Hit
from blog_search_mcp.ingest.report import Progress
from blog_search_mcp.server.cli.doctor import estimate_tokens
from blog_search_mcp.server.format.results import brief_facts, page_facts, to_json
from blog_search_mcp.server.tools.read_chunk import passage_texts

PASSAGES = 3
"""Hits that one post may have, at most: of a judged collection so many times DEPTH are asked for,
since every post counts once there."""

Readers = Callable[[Query], IndexReader]
"""The index that a query is searched for in."""


def measure(
    corpus: Corpus,
    off_topic: Sequence[Query],
    cache: Path,
    embedding: Embedding,
    progress: Progress,
) -> Measurement:
    """Make the indexes below `cache`, run every query, summarise. Raises BlogSearchError."""
    unanswered = [*corpus.absent, *off_topic]
    every = [*corpus.queries, *unanswered]
    indexes = build_indexes(corpus.content, every, cache, embedding, progress)
    opened = {index: open_index(index, embedding) for index in set(map(indexes.of, every))}

    def readers(query: Query) -> IndexReader:
        return opened[indexes.of(query)]

    progress.start("searching", len(every))
    kinds = group_by_kind(corpus.queries, _run_all(readers, corpus.queries, progress))
    missing = group_by_kind(unanswered, _run_all(readers, unanswered, progress))
    manifest = readers(every[0]).manifest
    return Measurement(
        language=corpus.language,
        posts=len(manifest.posts),
        chunks=manifest.chunks,
        embedder=manifest.embedder.name,
        rows=tuple(summarise(kind, kinds[kind]) for kind in kinds),
        absence=tuple(summarise_absence(kinds, missing)),
    )


def _run_all(readers: Readers, queries: Iterable[Query], progress: Progress) -> list[Outcome]:
    """Run every query; outcomes in the order of `queries`."""
    outcomes = []
    for query in queries:
        outcomes.append(_run(readers(query), query))
        progress.advance(1)
    return outcomes


def _run(reader: IndexReader, query: Query) -> Outcome:
    limit = DEPTH * (PASSAGES if query.kind == JUDGED else 1)
    answer = reader.search(query.text, Filters(), limit=limit, offset=0)
    sources = [_counted_source(hit, query) for hit in answer.hits]
    if query.kind == JUDGED:
        sources = list(dict.fromkeys(sources))[:DEPTH]
    ranks = [rank for rank, source in enumerate(sources, 1) if source in query.acceptable]
    if query.kind != JUDGED:
        ranks = ranks[:1]
    return Outcome(
        rank=ranks[0] if ranks else None,
        gain=ndcg(ranks, len(query.acceptable) if query.kind == JUDGED else 1, DEPTH),
        certainty=answer.certainty,
        is_low=answer.confidence == "low",
        reading=_read(reader, answer, query.evidence) if query.evidence else None,
    )


def _counted_source(hit: Hit, query: Query) -> str:
    """Return the source a hit counts as: the wanted one, if it or a translation of it is that."""
    sources = (hit.post.source, *(source for _, source in hit.translations))
    return next((source for source in sources if source in query.acceptable), sources[0])


def _read(reader: IndexReader, answer: Answer, evidence: str) -> Reading:
    """Read the hits by the tools, as an assistant would."""
    hits = replace(answer, hits=answer.hits[:READ])
    said = to_json(page_facts(hits, [brief_facts(hit) for hit in hits.hits]))
    pages = (reader.read(hit.post.source, hit.chunk.index, 0) for hit in hits.hits)
    read = ["\n".join(passage_texts(page)) for page in pages]
    return Reading(
        in_chunk=contain_evidence([hit.chunk.text for hit in hits.hits[:1]], evidence),
        in_first=contain_evidence(read[:1], evidence),
        in_any=contain_evidence(read, evidence),
        tokens=estimate_tokens("\n".join([said, *read[:1]])),
    )
