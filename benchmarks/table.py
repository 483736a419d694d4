"""A measurement in; tables for people or JSON for machines out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict

from rich.console import Console, Group
from rich.table import Table

from benchmarks.types import Estimate, LegRow, Measurement


def as_json(measurement: Measurement) -> str:
    """Every number, rounded to what the queries can tell."""
    return json.dumps(_rounded(asdict(measurement)), ensure_ascii=False, indent=2)


def as_tables(measurement: Measurement) -> Group:
    """One table for the legs, one for fusion, and one for off-topic queries if there were any."""
    return Group(*_tables(measurement))


def terminal(width: int | None = None) -> Console:
    """A console on stdout whose tables are not squeezed where there is no terminal."""
    console = Console(highlight=False, width=width)
    return console if width or console.is_terminal else Console(highlight=False, width=160)


def shown(estimate: Estimate | None, *, signed: bool = False) -> str:
    """`.925 [.85, 1.0]`; a dash if there is nothing to estimate."""
    if estimate is None:
        return "–"
    sign = "+" if signed else ""
    digits = 3 if signed else 2
    low, high = (_short(f"{end:{sign}.{digits}f}") for end in (estimate.low, estimate.high))
    return f"{_short(f'{estimate.value:{sign}.3f}')} [dim]\\[{low}, {high}][/dim]"


def _short(number: str) -> str:
    return number.replace("0.", ".", 1)


def _tables(measurement: Measurement) -> Iterator[Table]:
    yield _legs(measurement)
    yield _fusion(measurement)
    if measurement.off_topic:
        yield _off_topic(measurement)


def _legs(measurement: Measurement) -> Table:
    title = f"{measurement.posts} posts, {measurement.chunks} chunks, {measurement.embedder}"
    table = _table(title, "kind", "leg")
    for name in ("queries", "no hit", "hit@1", "hit@5", "MRR@10", "nDCG@10", "evidence"):
        table.add_column(name, justify="right")
    for number, row in enumerate(measurement.legs, 1):
        last = number == len(measurement.legs) or measurement.legs[number].kind != row.kind
        table.add_row(*_leg_cells(row), end_section=last)
    return table


def _leg_cells(row: LegRow) -> Iterator[str]:
    yield from (row.kind, row.leg, str(row.queries), str(row.zero_results))
    numbers = (row.hit_at_1, row.hit_at_5, row.mrr_at_10, row.ndcg_at_10, row.evidence)
    yield from map(shown, numbers)


def _fusion(measurement: Measurement) -> Table:
    table = _table("hybrid less the better leg, nDCG@10", "kind", "better leg")
    table.add_column("difference", justify="right")
    for row in measurement.fusion:
        table.add_row(row.kind, row.better_leg, shown(row.difference, signed=True))
    return table


def _off_topic(measurement: Measurement) -> Table:
    table = _table("confidence, this blog's queries against another's", "kind")
    for name in ("on topic", "off topic", "AUROC", "recognised"):
        table.add_column(name, justify="right")
    for row in measurement.off_topic:
        share = _short(f"{row.recognised:.3f}")
        table.add_row(row.kind, str(row.on_topic), str(row.off_topic), shown(row.auroc), share)
    return table


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left")
    for column in columns:
        table.add_column(column)
    return table


def _rounded(value: object) -> object:
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(item) for item in value]
    return value
