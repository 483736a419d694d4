"""Cost of each step as a blog grows, drawn with two logarithmic axes."""

import tempfile
from collections.abc import Mapping, Sequence
from math import log10
from pathlib import Path
from statistics import median

from benchmarks.speed import rows
from benchmarks.speed.rows import Stage

SIZES = (1_000, 10_000, 100_000)
"""Approximate numbers of chunks in the measured blogs."""
RUNS = 5
COLOURS = {
    "first ingest": "#cf222e",
    "edit until found": "#9a6700",
    "start": "#0969da",
    "peak of the ingest": "#8250df",
    "search": "#1a7f37",
}
BELOW = ("start", "peak of the ingest", "search")
"""Steps whose costs are written below their line, since another line is close above."""
WIDTH, HEIGHT, LEFT, RIGHT, DECADE = 800, 400, 50, 230, 76
"""Sizes in pixels. DECADE is the height of a power of ten; the axis starts at 10."""


def measure_growth(blog: Path) -> Sequence[Mapping[str, float]]:
    """Return the costs by step for each of SIZES, in milliseconds (the peak in megabytes)."""
    costs = []
    for size in SIZES:
        with tempfile.TemporaryDirectory() as work:
            stage = Stage(blog, Path(work), size, RUNS)
            _, taken, megabytes = stage.first_ingest
            figures = {
                "edit until found": rows.edit(stage),
                "start": rows.start(stage),
                "search": rows.search(stage),
            }
            cost = {step: median(figure.taken) for step, figure in figures.items()}
            costs.append({"first ingest": taken, "peak of the ingest": megabytes, **cost})
    return costs


def draw_growth(costs: Sequence[Mapping[str, float]]) -> str:
    """Return an SVG with a line for each step, labeled with the cost at each size."""
    step = (WIDTH - LEFT - RIGHT) / (len(SIZES) - 1)
    places = [LEFT + step * number for number in range(len(SIZES))]
    drawn = [
        f'<text x="{x:.0f}" y="{HEIGHT - 8}" fill="#59636e" text-anchor="middle">{label}</text>'
        for x, label in zip(places, (f"{size:,} chunks" for size in SIZES), strict=True)
    ]
    for name, colour in COLOURS.items():
        values = [cost[name] for cost in costs]
        heights = (HEIGHT - 40 - DECADE * (log10(value) - 1) for value in values)
        points = [*zip(places, heights, strict=True)]
        path = " ".join(f"{x:.0f},{y:.0f}" for x, y in points)
        drawn.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for (x, y), value in zip(points, values, strict=True):
            told = f"{name}, {_write(name, value)}" if x == places[-1] else _write(name, value)
            y += 18 if name in BELOW else -8
            drawn.append(f'<text x="{x + 6:.0f}" y="{y:.0f}" fill="{colour}">{told}</text>')
    title = "<title>Cost of each step by chunks of the blog, both axes logarithmic</title>"
    paper = f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>'
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="14"'
    lines = "\n".join((title, paper, *drawn))
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>\n{lines}\n</svg>\n'


def _write(name: str, value: float) -> str:
    if name.startswith("peak"):
        return f"{value:.0f} MB"
    return f"{value / 1000:.3g} s" if value >= 1000 else f"{value:.3g} ms"
