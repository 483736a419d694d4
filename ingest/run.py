"""One ingest as far as it has come: a look at the folder and what has become of its files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ingest.look import Look
    from ingest.outcome import Outcome
    from ingest.tally import Tally


@dataclass(frozen=True, slots=True)
class Run:
    """One look at the folder, and what has become of its files so far."""

    look: Look
    tally: Tally
    """Of the files that were read."""
    outcomes: Iterator[Outcome]
    """Of the others, beginning with one that has changed, if any has."""
    changes: bool
