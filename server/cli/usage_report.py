"""`blog-server usage`: report what an author can learn from the usage log.

Which tools are used, what is slow, and above all which queries the blog does not answer, which
is what to write next.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from statistics import median_low

from blog_search_mcp.server.cli.terminal import escape_controls
from blog_search_mcp.server.format.results import one_line
from blog_search_mcp.server.settings import Settings
from blog_search_mcp.server.tools.registry import Toolset
from blog_search_mcp.server.usage import LoggedCall, UsageLog

SHOWN = 20
"""Unanswered queries that are listed."""
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
    try:
        calls = list(UsageLog(settings.usage_log).calls())
    except OSError as error:
        reason = f"{error.strerror}. Name the file that the server logs in"
        sys.stderr.write(f"The usage log {settings.usage_log} cannot be read: {reason}.\n")
        return 1
    if not calls:
        sys.stderr.write(f"{settings.usage_log} holds no calls yet.\n")
        return 1
    offered = [tool.name for tool in Toolset(settings.toolset).tools]
    sys.stdout.write("\n".join(report(calls, offered)) + "\n")
    return 0


def report(calls: Sequence[LoggedCall], offered: Sequence[str]) -> list[str]:
    """Write the report's lines; there is at least one call."""
    days = [call.time.date().isoformat() for call in calls]
    used = Counter(call.tool for call in calls)
    never = [name for name in offered if name not in used]
    slowest = sorted(calls, key=lambda call: -call.ms)[:SLOWEST]
    return [
        f"{len(calls):,} call{'' if len(calls) == 1 else 's'} from {min(days)} to {max(days)}.",
        "",
        f"{'':<14}{'calls':>8}{'failed':>8}{'median ms':>11}{'slowest ms':>12}",
        *(_row(tool, [call for call in calls if call.tool == tool]) for tool in _by_count(used)),
        *([f"Never used: {', '.join(never)}."] if never else []),
        "",
        "Slowest:",
        *(f"  {call.ms:>7,} ms  {call.tool}  {_plain(call.query)}" for call in slowest),
        "",
        *_unanswered_lines(unanswered(calls)),
    ]


def unanswered(calls: Sequence[LoggedCall]) -> list[tuple[str, int, bool]]:
    """Return queries with no hits or low confidence, as last sent, with their count.

    The third value is whether there were no hits. Most frequent first. Case and spaces do not
    tell two queries apart; a further page of one is no new query.
    """
    first_pages = [call for call in calls if call.hits is not None and call.offset == 0]
    missed = [call for call in first_pages if call.hits == 0 or call.confidence == "low"]
    keys = [one_line(call.query.casefold()) for call in missed]
    last, counts = dict(zip(keys, missed, strict=True)), Counter(keys)
    return [(last[key].query, counts[key], last[key].hits == 0) for key in _by_count(counts)]


def _unanswered_lines(missed: Sequence[tuple[str, int, bool]]) -> list[str]:
    if not missed:
        return ["Every question found something the blog says."]
    lines = [
        f"  {count:>4}×  {_plain(query)}  ({'nothing found' if nothing else 'low confidence'})"
        for query, count, nothing in missed[:SHOWN]
    ]
    left = len(missed) - len(lines)
    more = [f"  and {left:,} more"] if left else []
    return ["Questions the blog could not answer:", *lines, *more]


def _row(tool: str, calls: Sequence[LoggedCall]) -> str:
    failed = sum(call.failed for call in calls)
    times = [call.ms for call in calls]
    return f"{tool:<14}{len(calls):>8,}{failed:>8,}{median_low(times):>11,}{max(times):>12,}"


def _by_count(counts: Counter[str]) -> list[str]:
    return sorted(counts, key=lambda name: (-counts[name], name))


def _plain(query: str) -> str:
    return escape_controls(one_line(query))
