"""One kind of fault of an Ollama, and what came of it once it was made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.chaos.ollama.stage import Stage

LASTING = 1000
"""Requests, more than any run here makes."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What is broken, how, and what people may see of it."""

    what: str
    made: str
    make: Callable[[Stage], object]
    seen: str = ""
    """A pattern in what the author or the reader is told; empty if they are told nothing."""
    lost: int = 0
    """Passages that have no vector after the run."""
    mend: str = "run again"
    """How the author gets out of a refusal: `run again` once Ollama is well, or `--rebuild`."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One kind of fault after it was made."""

    seen: str
    """What was said; empty for nothing."""
    lost: str
    faults: tuple[str, ...]
    """What did not hold, in words; empty if all did."""
