"""`author usage`: report which tools are called, and which questions the blog hardly answers.

Questions alike stand in one group, with the post that is nearest to them today: together the
groups are a list of posts to write.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from blog_search_mcp.index.errors import BlogSearchError, UsageError
from blog_search_mcp.index.types import Filters
from blog_search_mcp.server.cli.terminal import print_lines, print_text, tell, with_folders
from blog_search_mcp.server.engine import engine_for_one
from blog_search_mcp.server.format.results import one_line, post_summary, shorten, to_json
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
WIDTH = 100
"""Columns of a question that are printed."""

Group: TypeAlias = list[LoggedCall]
"""Searches in vain for questions alike."""


@dataclass(frozen=True, slots=True)
class Gap:
    """Questions alike that the blog hardly answers."""

    questions: list[str]
    """As last sent, the most frequent first."""
    count: int
    """How often they were asked in vain."""
    reasons: dict[str, int]
    """How often nothing was found, and how often confidence was low."""
    first: str
    """ISO day."""
    last: str
    nearest: dict[str, Any] | None
    """The post that a search finds today and how surely; `None` for none."""


@dataclass(frozen=True, slots=True)
class Missed:
    """What readers miss."""

    missed: list[Gap]
    """Those asked most often first, SHOWN at most."""
    more: int
    """Groups that are not among them."""
    answered: int
    """Groups left out, since a search is sure of an answer by now."""
    notice: str | None
    """What the reader must know of the grouping, in a sentence."""


def usage(settings: Settings, since: str = "", *, as_json: bool = False) -> int:
    """Print the report; returns the exit status, 1 if there is nothing to report on."""
    try:
        calls = _read_calls(settings, since)
    except UsageError as error:
        tell(str(error), settings)
        return 1
    missed = find_missed(calls, engine_for_one(settings))
    days = [call.day for call in calls]
    tools = dict(Counter(call.tool for call in calls).most_common())
    if as_json:
        facts = {"calls": len(calls), "first": min(days), "last": max(days), "tools": tools}
        print_text(to_json(facts | asdict(missed)))
    else:
        counts = ", ".join(f"{tool} {count:,}" for tool, count in tools.items())
        notice = [with_folders(missed.notice, settings)] if missed.notice else []
        calls_line = f"Calls from {min(days)} to {max(days)}: {counts}."
        print_lines([calls_line, "", *_write_missed(missed), *notice])
    return 0


def _read_calls(settings: Settings, since: str) -> Sequence[LoggedCall]:
    """Read the calls from the day `since` on, one at least. Raises UsageError."""
    path = settings.usage_log
    if path is None:
        raise UsageError(
            "No usage log is named, and without one nothing is recorded. Start the server with "
            "`--usage-log FILE`, or set BLOG_USAGE_LOG for both, and ask again later."
        )
    try:
        calls = [call for call in UsageLog(path).read_calls() if call.day >= since]
    except OSError as error:
        raise UsageError(
            f"The usage log {path} cannot be read: {error.strerror}. Name the file that the "
            "server logs in."
        ) from error
    if not calls:
        span = f"since {since}" if since else "yet"
        raise UsageError(f"{path} holds no calls {span}.")
    return calls


def find_missed(calls: Sequence[LoggedCall], engine: Engine) -> Missed:
    """Group what was asked in vain, and look up what is nearest today.

    Without an index that can be used each question stands for itself.
    """
    groups, notice = _group_by_words(calls), None
    try:
        groups, notice = _join_alike(groups, engine)
    except BlogSearchError as error:
        notice = error.for_clients
    gaps = [_describe(group, engine) for group in groups[:LOOKED_UP]]
    open_gaps = [gap for gap in gaps if not (gap.nearest and gap.nearest["confidence"] == "high")]
    shown, answered = open_gaps[:SHOWN], len(gaps) - len(open_gaps)
    return Missed(shown, len(groups) - len(shown) - answered, answered, notice)


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
    from blog_search_mcp.index.relations.questions import compare_questions, group_alike

    compared = groups[:COMPARED]
    likeness = compare_questions(corpus, [group[-1].query for group in compared])
    joined = [
        sorted((call for place in places for call in compared[place]), key=lambda call: call.time)
        for places in group_alike(likeness.values)
    ]
    return sorted([*joined, *groups[COMPARED:]], key=_rank, reverse=True), likeness.notice


def _describe(group: Group, engine: Engine) -> Gap:
    latest = {_key(call): call.query for call in group}
    keys = Counter(_key(call) for call in group).most_common()
    questions = [latest[key] for key, _ in keys]
    reasons = Counter("low confidence" if call.hits else "nothing found" for call in group)
    nearest = _find_nearest(engine, questions[0])
    return Gap(questions, len(group), dict(reasons), group[0].day, group[-1].day, nearest)


def _find_nearest(engine: Engine, question: str) -> dict[str, Any] | None:
    try:
        answer = engine.search(question, Filters(), limit=1, offset=0)
    except BlogSearchError:
        return None
    if not answer.hits:
        return None
    [hit] = answer.hits
    place = {"chunk_index": hit.chunk.index, "score": round(hit.score, 3)}
    return {**post_summary(hit.post), **place, "confidence": answer.confidence}


def _write_missed(missed: Missed) -> Iterator[str]:
    if missed.missed:
        yield "What readers miss (questions alike stand together):"
    else:
        yield "Every question found something the blog says."
    for gap in missed.missed:
        question, *others = (shorten(one_line(each), WIDTH) for each in gap.questions)
        reasons = ", ".join(f"{reason} {count}" for reason, count in gap.reasons.items())
        yield f"  {gap.count:>4}×  {question}  ({reasons}; {gap.first} to {gap.last})"
        if others:
            yield f"         also: {'; '.join(others[:3])}"
        if nearest := gap.nearest:
            facts = filter(None, (nearest.get("date"), f"{nearest['confidence']} confidence"))
            yield f"         nearest: {nearest['title']} ({', '.join(facts)})"
    if missed.more or missed.answered:
        answered = f"{missed.answered:,} that have a sure answer by now"
        yield f"Not listed: {missed.more:,} more, {answered}."
