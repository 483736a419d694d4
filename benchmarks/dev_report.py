"""The measurements of several blogs in, the Markdown of docs/quality.md out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rich.table import Table

from benchmarks.markdown import markdown
from benchmarks.table import fusion_table, legs_table, off_topic_table, share
from benchmarks.targets import Reached
from benchmarks.types import Measurement


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that was found on several blogs."""

    commit: str
    command: str
    blogs: Mapping[str, Measurement]
    """By the blog's name."""
    against: Mapping[str, str]
    """By the blog's name, the blog whose queries were off topic for it."""
    targets: Sequence[Reached]


def as_markdown(report: Report) -> str:
    """Every table with its heading."""
    return "\n\n".join(_parts(report)) + "\n"


def _parts(report: Report) -> Iterator[str]:
    embedders = " and ".join({found.embedder: None for found in report.blogs.values()})
    yield f"Commit `{report.commit or 'unknown'}`, {embedders}, by"
    yield f"```\n{report.command}\n```"
    if report.targets:
        yield "## Targets"
        yield _targets(report.targets)
    yield "## By kind of query and leg"
    for name, found in report.blogs.items():
        yield from _part(f"{name}: {found.posts} posts, {found.chunks} chunks", legs_table(found))
    yield "## Hybrid less the better leg, nDCG@10"
    for name, found in report.blogs.items():
        yield from _part(name, fusion_table(found.fusion))
    yield "## Queries that do not belong"
    for name, other in report.against.items():
        table = off_topic_table(report.blogs[name].off_topic)
        yield from _part(f"{name} against queries of {other}", table)


def _part(heading: str, table: Table) -> Iterator[str]:
    yield f"**{heading}**"
    yield markdown(table)


def _targets(targets: Sequence[Reached]) -> str:
    table = Table("blog", "what")
    for name in ("floor", "target", "reached"):
        table.add_column(name, justify="right")
    table.add_column("")
    for target in targets:
        numbers = (target.least, target.reached)
        table.add_row(
            target.blog,
            target.what,
            "–" if target.floor is None else share(target.floor),
            *(share(number, signed=target.signed) for number in numbers),
            "met" if target.met else "**not met**",
        )
    return markdown(table)
