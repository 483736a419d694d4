"""What an ingest did: numbers out, as one line for people and as JSON for machines."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Protocol, TextIO

from blog_search_mcp.index.content.walk import Skipped

if TYPE_CHECKING:
    import rich.progress


@dataclass(frozen=True, slots=True)
class WithoutVector:
    """A chunk with a window that the embedder failed on; its words are in the index."""

    source: str
    first_line: int
    last_line: int
    heading: str
    """The innermost above it; empty if there is none."""
    reason: str


@dataclass(frozen=True, slots=True)
class EmbeddingCounts:
    """The result of embedding in one run."""

    texts: int = 0
    """Texts passed to the embedder."""
    without_vector: tuple[WithoutVector, ...] = ()
    warnings: tuple[str, ...] = ()
    """Sentences on a cache that failed."""


@dataclass(frozen=True, slots=True)
class Report:
    """One finished ingest."""

    generation: int
    posts: int
    chunks: int
    added: int
    changed: int
    removed: int
    embedded: int
    """Texts the embedder was asked for; the others came from the cache or were unchanged."""
    without_vector: tuple[WithoutVector, ...]
    """Chunks that this run could not embed whole; their words are in the index."""
    skipped: tuple[Skipped, ...]
    """Files that are not in the index; a reason is one of VISIBILITY or a fault."""
    warnings: tuple[str, ...]
    """What was odd about posts that are in the index nevertheless."""
    embedder: str
    embedder_reason: str
    """In sentences: which embedder, why, and how to get a better one."""
    seconds: float


VISIBILITY = ("draft", "future", "expired")
"""Reasons the author gave; every other reason is a fault worth naming with its file."""


def as_json(report: Report) -> str:
    """The report on one line, in ASCII: whatever a file is called, any stdout can take it."""
    return json.dumps(asdict(report))


def as_lines(report: Report) -> list[str]:
    """The report for people: one line for each fault, then one with every number."""
    faults = [f"skipped {skip.source}: {skip.reason}" for skip in _faults(report)]
    without = [_lacking(chunk) for chunk in report.without_vector]
    return [*map(_printable, (*faults, *without, *report.warnings)), _summary(report)]


def _printable(line: str) -> str:
    """A file may be called what a terminal takes for a command, or what breaks the line."""
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in line
    )


def _lacking(chunk: WithoutVector) -> str:
    under = f' under "{chunk.heading}"' if chunk.heading else ""
    return (
        f"{chunk.source}, lines {chunk.first_line} to {chunk.last_line}{under}: found by words "
        f"alone, since a part of it has no vector ({chunk.reason}). It is tried again when the "
        "post or Ollama changes."
    )


def _faults(report: Report) -> list[Skipped]:
    return [skip for skip in report.skipped if skip.reason not in VISIBILITY]


def _summary(report: Report) -> str:
    changes = f"{report.added} added, {report.changed} changed, {report.removed} removed"
    if not (report.added or report.changed or report.removed):
        changes = "nothing changed"
    return (
        f"{report.posts} posts, {report.chunks} chunks: {changes}, {_skipped(report)}; "
        f"{report.embedded} texts embedded; {report.seconds:.1f} s. {report.embedder_reason}"
    )


def _skipped(report: Report) -> str:
    reasons = Counter(
        skip.reason if skip.reason in VISIBILITY else "unreadable" for skip in report.skipped
    )
    if not reasons:
        return "none skipped"
    parts = ", ".join(f"{count} {reason}" for reason, count in sorted(reasons.items()))
    return f"{len(report.skipped)} skipped ({parts})"


STEPS = 10
"""Plain lines a stage prints at most."""


class Progress(Protocol):
    """Told what goes on; shows it or does not."""

    def start(self, stage: str, total: int) -> None:
        """A stage of `total` steps begins; the one before it is over."""
        ...

    def advance(self, steps: int) -> None:
        """So many more steps are done."""
        ...


class NoProgress:
    """Shows nothing."""

    def start(self, stage: str, total: int) -> None:
        """Do nothing."""

    def advance(self, steps: int) -> None:
        """Do nothing."""


class PlainProgress:
    """A line at every tenth of a stage, for logs and pipes."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._stage, self._total, self._done = "", 0, 0

    def start(self, stage: str, total: int) -> None:
        """Begin a stage; nothing is printed until a tenth of it is done."""
        self._stage, self._total, self._done = stage, total, 0

    def advance(self, steps: int) -> None:
        """Print a line if another tenth is full."""
        before = self._done * STEPS // max(self._total, 1)
        self._done += steps
        if self._done * STEPS // max(self._total, 1) > before:
            self._stream.write(f"{self._stage}: {self._done} of {self._total}\n")
            self._stream.flush()


@contextmanager
def progress_on(stream: TextIO = sys.stderr) -> Iterator[Progress]:
    """The right display for `stream`, gone from the terminal when the block ends."""
    if not stream.isatty():
        yield PlainProgress(stream)
        return
    with _bar(stream) as bar:
        yield bar


@contextmanager
def _bar(stream: TextIO) -> Iterator[Progress]:
    from rich import progress as rich
    from rich.console import Console

    columns = (
        rich.TextColumn("{task.description}"),
        rich.BarColumn(),
        rich.MofNCompleteColumn(),
        rich.TimeRemainingColumn(),
    )
    with rich.Progress(*columns, console=Console(file=stream), transient=True) as shown:
        yield _RichProgress(shown)


class _RichProgress:
    def __init__(self, shown: rich.progress.Progress) -> None:
        self._shown = shown

    def start(self, stage: str, total: int) -> None:
        for task in self._shown.task_ids:
            self._shown.remove_task(task)
        self._task = self._shown.add_task(stage, total=total)

    def advance(self, steps: int) -> None:
        self._shown.advance(self._task, steps)
