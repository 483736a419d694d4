"""A measurement in; tables for people or JSON for machines out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.table import Table

from benchmarks.types import Estimate, FusionRow, LegRow, Measurement, OffTopicRow

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def as_json(found: DataclassInstance) -> str:
    """Every number of a measurement, rounded to what the queries can tell."""
    return json.dumps(_rounded(asdict(found)), ensure_ascii=False, indent=2)


def as_tables(measurement: Measurement) -> Group:
    """One table for the legs, one for fusion, and those of what else was measured."""
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


def share(value: float, *, signed: bool = False) -> str:
    """`.925`, `-.005`."""
    return _short(f"{value:{'+' if signed else ''}.3f}")


def _short(number: str) -> str:
    return number.replace("0.", ".", 1)


def _tables(measurement: Measurement) -> Iterator[Table]:
    yield legs_table(measurement)
    yield fusion_table(measurement.fusion)
    if measurement.off_topic:
        yield off_topic_table(measurement.off_topic)


def legs_table(measurement: Measurement) -> Table:
    """A row for each kind of query and leg."""
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


def fusion_table(rows: Sequence[FusionRow]) -> Table:
    """A row for each kind of query."""
    table = _table("hybrid less the better leg, nDCG@10", "kind", "better leg")
    table.add_column("difference", justify="right")
    for row in rows:
        table.add_row(row.kind, row.better_leg, shown(row.difference, signed=True))
    return table


def off_topic_table(rows: Sequence[OffTopicRow]) -> Table:
    """A row for each kind of query; `low` is the share answered with low confidence."""
    table = _table("confidence, this blog's queries against another's", "kind")
    for name in ("on topic", "low", "off topic", "low", "AUROC", "recognised"):
        table.add_column(name, justify="right")
    for row in rows:
        on = (str(row.on_topic), share(row.low_on_topic))
        off = (str(row.off_topic), share(row.low_off_topic))
        table.add_row(row.kind, *on, *off, shown(row.auroc), share(row.recognised))
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
