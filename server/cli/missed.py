"""`author usage`: report which tools are called, and which questions the blog hardly answers."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from blog_search_mcp.index.errors import BlogSearchError, UsageError
from blog_search_mcp.index.types import Filters
from blog_search_mcp.server.cli.terminal import Facts, show
from blog_search_mcp.server.engine import Engine, engine_for_one
from blog_search_mcp.server.format.results import post_summary
from blog_search_mcp.server.settings import Settings
from blog_search_mcp.server.usage import LoggedCall, read_calls

LOOKED_UP, SHOWN = 50, 20
"""Questions that are searched for again and that are listed at most, the most frequent."""
SURE = 0.5
"""Certainty from which a question is answered today."""


def report_usage(settings: Settings, *, as_json: bool) -> int:
    """Print which tools were called, and which questions the blog hardly answers, even today.

    Questions with the same words are one. Raises UsageError where there are no calls.
    """
    if settings.usage_log is None:
        raise UsageError("No usage log is named: see `--usage-log FILE`, for the server too.")
    calls = read_calls(settings.usage_log)
    if not calls:
        raise UsageError(f"{settings.usage_log} holds no calls yet.")
    asked = defaultdict[str, list[LoggedCall]](list)
    for call in calls:
        if call.is_missed:
            asked[" ".join(sorted(re.findall(r"\w+", call.query.casefold())))].append(call)
    most = sorted(asked.values(), key=lambda same: (len(same), same[-1].time), reverse=True)
    missed, notice, engine = list[Facts](), None, engine_for_one(settings)
    for same in most[:LOOKED_UP]:
        nearest = None
        try:
            nearest = _find_nearest(engine, same[-1].query)
        except BlogSearchError as error:
            notice = error.for_clients
        if (nearest or {}).get("certainty", 0.0) < SURE:
            facts = {"question": same[-1].query, **_count(same), "nearest": nearest}
            missed.append(facts)
    tools = dict(Counter(call.tool for call in calls).most_common())
    facts = {**_count(calls, "calls"), "tools": tools, "missed": missed[:SHOWN], "notice": notice}
    show(facts, settings, as_json=as_json)
    return 0


def _count(calls: Sequence[LoggedCall], name: str = "count") -> Facts:
    days = [call.day for call in calls]
    return {name: len(calls), "first": min(days), "last": max(days)}


def _find_nearest(engine: Engine, question: str) -> Facts | None:
    """Return the post that a search finds first today, with its certainty."""
    answer = engine.search(question, Filters(), limit=1, offset=0)
    hits = (post_summary(hit.post) for hit in answer.hits)
    return next(({**post, "certainty": answer.certainty} for post in hits), None)
