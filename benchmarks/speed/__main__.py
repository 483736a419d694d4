"""`python -m benchmarks.speed`: how fast every step is, beside its floor in the same run.

The exit status is 0 whatever the figures are: they are for people to judge, and what a busy
machine does to a figure without a floor is nobody's fault. `--small` judges by floors alone.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.options import cache_folder, count, folder, report_failure
from benchmarks.provenance import command_line, describe_machine, read_commit
from benchmarks.speed import ingesting, serving
from benchmarks.speed.figure import Figure, as_table
from benchmarks.speed.stage import Stage, say
from blog_search_mcp.index.errors import BlogSearchError

ROWS: Mapping[str, Callable[[Stage], Iterable[Figure]]] = {
    "embedding": ingesting.embedding,
    "filters": serving.filters,
    "first_search": serving.first_search,
    "growth": ingesting.growth,
    "ingest": ingesting.ingest,
    "memory": serving.memory,
    "ollama": serving.ollama,
    "read": serving.read,
    "search": serving.search,
    "sizes": serving.sizes,
    "start": serving.start,
    "unchanged": ingesting.unchanged,
    "watch": ingesting.watch,
    "words": ingesting.words,
    "work": serving.work,
}

JUDGED = ("start", "first_search", "filters", "read", "work")
JUDGED_CHUNKS, JUDGED_RUNS = 1_000, 5
BEYOND, ATTEMPTS = 1.5, 3
"""A figure fails if it is BEYOND times what its bound allows in each of ATTEMPTS runs: a busy
machine slows figure and floor alike, and one of them alone seldom three times."""


@dataclass(frozen=True, slots=True)
class Report:
    """One run."""

    commit: str
    command: str
    machine: str
    chunks: int
    """That the index held."""
    posts: int
    dimension: int
    figures: Sequence[Figure]


def main() -> int:
    """Measure what was asked for; the exit status."""
    options = _parser(os.environ).parse_args()
    try:
        with tempfile.TemporaryDirectory() as work:
            if options.small:
                options.cache = Path(work, "cache")
                options.chunks, options.runs = JUDGED_CHUNKS, JUDGED_RUNS
            stage = Stage(
                options.blog, options.cache, Path(work), options.chunks, options.dim, options.runs
            )
            if options.small:
                return _judge(stage)
            report = _measure(stage, options.rows)
    except BlogSearchError as error:
        return report_failure(error)
    sys.stdout.write(_as_markdown(report))
    return 0


def _measure(stage: Stage, names: Sequence[str]) -> Report:
    chunks, machine = stage.counted(), describe_machine()
    figures = tuple(figure for name in names for figure in _figures(name, stage))
    given = ["--chunks", str(stage.chunks), "--dim", str(stage.dimension)]
    given += ["--runs", str(stage.runs)]
    given += [] if names == tuple(ROWS) else ["--rows", ",".join(names)]
    command = command_line("benchmarks.speed", given)
    return Report(read_commit(), command, machine, chunks, stage.posts, stage.dimension, figures)


def _figures(name: str, stage: Stage) -> Iterator[Figure]:
    sys.stderr.write(f"{name}:\n")
    for figure in ROWS[name](stage):
        say(f"{figure.what}: {figure.median:.4g} {figure.unit}, floor {figure.floor.value:.4g}")
        yield replace(figure, row=name)


def _judge(stage: Stage) -> int:
    """Measure a few rows at a small size; 1 if one is far beyond its floor, else 0."""
    slow = [figure for name in JUDGED for figure in _slow(name, stage)]
    for figure in slow:
        allowed = figure.bound.shown(figure.unit) if figure.bound else ""
        sys.stderr.write(
            f"Too slow: {figure.what}, {figure.median:.4g} {figure.unit}; its floor, "
            f"{figure.floor.what}, {figure.floor.value:.4g}; to reach {allowed}, "
            f"to fail {BEYOND} times that in {ATTEMPTS} runs.\n"
        )
    sys.stderr.write("Slow.\n" if slow else "Fast enough.\n")
    return 1 if slow else 0


def _slow(name: str, stage: Stage) -> Iterable[Figure]:
    """The figures of a row that were beyond their bounds each time, as the last one found them."""
    beyond: dict[str, Figure] = {}
    for attempt in range(ATTEMPTS):
        found = {figure.what: figure for figure in ROWS[name](stage) if _is_slow(figure)}
        beyond = {what: found[what] for what in found if not attempt or what in beyond}
        if not beyond:
            break
    return beyond.values()


def _is_slow(figure: Figure) -> bool:
    """Whether it is BEYOND times what its bound allows; one without a floor never is."""
    if figure.bound is None or not figure.floor.value:
        return False
    return figure.median > BEYOND * figure.bound.limit(figure.floor.value)


def _as_markdown(report: Report) -> str:
    return (
        f"Commit `{report.commit or 'unknown'}`, `{report.command}`.\n\n"
        f"{report.machine}.\n\n"
        f"{report.posts:,} posts, {report.chunks:,} chunks, vectors of {report.dimension} numbers "
        "that cost nothing to make, unless a row says otherwise.\n\n"
        f"{as_table(report.figures)}\n"
    )


def _row_names(value: str) -> Sequence[str]:
    names = tuple(name for name in value.split(",") if name)
    if unknown := [name for name in names if name not in ROWS]:
        raise argparse.ArgumentTypeError(f"{unknown[0]!r} is none of {', '.join(ROWS)}.")
    return names


def _parser(environment: Mapping[str, str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="benchmarks.speed", description=__doc__)
    add = parser.add_argument
    add("--chunks", type=count, default=24_000, metavar="N", help="(default 24000)")
    add("--dim", type=int, choices=(384, 768), default=768, help="(default 768)")
    rows = f"of: {', '.join(ROWS)}"
    add("--rows", type=_row_names, default=tuple(ROWS), metavar="ROW,…", help=rows)
    add("--runs", type=count, default=30, metavar="N", help="of what is quick")
    blog = "the posts whose paragraphs the made ones consist of (default content)"
    add("--blog", type=folder, default=Path("content"), metavar="CONTENT", help=blog)
    small = "judge a few rows at a small size: exit status 1 if one is far beyond its floor"
    add("--small", action="store_true", help=small)
    parser.set_defaults(cache=cache_folder(environment))
    return parser


if __name__ == "__main__":
    sys.exit(main())
