"""What the doctor found, one frozen value a line: findings in, lines or JSON and a status out."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

State: TypeAlias = Literal["ok", "warning", "problem"]
"""A warning is something that works, though not as well as it could; a problem does not work."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the doctor's."""

    subject: str
    """What was looked at, in a word or two."""
    state: State
    said: str
    """What was found, in a sentence."""
    mend: str | None = None
    """What to type, or to write where; `None` exactly if all is well."""


def exit_status(findings: Sequence[Finding]) -> int:
    """Return 1 if there is a problem, else 0."""
    return int(any(finding.state == "problem" for finding in findings))


def as_lines(findings: Sequence[Finding]) -> list[str]:
    """One line for each finding, one below it for what mends it, and a line of numbers."""
    width = max((len(finding.subject) for finding in findings), default=0)
    lines = []
    for finding in findings:
        lines.append(f"{finding.state:<9}{finding.subject:<{width + 2}}{finding.said}")
        if finding.mend:
            lines.append(f"{'':<{9 + width + 2}}→ {finding.mend}")
    return [*lines, _summary(findings)]


def as_json(findings: Sequence[Finding]) -> str:
    """Write the same findings for machines, with the worst state of all."""
    worst = max((finding.state for finding in findings), key=_badness, default="ok")
    found = {"state": worst, "findings": [asdict(finding) for finding in findings]}
    return json.dumps(found, ensure_ascii=False, indent=2)


def _summary(findings: Sequence[Finding]) -> str:
    problems, warnings = (
        sum(finding.state == state for finding in findings) for state in ("problem", "warning")
    )
    if not problems and not warnings:
        return "All is well."
    return f"{_count(problems, 'problem')}, {_count(warnings, 'warning')}."


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _badness(state: State) -> int:
    return ("ok", "warning", "problem").index(state)
