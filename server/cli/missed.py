"""`author usage`: report which tools are called, and which questions the blog hardly answers.

Questions alike stand in one group, with the post that is nearest to them today: together the
groups are a list of posts to write.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from datetime import date
from typing import TYPE_CHECKING, TypeAlias

from blog_search_mcp.index.errors import BlogSearchError, UsageError
from blog_search_mcp.index.types import Filters
from blog_search_mcp.server.cli.terminal import Facts, show
from blog_search_mcp.server.engine import engine_for_one
from blog_search_mcp.server.format.results import one_line, post_summary
from blog_search_mcp.server.tools.search_blog import SEARCH_BLOG
from blog_search_mcp.server.usage import LoggedCall, UsageLog

if TYPE_CHECKING:
    from blog_search_mcp.server.engine import Engine
    from blog_search_mcp.server.settings import Settings

COMPARED = 300
"""Questions that are compared with each other, the most frequent."""
LOOKED_UP = 50
"""Groups that are searched for: under a second, where a full log has thousands of questions."""
SHOWN = 20
"""Groups that are listed."""

Group: TypeAlias = list[LoggedCall]
"""Searches in vain for questions alike."""


def report_usage(settings: Settings, since: date | None, *, as_json: bool) -> int:
    """Print the report on the calls from the day `since` on. Raises UsageError for none."""
    calls = _read_calls(settings, since)
    days = [call.day for call in calls]
    tools = dict(Counter(call.tool for call in calls).most_common())
    facts = {"calls": len(calls), "first": min(days), "last": max(days), "tools": tools}
    missed = find_missed(calls, engine_for_one(settings))
    show(facts | missed, settings, as_json=as_json)
    return 0


def _read_calls(settings: Settings, since: date | None) -> Sequence[LoggedCall]:
    """Read the calls from the day `since` on, one at least. Raises UsageError."""
    path = settings.usage_log
    if path is None:
        raise UsageError(
            "No usage log is named, and without one nothing is recorded. Start the server with "
            "`--usage-log FILE`, or set BLOG_USAGE_LOG for both, and ask again later."
        )
    try:
        calls = [*UsageLog(path).read_calls()]
    except OSError as error:
        raise UsageError(
            f"The usage log {path} cannot be read: {error.strerror}. Name the file that the "
            "server logs in."
        ) from error
    calls = [call for call in calls if since is None or call.time.date() >= since]
    if not calls:
        span = f"since {since}" if since else "yet"
        raise UsageError(f"{path} holds no calls {span}.")
    return calls


def find_missed(calls: Sequence[LoggedCall], engine: Engine) -> Facts:
    """Group what was asked in vain, the most often asked first, and look up what is nearest today.

    Without an index that can be used each question stands for itself, and `notice` says why.
    `more` groups are not shown, `answered` ones have a sure answer by now.
    """
    groups, notice = _group_by_words(calls), None
    try:
        groups, notice = _join_alike(groups, engine)
    except BlogSearchError as error:
        notice = error.for_clients
    gaps = [_describe(group, engine) for group in groups[:LOOKED_UP]]
    open_gaps = [gap for gap in gaps if (gap["nearest"] or {}).get("confidence") != "high"]
    shown, answered = open_gaps[:SHOWN], len(gaps) - len(open_gaps)
    more = len(groups) - len(shown) - answered
    return {"missed": shown, "more": more, "answered": answered, "notice": notice}


def _group_by_words(calls: Sequence[LoggedCall]) -> list[Group]:
    """Group the searches that found nothing, or little, by words; case and spaces do not count.

    A further page of a search is no new question.
    """
    groups: dict[str, Group] = {}
    for call in calls:
        is_search = call.tool == SEARCH_BLOG.name and call.hits is not None and not call.offset
        if is_search and (call.hits == 0 or call.confidence == "low"):
            groups.setdefault(_key(call), []).append(call)
    return sorted(groups.values(), key=_rank, reverse=True)


def _key(call: LoggedCall) -> str:
    return one_line(call.query.casefold())


def _rank(group: Group) -> tuple[object, ...]:
    return len(group), group[-1].time


def _join_alike(groups: Sequence[Group], engine: Engine) -> tuple[list[Group], str | None]:
    """Join groups alike; also returns what the reader must know. Raises BlogSearchError."""
    corpus = engine.corpus()
    from blog_search_mcp.index.relations.questions import group_questions

    compared = groups[:COMPARED]
    alike, notice = group_questions(corpus, [group[-1].query for group in compared])
    joined = [
        sorted((call for place in places for call in compared[place]), key=lambda call: call.time)
        for places in alike
    ]
    return sorted([*joined, *groups[COMPARED:]], key=_rank, reverse=True), notice


def _describe(group: Group, engine: Engine) -> Facts:
    """Say what was asked and how often, why in vain, when, and what a search finds today."""
    latest = {_key(call): call.query for call in group}
    questions = [latest[key] for key, _ in Counter(_key(call) for call in group).most_common()]
    reasons = Counter("low confidence" if call.hits else "nothing found" for call in group)
    days = {"first": group[0].day, "last": group[-1].day}
    nearest = None
    with suppress(BlogSearchError):
        answer = engine.search(questions[0], Filters(), limit=1, offset=0)
        for hit in answer.hits:
            place = {"chunk_index": hit.chunk.index, "score": round(hit.score, 3)}
            nearest = {**post_summary(hit.post), **place, "confidence": answer.confidence}
    facts = {"questions": questions, "count": len(group), "reasons": dict(reasons), **days}
    return facts | {"nearest": nearest}
