"""Write measurements as Markdown tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.markdown import table
from benchmarks.quality.targets import Result
from benchmarks.quality.types import Estimate, FusionRow, Measurement, OffTopicRow


@dataclass(frozen=True, slots=True)
class Report:
    """Measurements of several blogs."""

    commit: str
    command: str
    blogs: Mapping[str, Measurement]
    """By the blog's name."""
    targets: Sequence[Result]


def format_report(report: Report) -> str:
    """Write the tables of several blogs."""
    return "\n\n".join(_report_parts(report)) + "\n"


def format_measurement(measurement: Measurement) -> str:
    """Write the tables of one blog."""
    return "\n\n".join(_measurement_parts(measurement)) + "\n"


def format_estimate(estimate: Estimate | None, *, signed: bool = False) -> str:
    """Write `.925 [.85, 1.00]`; a dash if there is nothing to estimate."""
    if estimate is None:
        return "–"
    sign, digits = ("+", 3) if signed else ("", 2)
    low, high = (_drop_zero(f"{end:{sign}.{digits}f}") for end in (estimate.low, estimate.high))
    return f"{_drop_zero(f'{estimate.value:{sign}.3f}')} [{low}, {high}]"


def format_share(value: float, *, signed: bool = False) -> str:
    """Write `.925`, `-.005`."""
    return _drop_zero(f"{value:{'+' if signed else ''}.3f}")


def _drop_zero(number: str) -> str:
    return number.replace("0.", ".", 1)


def _report_parts(report: Report) -> Iterator[str]:
    embedders = " and ".join({found.embedder: None for found in report.blogs.values()})
    yield f"Commit `{report.commit or 'unknown'}`, {embedders}, by"
    yield f"```\n{report.command}\n```"
    if report.targets:
        yield "## Targets"
        yield _targets_table(report.targets)
    yield "## By kind of query and retriever"
    for name, found in report.blogs.items():
        yield f"**{name}: {found.posts} posts, {found.chunks} chunks**"
        yield _retrievers_table(found)
    yield "## Hybrid less the better retriever, nDCG@10"
    for name, found in report.blogs.items():
        yield f"**{name}**"
        yield _fusion_table(found.fusion)
    yield "## Queries that do not belong"
    for name, found in report.blogs.items():
        yield f"**{name}**"
        yield _off_topic_table(found.off_topic)


def _measurement_parts(found: Measurement) -> Iterator[str]:
    yield f"**{found.posts} posts, {found.chunks} chunks, {found.embedder}**"
    yield _retrievers_table(found)
    yield "**Hybrid less the better retriever, nDCG@10**"
    yield _fusion_table(found.fusion)
    if found.off_topic:
        yield "**Confidence: this blog's queries against another's**"
        yield _off_topic_table(found.off_topic)


def _retrievers_table(found: Measurement) -> str:
    metrics = ("queries", "no hit", "hit@1", "hit@5", "MRR@10", "nDCG@10", "evidence")
    rows = [
        (
            *(row.kind, row.retriever, str(row.queries), str(row.zero_results)),
            *map(format_estimate, (row.hit_at_1, row.hit_at_5, row.mrr_at_10, row.ndcg_at_10)),
            format_estimate(row.evidence),
        )
        for row in found.retrievers
    ]
    return table(("kind", "retriever", *metrics), rows, range(2, 9))


def _fusion_table(rows: Sequence[FusionRow]) -> str:
    cells = [
        (row.kind, row.better_retriever, format_estimate(row.difference, signed=True))
        for row in rows
    ]
    return table(("kind", "better retriever", "difference"), cells, [2])


def _off_topic_table(rows: Sequence[OffTopicRow]) -> str:
    """Write a row per kind of query; `low` is the share answered with low confidence."""
    header = ("kind", "on topic", "low", "off topic", "low", "AUROC", "recognised")
    cells = [
        (
            *(row.kind, str(row.on_topic), format_share(row.low_on_topic)),
            *(str(row.off_topic), format_share(row.low_off_topic)),
            *(format_estimate(row.auroc), format_share(row.recognised)),
        )
        for row in rows
    ]
    return table(header, cells, range(1, 7))


def _targets_table(targets: Sequence[Result]) -> str:
    cells = [
        (
            *(target.blog, target.what),
            "–" if target.floor is None else format_share(target.floor),
            format_share(target.least, signed=target.signed),
            format_share(target.reached, signed=target.signed),
            "met" if target.met else "**not met**",
        )
        for target in targets
    ]
    return table(("blog", "what", "floor", "target", "reached", ""), cells, range(2, 5))
