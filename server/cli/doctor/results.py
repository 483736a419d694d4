"""The result of a check, and how results are printed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

State: TypeAlias = Literal["ok", "warning", "problem"]
"""What has a warning works, though not as well as it could; what has a problem does not work."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What one check tells."""

    subject: str
    """What was checked, in a word or two."""
    state: State
    text: str
    """How it is and, unless that is well, what to do, in a sentence or two."""


def write_results(results: Sequence[CheckResult]) -> Iterator[str]:
    """Write a line for each result, and one of totals."""
    width = max((len(result.subject) for result in results), default=0)
    for result in results:
        yield f"{result.state:<9}{result.subject:<{width + 2}}{result.text}"
    states = Counter(result.state for result in results)
    bad = [f"{state}s: {states[state]}" for state in ("problem", "warning") if states[state]]
    yield f"{', '.join(bad).capitalize()}." if bad else "All is well."
