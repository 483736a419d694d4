"""What was seen in, the words for a person, a file or a program out: pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

from benchmarks.load.clients import Seen
from benchmarks.load.refusals import RIGHT, Answer, Answers

MARKED = re.compile(r"(<!-- load -->\n).*?(<!-- /load -->)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Load:
    """One run."""

    command: str
    commit: str
    machine: str
    posts: int
    clients: int
    seconds: float
    alone: Seen
    """One client, before the others came."""
    together: Seen
    cpu_seconds: float
    """That the server used for both, its start left out."""
    answers: Answers
    """To what must be refused."""

    @property
    def holds(self) -> bool:
        """Whether no call failed and every refusal was the right one."""
        wrong = [kind for kind, right in RIGHT.items() if set(self.answers[kind]) != {right}]
        return not (self.alone.errors or self.together.errors or wrong)


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least `share` of `values` do not exceed; values are not empty."""
    return sorted(values)[max(0, ceil(share * len(values)) - 1)]


def as_data(load: Load) -> dict[str, Any]:
    """All of it, as JSON takes it."""
    return {
        "command": load.command,
        "commit": load.commit,
        "machine": load.machine,
        "posts": load.posts,
        "seconds": load.seconds,
        "holds": load.holds,
        "phases": [_phase(1, load.alone), _phase(load.clients, load.together)],
        "cpu_ms_per_call": 1000 * load.cpu_seconds / (_calls(load.alone) + _calls(load.together)),
        "refusals": {kind: dict(counts) for kind, counts in load.answers.items()},
    }


def as_markdown(load: Load) -> str:
    """A table of calls and one of refusals."""
    data = as_data(load)
    return "\n".join(
        [
            f"`{load.command}` at `{load.commit[:12]}`, {load.posts} posts, {load.machine}. "
            f"The server used {data['cpu_ms_per_call']:.1f} ms of processor time for a call.",
            "",
            "| clients | tool | calls | errors | p50 ms | p95 ms | p99 ms |",
            "|---|---|---|---|---|---|---|",
            *(
                f"| {phase['clients']} | `{row['tool']}` | {row['calls']:,} | {phase['errors']} "
                f"| {row['p50_ms']:.0f} | {row['p95_ms']:.0f} | {row['p99_ms']:.0f} |"
                for phase in data["phases"]
                for row in phase["tools"]
            ),
            "",
            "| refused meanwhile | sent | answered |",
            "|---|---|---|",
            *(
                f"| {kind} | {counts.total()} | {_answers(counts)} |"
                for kind, counts in load.answers.items()
            ),
            "",
        ]
    )


def _phase(clients: int, seen: Seen) -> dict[str, Any]:
    tools = [_row(tool, values) for tool, values in seen.seconds.items() if values]
    return {"clients": clients, "errors": len(seen.errors), "tools": tools}


def _row(tool: str, seconds: Sequence[float]) -> dict[str, Any]:
    times = {f"p{share}_ms": 1000 * percentile(seconds, share / 100) for share in (50, 95, 99)}
    return {"tool": tool, "calls": len(seconds), **times}


def _calls(seen: Seen) -> int:
    return max(1, sum(map(len, seen.seconds.values())))


def _answers(counts: Counter[Answer]) -> str:
    return ", ".join(f"{answer} ({count})" for answer, count in counts.most_common())
