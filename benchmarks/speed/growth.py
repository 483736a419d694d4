"""What a blog costs as it grows, in one picture: both axes by powers of ten."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import log10
from statistics import median

from benchmarks.speed import rows
from benchmarks.speed.rows import Stage

SIZES = (1_000, 10_000, 100_000)
"""Chunks, about."""
LINES = ("first ingest, ms", "edit to found, ms", "first answer, ms", "warm search, ms", "peak, MB")
COLOURS = ("#1b6ca8", "#c2571a", "#3d8b37", "#8a4fa3", "#777777")
HEIGHT, DECADES = 420, 7


def measure(stage: Stage) -> Mapping[int, list[float]]:
    """Return by the number of chunks what LINES cost; each blog lies below the stage's folder."""
    costs: dict[int, list[float]] = {}
    for chunks in SIZES:
        blog = replace(stage, work=stage.work / str(chunks), chunks=chunks)
        blog.work.mkdir()
        _, ingested, megabytes = blog.first_ingest
        edited, first, search = (
            median(row(blog).taken) for row in (rows.edit, rows.first, rows.search)
        )
        costs[chunks] = [ingested, edited, first, search, megabytes]
    return costs


def draw(costs: Mapping[int, list[float]]) -> str:
    """Draw the picture as SVG: a line for each of LINES, with its figures."""
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 {HEIGHT}">']
    parts.append('<g font-family="sans-serif" font-size="12" fill="none">')
    for power in range(DECADES):
        parts.append(f'<path d="M60 {_place(10**power):.0f}H480" stroke="#ddd"/>')
        parts.append(_label(54, _place(10**power), f"{10**power:,}", "#555", "end"))
    places = {chunks: 70 + 195 * number for number, chunks in enumerate(costs)}
    for chunks, x in places.items():
        parts.append(_label(x, HEIGHT - 8, f"{chunks:,} chunks", "#555", "middle"))
    for name, colour, values in zip(LINES, COLOURS, zip(*costs.values(), strict=True), strict=True):
        points = [
            (x, _place(value), value) for x, value in zip(places.values(), values, strict=True)
        ]
        drawn = " ".join(f"{x},{y:.0f}" for x, y, _ in points)
        parts.append(f'<polyline points="{drawn}" stroke="{colour}" stroke-width="2"/>')
        parts += [_label(x + 4, y - 6, f"{value:,.0f}", colour) for x, y, value in points]
        parts.append(_label(500, points[-1][1] + 10, name, colour))
    return "\n".join([*parts, "</g></svg>\n"])


def _place(value: float) -> float:
    return HEIGHT - 40 - log10(max(value, 1)) * (HEIGHT - 70) / (DECADES - 1)


def _label(x: float, y: float, text: str, colour: str, anchor: str = "start") -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" fill="{colour}" text-anchor="{anchor}">{text}</text>'
