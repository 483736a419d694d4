"""`python -m benchmarks.speed`: measure every step beside its floor, the minimum in the same run.

With `--small`, the exit status is 1 if a figure is far above its floor. Otherwise people judge the
figures.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from benchmarks.options import count, describe_machine, describe_run, folder, report_failure
from benchmarks.speed import rows
from benchmarks.speed.figure import Figure, as_table
from benchmarks.speed.growth import draw_growth, measure_growth
from benchmarks.speed.rows import Stage
from blog_search_mcp.index.errors import BlogSearchError

_ROWS = ("start", "first", "search", "read", "ingest", "peak", "embed", "edit")
ROWS: Mapping[str, Callable[[Stage], Figure]] = {name: getattr(rows, name) for name in _ROWS}
SMALL = 1_000, 5
"""Chunks and runs of `--small`."""
BEYOND, ATTEMPTS = 1.5, 3
"""A figure fails if it is above BEYOND times its limit in each of ATTEMPTS runs. Load usually slows
both figure and floor; only one of them is seldom slowed three times."""


def main() -> int:
    """Measure the chosen rows or the growth; return the exit status."""
    options = _parser().parse_args()
    chunks, runs = SMALL if options.small else (options.chunks, options.runs)
    try:
        if options.growth:
            options.growth.write_text(draw_growth(measure_growth(options.blog)), encoding="utf-8")
            return 0
        with tempfile.TemporaryDirectory() as work:
            stage = Stage(options.blog, Path(work), chunks, runs)
            attempts = ATTEMPTS if options.small else 1
            figures = [_measure(name, stage, attempts) for name in options.rows]
    except BlogSearchError as error:
        return report_failure(error)
    sys.stdout.write(
        f"{describe_run('benchmarks.speed')}\n\n{describe_machine()}.\n\n"
        f"{stage.posts:,} posts of about {chunks:,} chunks.\n\n{as_table(figures)}\n"
    )
    slow = [figure.what for figure in figures if _is_slow(figure)]
    if options.small and slow:
        sys.stderr.write(f"Too slow in {ATTEMPTS} runs: {', '.join(slow)}.\n")
        return 1
    return 0


def _measure(name: str, stage: Stage, attempts: int) -> Figure:
    """Measure a row; repeat it while it is slow and attempts are left."""
    for _ in range(attempts):
        figure = ROWS[name](stage)
        sys.stderr.write(f"{figure.verdict}\n")
        if not _is_slow(figure):
            break
    return figure


def _is_slow(figure: Figure) -> bool:
    return figure.ratio > BEYOND * figure.most


def _row_names(value: str) -> Sequence[str]:
    names = tuple(name for name in value.split(",") if name)
    if unknown := [name for name in names if name not in ROWS]:
        raise argparse.ArgumentTypeError(f"{unknown[0]!r} is none of {', '.join(ROWS)}.")
    return names


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="benchmarks.speed", description=__doc__)
    add = parser.add_argument
    add("--chunks", type=count, default=24_000, metavar="N", help="(default 24000)")
    names = f"of: {', '.join(ROWS)}"
    add("--rows", type=_row_names, default=tuple(ROWS), metavar="ROW,…", help=names)
    add("--runs", type=count, default=30, metavar="N", help="of what is quick (default 30)")
    blog = "the posts whose paragraphs the made ones consist of (default content)"
    add("--blog", type=folder, default=Path("content"), metavar="CONTENT", help=blog)
    small = "judge at a small size: exit status 1 if a row is far beyond its floor"
    add("--small", action="store_true", help=small)
    growth = "instead, draw what steps cost at 1,000, 10,000 and 100,000 chunks (15 minutes)"
    add("--growth", type=Path, metavar="SVG", help=growth)
    return parser


if __name__ == "__main__":
    sys.exit(main())
