"""Write measurements as Markdown tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.markdown import table
from benchmarks.quality.types import JUDGED, AbsenceRow, Measurement, Row
from blog_search_mcp.index.search.ranking import load_ranking_model


@dataclass(frozen=True, slots=True)
class Report:
    """Measurements of one or several blogs and of judged collections, by one command."""

    commit: str
    """Of this program; ends in `-dirty` if files were changed since, empty without git."""
    command: str
    blogs: Mapping[str, Measurement]
    """By the name of the blog or collection."""


def format_report(report: Report) -> str:
    """Write the tables of several blogs and collections."""
    return "\n\n".join(_report_parts(report)) + "\n"


def format_measurement(measurement: Measurement) -> str:
    """Write the tables of one blog."""
    parts = [f"**{_size(measurement)}**", _rows_table(measurement.rows)]
    if measurement.absence:
        parts.append(_absence_table({"this one": measurement}))
    return "\n\n".join(parts) + "\n"


def format_share(value: float | None, *, signed: bool = False) -> str:
    """Write `.925`, `-.005`; a dash if there is no value."""
    return "–" if value is None else _drop_zero(f"{value:{'+' if signed else ''}.3f}")


def _drop_zero(number: str) -> str:
    return number.replace("0.", ".", 1)


def _report_parts(report: Report) -> Iterator[str]:
    yield f"Commit `{report.commit or 'unknown'}`, by"
    yield f"```\n{report.command}\n```"
    fitted_on = set(load_ranking_model().fitted_on)
    fitted = sorted(fitted_on & report.blogs.keys())
    others = sorted(report.blogs.keys() - fitted_on)
    yield f"Constants were chosen on {_list(fitted)}, and not on {_list(others)}."
    judged = {name: found for name, found in report.blogs.items() if found.row(JUDGED)}
    blogs = {name: found for name, found in report.blogs.items() if name not in judged}
    if judged:
        yield "## Judged collections, nDCG@10"
        yield _judged_table(judged)
    yield "## By kind of query"
    for name, found in blogs.items():
        yield f"**{name}: {_size(found)}**"
        yield _rows_table(found.rows)
    yield "## Without an answer"
    yield _absence_table(blogs)


def _list(names: Sequence[str]) -> str:
    return ", ".join(names) or "none of these"


def _size(found: Measurement) -> str:
    return f"{found.posts} posts, {found.chunks} chunks, {found.embedder}"


def _rows_table(rows: Sequence[Row]) -> str:
    """Write a line a kind."""
    header = ("kind", "queries", "hit@1", "hit@5", "nDCG@10")
    evidence = ("in chunk", "in first", "in any", "tokens", "false low")
    cells = [
        (
            *(row.kind, str(row.queries)),
            *map(format_share, (row.hit_at_1, row.hit_at_5, row.ndcg_at_10)),
            *map(format_share, (row.in_chunk, row.in_first, row.in_any)),
            "–" if row.tokens is None else f"{row.tokens:.0f}",
            format_share(row.false_low),
        )
        for row in rows
    ]
    return table((*header, *evidence), cells, range(1, 10))


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
    cells = [
        (name, found.embedder, str(row.queries), format_share(row.ndcg_at_10))
        for name, found in judged.items()
        for row in found.rows
    ]
    return table(("collection", "embedder", "queries", "nDCG@10"), cells, range(2, 4))
