"""`blog-server usage`: report what an author can learn from the usage log.

Which tools are used, what is slow, and above all which queries the blog does not answer, which
is what to write next.
"""

from __future__ import annotations

import sys
from collections import Counter
from statistics import median_low
from typing import TYPE_CHECKING

from blog_search_mcp.server.tools.registry import Toolset
from blog_search_mcp.server.usage import UsageLog

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from blog_search_mcp.server.settings import Settings
    from blog_search_mcp.server.usage import LoggedCall

SHOWN = 20
"""Unanswered questions that are listed."""
SLOWEST = 5
OFF = (
    "No usage log is named, and without one nothing is recorded. Start the server with "
    "`--usage-log FILE`, or set BLOG_USAGE_LOG for both, and ask again later."
)


def usage(settings: Settings) -> int:
    """Print the report; returns the exit status, 1 if there is nothing to report on."""
    if settings.usage_log is None:
        sys.stderr.write(f"{OFF}\n")
        return 1
    calls = list(UsageLog(settings.usage_log).calls())
    if not calls:
        sys.stderr.write(f"{settings.usage_log} holds no calls yet.\n")
        return 1
    offered = [tool.name for tool in Toolset(settings.extended).tools]
    sys.stdout.write("\n".join(report(calls, offered)) + "\n")
    return 0


def report(calls: Sequence[LoggedCall], offered: Sequence[str]) -> list[str]:
    """Write the report's lines; `calls` are not none."""
    first, last = (time.date().isoformat() for time in _ends(calls))
    used = Counter(call.tool for call in calls)
    never = [name for name in offered if name not in used]
    return [
        f"{_counted(len(calls), 'call')} from {first} to {last}.",
        "",
        f"{'':<14}{'calls':>8}{'failed':>8}{'median ms':>11}{'slowest ms':>12}",
        *(_row(tool, [call for call in calls if call.tool == tool]) for tool, _ in _most(used)),
        *([f"Never used: {', '.join(never)}."] if never else []),
        "",
        "Slowest:",
        *(f"  {call.ms:>7,} ms  {call.tool}  {_plain(call.query)}" for call in _slowest(calls)),
        "",
        *_unanswered(calls),
    ]


def unanswered(calls: Sequence[LoggedCall]) -> list[tuple[str, int, bool]]:
    """Questions that found nothing, or nothing sure: as last asked, how often, whether nothing.

    Most frequent first. Case and spaces do not tell two questions apart; a further page of one
    is no new question.
    """
    asked = [call for call in calls if call.hits is not None and call.offset == 0]
    missed = [call for call in asked if call.hits == 0 or call.confidence == "low"]
    last = {_key(call.query): call for call in missed}
    counts = Counter(_key(call.query) for call in missed)
    return [(last[key].query, count, last[key].hits == 0) for key, count in _most(counts)]


def _unanswered(calls: Sequence[LoggedCall]) -> list[str]:
    missed = unanswered(calls)
    if not missed:
        return ["Every question found something the blog says."]
    shown = [
        f"  {count:>4}×  {_plain(query)}  ({'nothing found' if nothing else 'low confidence'})"
        for query, count, nothing in missed[:SHOWN]
    ]
    left = len(missed) - len(shown)
    more = [f"  and {left:,} more"] if left else []
    return ["Questions the blog could not answer:", *shown, *more]


def _row(tool: str, calls: Sequence[LoggedCall]) -> str:
    failed = sum(call.failed for call in calls)
    times = [call.ms for call in calls]
    middle, slowest = median_low(times), max(times)
    return f"{tool:<14}{len(calls):>8,}{failed:>8,}{middle:>11,}{slowest:>12,}"


def _ends(calls: Sequence[LoggedCall]) -> tuple[datetime, datetime]:
    times = [call.time for call in calls]
    return min(times), max(times)


def _slowest(calls: Sequence[LoggedCall]) -> list[LoggedCall]:
    return sorted(calls, key=lambda call: -call.ms)[:SLOWEST]


def _most(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def _key(query: str) -> str:
    return " ".join(query.casefold().split())


def _plain(query: str) -> str:
    """Return what a terminal may have on one line: it would obey a control character."""
    one_line = " ".join(query.split())
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in one_line)


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
