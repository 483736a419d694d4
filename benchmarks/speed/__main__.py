"""`python -m benchmarks.speed`: how fast every step is, beside its floor in the same run.

The exit status is 0 whatever the figures are: they are for people to judge, and what a busy
machine does to a figure without a floor is nobody's fault. `--small` judges by floors alone.
"""

from __future__ import annotations

import argparse
import os
import pkgutil
import shlex
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import cast

from benchmarks.options import cache_folder, count, folder, report_failure
from benchmarks.provenance import as_json, read_commit
from benchmarks.speed import rows, small
from benchmarks.speed.figure import Figure, Row
from benchmarks.speed.report import Report, as_markdown, this_machine
from benchmarks.speed.stage import Stage
from blog_search_mcp.index.errors import BlogSearchError

NAMES = tuple(sorted(module.name for module in pkgutil.iter_modules(rows.__path__)))


def main() -> int:
    """Measure what was asked for; the exit status."""
    options = _parser(os.environ).parse_args()
    if options.small:
        return judged(options)
    try:
        with tempfile.TemporaryDirectory() as work:
            report = measured(options, Path(work))
        document = as_markdown(report)
    except BlogSearchError as error:
        return report_failure(error)
    sys.stdout.write(as_json(report) + "\n" if options.json else document)
    return 0


def judged(options: argparse.Namespace) -> int:
    """Measure a few rows at a small size; 1 if one is far beyond its floor, else 0."""
    with tempfile.TemporaryDirectory() as work:
        stage = Stage(options.blog, Path(work) / "cache", Path(work), small.CHUNKS, runs=small.RUNS)
        slow = small.slow(small.ROWS, small.of(stage, lambda said: _say(f"  {said}")))
    for figure in slow:
        allowed = figure.bound.shown(figure.unit) if figure.bound else ""
        _say(
            f"Too slow: {figure.what}, {figure.median:.4g} {figure.unit}; its floor, "
            f"{figure.floor.what}, {figure.floor.value:.4g}; to reach {allowed}, "
            f"to fail {small.BEYOND} times that in {small.ATTEMPTS} runs."
        )
    _say("Slow." if slow else "Fast enough.")
    return 1 if slow else 0


def measured(options: argparse.Namespace, work: Path) -> Report:
    """Run every row. Raises BlogSearchError."""
    stage = Stage(
        blog=options.blog,
        cache=options.cache,
        work=work,
        chunks=options.chunks,
        dimension=options.dim,
        runs=options.runs,
        seed=options.seed,
    )
    chunks = stage.counted()
    machine = this_machine()
    figures = tuple(figure for name in options.rows for figure in _figures(name, stage))
    return Report(
        read_commit(), _command(options), machine, chunks, stage.posts, stage.dimension, figures
    )


def _figures(name: str, stage: Stage) -> Iterator[Figure]:
    row = cast("Row", import_module(f"benchmarks.speed.rows.{name}"))
    _say(f"{name}:")
    for figure in row.figures(stage, lambda said: _say(f"  {said}")):
        _say(f"  {figure.what}: {figure.median:.4g} {figure.unit}, floor {figure.floor.value:.4g}")
        yield figure


def _say(sentence: str) -> None:
    sys.stderr.write(f"{sentence}\n")
    sys.stderr.flush()


def _command(options: argparse.Namespace) -> str:
    """How to have these figures again, without the folders of one machine."""
    parts = ["python", "-m", "benchmarks.speed", "--chunks", str(options.chunks)]
    parts += ["--dim", str(options.dim), "--runs", str(options.runs)]
    if options.rows != NAMES:
        parts += ["--rows", ",".join(options.rows)]
    return shlex.join(parts)


def row_names(value: str) -> Sequence[str]:
    """Names of rows between commas. Raises ArgumentTypeError for one that there is not."""
    names = tuple(name for name in value.split(",") if name)
    if unknown := [name for name in names if name not in NAMES]:
        raise argparse.ArgumentTypeError(f"{unknown[0]!r} is none of {', '.join(NAMES)}.")
    return names


def _parser(environment: Mapping[str, str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="benchmarks.speed", description=__doc__)
    parser.add_argument("--chunks", type=count, default=24_000, metavar="N", help="(default 24000)")
    parser.add_argument("--dim", type=int, choices=(384, 768), default=768, help="(default 768)")
    parser.add_argument(
        "--rows", type=row_names, default=NAMES, metavar="ROW,…", help=f"of: {', '.join(NAMES)}"
    )
    parser.add_argument("--runs", type=count, default=30, metavar="N", help="of what is quick")
    parser.add_argument("--seed", type=int, default=1, help="of the made posts")
    parser.add_argument(
        "--blog",
        type=folder,
        default=Path("content"),
        metavar="CONTENT",
        help="the posts whose paragraphs the made ones consist of (default content)",
    )
    parser.add_argument(
        "--small",
        action="store_true",
        help="judge a few rows at a small size: exit status 1 if one is far beyond its floor",
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of Markdown")
    parser.set_defaults(cache=cache_folder(environment))
    return parser


if __name__ == "__main__":
    sys.exit(main())
