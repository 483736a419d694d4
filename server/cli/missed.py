"""What readers miss: the questions of the usage log that the blog hardly answers, in groups.

A group has questions that are alike, and the post that is nearest to them today: together they are
a list of posts to write.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal

from blog_search_mcp.index.errors import BlogSearchError
from blog_search_mcp.index.types import Answer, Filters
from blog_search_mcp.server.format.results import one_line
from blog_search_mcp.server.tools.search_blog import SEARCH_BLOG

if TYPE_CHECKING:
    from blog_search_mcp.server.engine import Engine
    from blog_search_mcp.server.usage import LoggedCall

Why = Literal["nothing found", "low confidence", "not read"]

FOLLOWED = timedelta(minutes=5)
"""Within which a client that relies on a hit reads it."""
GROUPED = 300
"""Questions that are compared with each other, the most frequent."""
SHOWN = 20
"""Groups that are listed."""
LOOKED_UP = 100
"""Groups that are searched for: a second or two, where a full log has thousands of questions."""
EXAMPLES = 4
"""Wordings of a group that are listed."""


@dataclass(frozen=True, slots=True)
class Gap:
    """Questions alike that the blog hardly answers."""

    questions: tuple[str, ...]
    """As last sent, the most frequent first."""
    whys: Counter[Why]
    """How often for which reason."""
    first: str
    """ISO day."""
    last: str
    nearest: Answer | None = None
    """What a search finds today, one hit; `None` if nothing, or there is no index to ask."""

    @property
    def count(self) -> int:
        """How often they were asked in vain."""
        return self.whys.total()


@dataclass(frozen=True, slots=True)
class Missed:
    """What readers miss."""

    gaps: tuple[Gap, ...]
    """Those asked most often first, SHOWN at most."""
    others: int
    """Groups that are not among them."""
    answered: int
    """Groups left out, since a search is sure of an answer by now."""
    notice: str | None = None


def find_missed(calls: Sequence[LoggedCall], searcher: Engine) -> Missed:
    """Group what was asked in vain, and look up what is nearest today.

    Without an index that can be used each question stands for itself.
    """
    gaps = [_gap(asked) for asked in _by_words(find_weak(calls))]
    gaps.sort(key=_rank)
    try:
        corpus = searcher.corpus()
    except BlogSearchError as error:
        shown = gaps[:SHOWN]
        return Missed(tuple(shown), len(gaps) - len(shown), 0, error.for_clients)
    from blog_search_mcp.index.relations.questions import compare_questions, group_alike

    compared, rest = gaps[:GROUPED], gaps[GROUPED:]
    likeness = compare_questions(corpus, [gap.questions[0] for gap in compared])
    gaps = [_join([compared[place] for place in group]) for group in group_alike(likeness.values)]
    gaps = sorted([*gaps, *rest], key=_rank)
    shown, answered = [], 0
    while gaps and len(shown) < SHOWN and len(shown) + answered < LOOKED_UP:
        gap = gaps.pop(0)
        nearest = _find_nearest(searcher, gap.questions[0])
        if nearest and nearest.confidence == "high":
            answered += 1
        else:
            shown.append(Gap(gap.questions, gap.whys, gap.first, gap.last, nearest))
    return Missed(tuple(shown), len(gaps), answered, likeness.notice)


def find_weak(calls: Sequence[LoggedCall]) -> Iterator[tuple[LoggedCall, Why]]:
    """Yield the searches that found nothing, or little, or nothing that was read.

    Whether a client read on is known where the log tells its calls from those of others; what it
    was sure of may have been in the hits. A further page of a search is no new question, and what
    an author's tool searches for is no reader's.
    """
    reads: dict[str, list[datetime]] = {}
    for call in calls:
        if call.tool == "read_chunk" and call.session:
            reads.setdefault(call.session, []).append(call.time)
    for call in calls:
        if call.tool != SEARCH_BLOG.name or call.hits is None or call.offset:
            continue
        if call.hits == 0:
            yield call, "nothing found"
        elif call.confidence == "low":
            yield call, "low confidence"
        elif call.session and call.confidence != "high" and not _is_read(call, reads):
            yield call, "not read"


def _is_read(call: LoggedCall, reads: dict[str, list[datetime]]) -> bool:
    times = reads.get(call.session, [])
    place = bisect_left(times, call.time)
    return place < len(times) and times[place] - call.time <= FOLLOWED


def _by_words(weak: Iterable[tuple[LoggedCall, Why]]) -> list[list[tuple[LoggedCall, Why]]]:
    """Put calls together that differ in case and spaces alone."""
    found: dict[str, list[tuple[LoggedCall, Why]]] = {}
    for call, why in weak:
        found.setdefault(one_line(call.query.casefold()), []).append((call, why))
    return list(found.values())


def _gap(asked: Sequence[tuple[LoggedCall, Why]]) -> Gap:
    days = [call.time.date().isoformat() for call, _ in asked]
    return Gap((asked[-1][0].query,), Counter(why for _, why in asked), min(days), max(days))


def _join(gaps: Sequence[Gap]) -> Gap:
    return Gap(
        tuple(gap.questions[0] for gap in sorted(gaps, key=_rank)),
        sum((gap.whys for gap in gaps), Counter[Why]()),
        min(gap.first for gap in gaps),
        max(gap.last for gap in gaps),
    )


def _rank(gap: Gap) -> tuple[Any, ...]:
    return -gap.count, [-ord(digit) for digit in gap.last], gap.questions[0].casefold()


def _find_nearest(searcher: Engine, question: str) -> Answer | None:
    try:
        answer = searcher.search(question, Filters(), limit=1, offset=0)
    except BlogSearchError:
        return None
    return answer if answer.hits else None
