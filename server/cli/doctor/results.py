"""One result of a check, and how results are printed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from blog_search_mcp.index.errors import BlogSearchError

State: TypeAlias = Literal["ok", "warning", "problem"]
"""What has a warning works, though not as well as it could; what has a problem does not work."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What one check found."""

    subject: str
    """What was checked, in a word or two."""
    state: State
    text: str
    """What was found, in a sentence."""
    remedy: str | None = None
    """What to type, or to write where; `None` exactly if all is well."""


def exit_status(results: Sequence[CheckResult]) -> int:
    """Return 1 if there is a problem, else 0."""
    return int(any(result.state == "problem" for result in results))


def as_lines(results: Sequence[CheckResult]) -> list[str]:
    """Return one line for each result, one below it for its remedy, and a line of totals."""
    width = max((len(result.subject) for result in results), default=0)
    lines = []
    for result in results:
        lines.append(f"{result.state:<9}{result.subject:<{width + 2}}{result.text}")
        if result.remedy:
            lines.append(f"{'':<{9 + width + 2}}→ {result.remedy}")
    counts = Counter(result.state for result in results)
    bad = [count(counts["problem"], "problem"), count(counts["warning"], "warning")]
    all_is_well = counts.keys() <= {"ok"}
    return [*lines, "All is well." if all_is_well else f"{', '.join(bad)}."]


def split_message(error: BlogSearchError) -> tuple[str, str]:
    """Split a message into what happened and what to do, which a result has apart."""
    text, _, remedy = str(error).partition(". ")
    return f"{text.rstrip('.')}.", remedy


def count(number: int, noun: str) -> str:
    """Write a number with its noun, in the plural but for one."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
