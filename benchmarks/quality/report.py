"""Write measurements as Markdown tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.markdown import table
from benchmarks.quality.targets import FITTED_ON, Result
from benchmarks.quality.types import JUDGED, AbsenceRow, Estimate, FusionRow, Measurement, Row

NAMED = 3
"""Blogs that met a target, at most, to be named."""


@dataclass(frozen=True, slots=True)
class Report:
    """Measurements of one or several blogs and of judged collections, by one command."""

    commit: str
    """Of this program; ends in `-dirty` if files were changed since, empty without git."""
    command: str
    blogs: Mapping[str, Measurement]
    """By the name of the blog or collection."""
    targets: Sequence[Result] = ()


def format_report(report: Report) -> str:
    """Write the tables of several blogs and collections."""
    return "\n\n".join(_report_parts(report)) + "\n"


def format_measurement(measurement: Measurement) -> str:
    """Write the tables of one blog."""
    parts = [f"**{_size(measurement)}**", _rows_table(measurement.rows, measurement.fusion)]
    if measurement.absence:
        parts.append(_absence_table({"this one": measurement}))
    return "\n\n".join(parts) + "\n"


def format_share(value: float | None, *, signed: bool = False) -> str:
    """Write `.925`, `-.005`; a dash if there is no value."""
    return "–" if value is None else _drop_zero(f"{value:{'+' if signed else ''}.3f}")


def format_difference(estimate: Estimate) -> str:
    """Write `+.019 [-.001, +.040]`."""
    low, high = (format_share(end, signed=True) for end in (estimate.low, estimate.high))
    return f"{format_share(estimate.value, signed=True)} [{low}, {high}]"


def _drop_zero(number: str) -> str:
    return number.replace("0.", ".", 1)


def _report_parts(report: Report) -> Iterator[str]:
    yield f"Commit `{report.commit or 'unknown'}`, by"
    yield f"```\n{report.command}\n```"
    fitted = sorted(FITTED_ON & report.blogs.keys())
    others = sorted(report.blogs.keys() - FITTED_ON)
    fitted = sorted(FITTED_ON & report.blogs.keys())
    others = sorted(report.blogs.keys() - FITTED_ON)
    yield f"Constants were chosen on {_list(fitted)}, and not on {_list(others)}."
    yield "## Targets"
    yield _targets_table(report.targets)
    judged = {name: found for name, found in report.blogs.items() if found.row(JUDGED)}
    blogs = {name: found for name, found in report.blogs.items() if name not in judged}
    if judged:
        yield "## Judged collections, nDCG@10"
        yield _judged_table(judged)
    yield "## By kind of query"
    for name, found in blogs.items():
        yield f"**{name}: {_size(found)}**"
        yield _rows_table(found.rows, found.fusion)
    yield "## Without an answer"
    yield _absence_table(blogs)


def _list(names: Sequence[str]) -> str:
    return ", ".join(names) or "none of these"


def _size(found: Measurement) -> str:
    return f"{found.posts} posts, {found.chunks} chunks, {found.embedder}"


def _rows_table(rows: Sequence[Row], fusion: Iterable[FusionRow]) -> str:
    """Write a line a kind: of hybrid search everything, of either retriever alone its nDCG@10."""
    differences = {row.kind: row.difference for row in fusion}
    alone = {(row.kind, row.retriever): row.ndcg_at_10 for row in rows}
    header = ("kind", "queries", "hit@1", "hit@5", "nDCG@10", "lexical", "dense")
    evidence = ("less the better", "in chunk", "in first", "in any", "tokens", "false low")
    cells = [
        (
            *(row.kind, str(row.queries)),
            *map(format_share, (row.hit_at_1, row.hit_at_5, row.ndcg_at_10)),
            *(format_share(alone.get((row.kind, leg))) for leg in ("lexical", "dense")),
            format_difference(differences[row.kind]),
            *map(format_share, (row.in_chunk, row.in_first, row.in_any)),
            "–" if row.tokens is None else f"{row.tokens:.0f}",
            format_share(row.false_low),
        )
        for row in rows
        if row.retriever == "hybrid"
    ]
    return table((*header, *evidence), cells, range(1, 13))


def _absence_table(blogs: Mapping[str, Measurement]) -> str:
    """Write a line a blog: of each kind of query how many there are, the share low, the AUROC."""
    kinds = tuple(dict.fromkeys(row.kind for found in blogs.values() for row in found.absence))
    cells = []
    for name, found in blogs.items():
        rows = {row.kind: row for row in found.absence}
        cells.append((name, *(_absence_cell(rows.get(kind)) for kind in kinds)))
    return table(("blog", *kinds), cells, range(1, 1 + len(kinds)))


def _absence_cell(row: AbsenceRow | None) -> str:
    if row is None:
        return "–"
    return f"{format_share(row.low)} of {row.queries}, {format_share(row.auroc)}"


def _judged_table(judged: Mapping[str, Measurement]) -> str:
    header = ("collection", "embedder", "queries", "lexical", "dense", "hybrid", "difference")
    cells = [
        (
            *(name, found.embedder, str(found.rows[0].queries)),
            *(format_share(row.ndcg_at_10) for row in found.rows),
            format_difference(found.fusion[0].difference),
        )
        for name, found in judged.items()
    ]
    return table(header, cells, range(2, 7))


def _targets_table(targets: Sequence[Result]) -> str:
    """Write a line a target: the blogs that met it, many as a number, and those that did not."""
    results: dict[tuple[str, str], list[Result]] = {}
    for target in targets:
        bound = (
            f"{'≤' if target.at_most else '≥'} {format_share(target.bound, signed=target.signed)}"
        )
        results.setdefault((target.what, bound), []).append(target)
    cells = []
    for wanted, found in results.items():
        met, missed = (
            [
                f"{result.blog} {format_share(result.reached, signed=result.signed)}"
                for result in found
                if result.met == met
            ]
            for met in (True, False)
        )
        named = f"{len(met)} of {len(found)}" if len(met) > NAMED else ", ".join(met)
        cells.append((*wanted, named or "–", ", ".join(missed) or "–"))
    return table(("what", "target", "met", "not met"), cells)
