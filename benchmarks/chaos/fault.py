"""A fault that was made and what came of it: one row of the table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeAlias

Say: TypeAlias = Callable[[str], None]
"""Takes a sentence of progress."""


@dataclass(frozen=True, slots=True)
class Options:
    """What the groups may use."""

    blog: Path
    """A content folder; it is copied, never written to."""
    nasty: Path | None
    """The folder of hard inputs, if there is one at hand."""
    work: Path
    """An empty folder for whatever a group makes."""
    runs: int
    """How often a fault at a random instant is made."""
    seed: int


@dataclass(frozen=True, slots=True)
class Fault:
    """One kind of fault after all its runs."""

    what: str
    """What breaks: `ingest killed`."""
    made: str
    """How: `kill -9 at a random instant`."""
    runs: int
    held: int
    """Runs after which the reader had an honest answer and nothing was lost; `runs` if all is
    well."""
    seen: str
    """What the reader saw, in a few words or the message itself."""
    lost: str = "nothing"


class Group(Protocol):
    """A module of `benchmarks.chaos.groups`."""

    def faults(self, options: Options, say: Say) -> tuple[Fault, ...]:
        """Make every fault of the group."""
        ...
