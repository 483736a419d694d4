"""How far a long run is, on stderr: a bar on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol, TextIO

if TYPE_CHECKING:
    import rich.progress

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
