"""`blog-search-mcp author usage`: report what an author can learn from the usage log.

Which tools are used, what is slow, and above all which questions the blog does not answer, which
is what to write next.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from statistics import median_low
from typing import Any

from blog_search_mcp.server.cli.missed import EXAMPLES, Gap, Missed, find_missed
from blog_search_mcp.server.cli.terminal import escape_controls, print_text, with_folders
from blog_search_mcp.server.engine import engine_for_one
from blog_search_mcp.server.format.results import one_line, post_summary, shorten, to_json
from blog_search_mcp.server.settings import Settings
from blog_search_mcp.server.tools.registry import TOOLSETS
from blog_search_mcp.server.usage import LoggedCall, UsageLog

SLOWEST = 5
WIDTH = 100
"""Columns of a question that are shown."""
OFF = (
    "No usage log is named, and without one nothing is recorded. Start the server with "
    "`--usage-log FILE`, or set BLOG_USAGE_LOG for both, and ask again later."
)


def usage(settings: Settings, since: str = "", *, as_json: bool = False) -> int:
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
    calls = [call for call in calls if not since or call.time.date().isoformat() >= since]
    if not calls:
        span = f" since {since}" if since else " yet"
        sys.stderr.write(f"{settings.usage_log} holds no calls{span}.\n")
        return 1
    offered = [tool.name for tool in TOOLSETS[settings.toolset]]
    summary = summarise(calls, offered)
    missed = find_missed(calls, engine_for_one(settings))
    if as_json:
        print_text(to_json({**usage_facts(summary), **missed_facts(missed)}))
    else:
        lines = [*report(summary), "", *_missed_lines(missed)]
        print_text(with_folders("\n".join(lines), settings))
    return 0


@dataclass(frozen=True, slots=True)
class ToolUse:
    """How one tool is used."""

    name: str
    calls: int
    failed: int
    median_ms: int
    slowest_ms: int


@dataclass(frozen=True, slots=True)
class Summary:
    """What was called."""

    calls: int
    first: str
    """ISO day."""
    last: str
    tools: tuple[ToolUse, ...]
    """The one called most often first."""
    never: tuple[str, ...]
    """Tools that are offered and were not called."""
    slowest: tuple[LoggedCall, ...]


def summarise(calls: Sequence[LoggedCall], offered: Sequence[str]) -> Summary:
    """Sum up the calls, of which there is one at least."""
    days = [call.time.date().isoformat() for call in calls]
    used = Counter(call.tool for call in calls)
    names = sorted(used, key=lambda name: (-used[name], name))
    return Summary(
        len(calls),
        min(days),
        max(days),
        tuple(_use(name, [call for call in calls if call.tool == name]) for name in names),
        tuple(name for name in offered if name not in used),
        tuple(sorted(calls, key=lambda call: -call.ms)[:SLOWEST]),
    )


def _use(name: str, calls: Sequence[LoggedCall]) -> ToolUse:
    times = [call.ms for call in calls]
    failed = sum(call.failed for call in calls)
    return ToolUse(name, len(calls), failed, median_low(times), max(times))


def report(summary: Summary) -> list[str]:
    """Write the lines on what was called."""
    plural = "" if summary.calls == 1 else "s"
    return [
        f"{summary.calls:,} call{plural} from {summary.first} to {summary.last}.",
        "",
        f"{'':<14}{'calls':>8}{'failed':>8}{'median ms':>11}{'slowest ms':>12}",
        *(
            f"{tool.name:<14}{tool.calls:>8,}{tool.failed:>8,}"
            f"{tool.median_ms:>11,}{tool.slowest_ms:>12,}"
            for tool in summary.tools
        ),
        *([f"Never used: {', '.join(summary.never)}."] if summary.never else []),
        "",
        "Slowest:",
        *(f"  {call.ms:>7,} ms  {call.tool}  {_plain(call.query)}" for call in summary.slowest),
    ]


def _missed_lines(missed: Missed) -> Iterator[str]:
    """Write what readers miss: each group of questions with what is nearest."""
    if missed.gaps:
        yield "What readers miss (questions alike stand together):"
    else:
        yield "Every question found something the blog says."
    for gap in missed.gaps:
        question, *others = (shorten(_plain(each), WIDTH) for each in gap.questions)
        span = gap.first if gap.first == gap.last else f"{gap.first} to {gap.last}"
        whys = ", ".join(
            why if len(gap.whys) == 1 else f"{why} {count}" for why, count in _whys(gap)
        )
        yield f"  {gap.count:>4}×  {question}  ({whys}; {span})"
        if others:
            left = len(others) - EXAMPLES + 1
            more = f"; and {left:,} more" if left > 0 else ""
            yield f"         also: {'; '.join(others[: EXAMPLES - 1])}{more}"
        if gap.nearest:
            hit = gap.nearest.hits[0]
            facts = ", ".join(filter(None, (hit.post.date, f"{gap.nearest.confidence} confidence")))
            yield f"         nearest: {shorten(_plain(hit.post.title), WIDTH)} ({facts})"
    if missed.others:
        yield f"  and {missed.others:,} more"
    if missed.answered:
        yield f"Left out, as a search is sure of an answer by now: {missed.answered:,}."
    if missed.notice:
        yield missed.notice


def _whys(gap: Gap) -> list[tuple[str, int]]:
    return sorted(gap.whys.items(), key=lambda each: (-each[1], each[0]))


def usage_facts(summary: Summary) -> dict[str, Any]:
    """Write the summary for machines."""
    slowest = [{"tool": call.tool, "query": call.query, "ms": call.ms} for call in summary.slowest]
    return {
        "calls": summary.calls,
        "first": summary.first,
        "last": summary.last,
        "tools": [asdict(tool) for tool in summary.tools],
        "never_used": list(summary.never),
        "slowest": slowest,
    }


def missed_facts(missed: Missed) -> dict[str, Any]:
    """Write what readers miss for machines."""
    return {
        "missed": [
            {
                "questions": list(gap.questions),
                "count": gap.count,
                "reasons": dict(_whys(gap)),
                "first": gap.first,
                "last": gap.last,
                "nearest": gap.nearest
                and {
                    **post_summary(gap.nearest.hits[0].post),
                    "chunk_index": gap.nearest.hits[0].chunk.index,
                    "score": round(gap.nearest.hits[0].score, 3),
                    "confidence": gap.nearest.confidence,
                },
            }
            for gap in missed.gaps
        ],
        "more": missed.others,
        "answered": missed.answered,
        **({"notice": missed.notice} if missed.notice else {}),
    }


def _plain(query: str) -> str:
    return escape_controls(one_line(query))
