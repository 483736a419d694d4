"""`author usage`: report which tools are called, and which questions the blog hardly answers.

Questions with the same words, in any order and form, stand in one group, with the post that is
nearest to them today: together the groups are a list of posts to write.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from typing import TypeAlias

from blog_search_mcp.index.analysis.query import analyse_query
from blog_search_mcp.index.errors import BlogSearchError, UsageError
from blog_search_mcp.index.types import Filters
from blog_search_mcp.server.cli.terminal import Facts, show
from blog_search_mcp.server.engine import Engine, engine_for_one
from blog_search_mcp.server.format.results import one_line, post_summary
from blog_search_mcp.server.settings import Settings
from blog_search_mcp.server.tools.search_blog import SEARCH_BLOG
from blog_search_mcp.server.usage import LoggedCall, read_calls

LOOKED_UP, SHOWN = 50, 20
"""Groups that are searched for and groups that are listed at most, the most frequent; a full log
has thousands of questions."""

Group: TypeAlias = list[LoggedCall]
"""Searches in vain for questions alike."""


def report_usage(settings: Settings, *, as_json: bool) -> int:
    """Print the report on all calls of the log. Raises UsageError for none."""
    if settings.usage_log is None:
        raise UsageError(
            "No usage log is named: start the server with `--usage-log FILE`, or set "
            "BLOG_USAGE_LOG for both, and ask again later."
        )
    calls = read_calls(settings.usage_log)
    if not calls:
        raise UsageError(f"{settings.usage_log} holds no calls yet.")
    days = [call.day for call in calls]
    tools = dict(Counter(call.tool for call in calls).most_common())
    notice, engine = None, engine_for_one(settings)
    try:
        engine.corpus()
    except BlogSearchError as error:  # then no question has a nearest post
        notice = error.for_clients
    gaps = [_describe(group, engine) for group in _group_alike(calls)[:LOOKED_UP]]
    missed = [gap for gap in gaps if (gap["nearest"] or {}).get("confidence") != "high"][:SHOWN]
    facts = {"calls": len(calls), "first": min(days), "last": max(days), "tools": tools}
    show(facts | {"missed": missed, "notice": notice}, settings, as_json=as_json)
    return 0


def _group_alike(calls: Iterable[LoggedCall]) -> list[Group]:
    """Group the searches that found nothing, or little, by what they ask for, most frequent first.

    A further page of a search is no new question.
    """
    groups: dict[frozenset[tuple[str, ...]], Group] = {}
    for call in calls:
        is_search = call.tool == SEARCH_BLOG.name and call.hits is not None and not call.offset
        if is_search and (call.hits == 0 or call.confidence == "low"):
            words = analyse_query(call.query).words
            telling = [word.stems for word in words if word.weight == 1.0]
            groups.setdefault(frozenset(telling or [(_key(call),)]), []).append(call)
    return sorted(groups.values(), key=lambda group: (len(group), group[-1].time), reverse=True)


def _key(call: LoggedCall) -> str:
    return one_line(call.query.casefold())


def _describe(group: Group, engine: Engine) -> Facts:
    """Say what was asked, how often and when, and what a search finds today."""
    latest = {_key(call): call.query for call in group}
    questions = [latest[key] for key, _ in Counter(map(_key, group)).most_common()]
    nearest = None
    with suppress(BlogSearchError):
        answer = engine.search(questions[0], Filters(), limit=1, offset=0)
        for hit in answer.hits:
            nearest = {**post_summary(hit.post), "confidence": answer.confidence}
    days = {"first": group[0].day, "last": group[-1].day}
    return {"questions": questions, "count": len(group), **days, "nearest": nearest}
