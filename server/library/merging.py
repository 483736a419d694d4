"""Merge what several blogs answer, by the blog's name: pure functions but for lists of posts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from blog_search_mcp.index.store.statistics import Counted, Overview
from blog_search_mcp.index.types import Answer, Filters, Order, Post, Posts
from blog_search_mcp.server.library.prefixes import (
    narrow,
    prefix_hit,
    prefix_post,
    split_source,
    with_name,
)

if TYPE_CHECKING:
    from blog_search_mcp.index.store.listing import PostLists


def merge_notices(notices: Mapping[str, str | None]) -> str | None:
    """Return each sentence once, after the names of the blogs that it is about."""
    names: dict[str, list[str]] = {}
    for name, notice in notices.items():
        if notice:
            names.setdefault(notice, []).append(name)
    return " ".join(f"{', '.join(about)}: {notice}" for notice, about in names.items()) or None


def merge_answers(
    answers: Mapping[str, Answer], failures: Mapping[str, str], limit: int, offset: int
) -> Answer:
    """Return the page from `offset` on, best first; each answer has all its hits up to its end.

    It is as sure as the surest of them, and then a blog that has nothing on this is no news.
    """
    surest = max(answers.values(), key=lambda answer: answer.certainty, default=None)
    if surest is None:
        return Answer((), 0, offset, "low", notice=merge_notices(failures))
    hits = [prefix_hit(name, hit) for name in answers for hit in answers[name].hits]
    hits.sort(key=lambda hit: -hit.score)
    notices = {name: answer.notice for name, answer in answers.items()}
    if surest.confidence != "low":
        notices = {name: _without_doubt(notice) for name, notice in notices.items()}
    return Answer(
        hits=tuple(hits[offset : offset + limit]),
        total=sum(answer.total for answer in answers.values()),
        offset=offset,
        confidence=surest.confidence,
        certainty=surest.certainty,
        notice=merge_notices({**notices, **failures}),
    )


def _without_doubt(notice: str | None) -> str | None:
    from blog_search_mcp.index.search.confidence import FOREIGN_NOTICE, NOTICE

    for doubt in (FOREIGN_NOTICE, NOTICE):
        notice = (notice or "").replace(doubt, "").strip()
    return notice


def merge_overviews(overviews: Mapping[str, Overview], failures: Mapping[str, str]) -> Overview:
    """Add the numbers up; each blog is a section, its own sections lie below it."""
    each = overviews.values()
    days = sorted(day for one in each for day in (one.first_day, one.last_day) if day)
    notices = {name: overview.notice for name, overview in overviews.items()}
    return Overview(
        generation=sum(one.generation for one in each),
        created=min(one.created for one in each),
        embedder=", ".join(dict.fromkeys(one.embedder for one in each)),
        posts=sum(one.posts for one in each),
        chunks=sum(one.chunks for one in each),
        languages=_add(one.languages for one in each),
        sections=tuple(
            (section, count)
            for name, one in sorted(overviews.items())
            for section, count in (
                (name, one.posts),
                *((with_name(name, section), count) for section, count in one.sections),
            )
        ),
        bundles=tuple(
            with_name(name, bundle)
            for name, one in sorted(overviews.items())
            for bundle in one.bundles
        ),
        tags=_add(one.tags for one in each),
        first_day=days[0] if days else None,
        last_day=days[-1] if days else None,
        notice=merge_notices({**notices, **failures}),
    )


def _add(counts: Iterable[Counted]) -> Counted:
    total = Counter[str]()
    for each in counts:
        total.update(dict(each))
    return tuple(sorted(total.items(), key=lambda pair: (-pair[1], pair[0])))


class MergedLists:
    """The lists of several blogs as one; implements PostLists."""

    def __init__(self, lists: Mapping[str, PostLists], failures: Mapping[str, str]) -> None:
        """Take lists by the blogs' names, and why there are none of the other blogs."""
        self._lists = lists
        self._notice = merge_notices(failures)

    def posts(self, filters: Filters, order: Order, limit: int, offset: int) -> Posts:
        """List the posts that pass, from `offset` on, `limit` at most."""
        names, filters = narrow(filters, self._lists)
        found = {name: self._lists[name].posts(filters, order, offset + limit, 0) for name in names}
        posts = _prefixed({name: posts.page for name, posts in found.items()})
        posts.sort(key=_ORDERS[order])
        if order == "newest":
            posts.sort(key=lambda post: post.date or "", reverse=True)
        total = sum(each.total for each in found.values())
        return Posts(tuple(posts[offset : offset + limit]), total, offset, self._notice)

    def following(self, post: tuple[str, str] | None, limit: int) -> tuple[Post, ...]:
        """List the posts after the one of this ISO day (or `""`) and source, newest first."""
        found = {
            name: lists.following(post and (post[0], _own_place(name, post[1])), limit)
            for name, lists in self._lists.items()
        }
        posts = _prefixed(found)
        posts.sort(key=lambda post: post.source)
        posts.sort(key=lambda post: post.date or "", reverse=True)
        return tuple(posts[:limit])

    def names(self) -> list[tuple[str, str]]:
        """List every post's source and title, one blog after another, newest first in each."""
        return [
            (with_name(name, source), title)
            for name, lists in self._lists.items()
            for source, title in lists.names()
        ]

    def anchored_chunks(self, sources: Iterable[str]) -> dict[tuple[str, str], int]:
        """Return the first chunk of these posts below each anchor, by source and anchor."""
        split = [split_source(source, self._lists) for source in sources]
        return {
            (with_name(name, source), anchor): chunk
            for name, lists in self._lists.items()
            for (source, anchor), chunk in lists.anchored_chunks(
                [each[1] for each in split if each and each[0] == name]
            ).items()
        }

    def years(self) -> list[tuple[int, int]]:
        """List the years that posts are dated, the newest first, each with its posts."""
        total = Counter[int]()
        for lists in self._lists.values():
            total.update(dict(lists.years()))
        return sorted(total.items(), reverse=True)


_ORDERS: dict[Order, Any] = {
    "newest": lambda post: post.source,
    "oldest": lambda post: (post.date is None, post.date, post.source),
    "title": lambda post: (post.title.encode().lower(), post.source),
}
"""As `index.store.listing` orders: of a title only ASCII letters have no case."""

_LAST = "\U0010ffff"
"""Comes after every source."""


def _prefixed(pages: Mapping[str, Iterable[Post]]) -> list[Post]:
    return [prefix_post(name, post) for name, page in pages.items() for post in page]


def _own_place(name: str, source: str) -> str:
    """Where a source of the library would stand among the blog's own."""
    prefix = with_name(name, "")
    if source.startswith(prefix):
        return source.removeprefix(prefix)
    return "" if prefix > source else _LAST
