"""Posts that a newer post of the blog treats anew: which, and by which one.

Nearness of meaning alone finds releases, surveys and instalments, of which the next does not take
the place of the one before. What counts is that the author says so: the older post beside a link to
the newer one, or the newer post by its title, which has the rare words of the older one's, where it
links to it or calls itself an update and both are nearest to each other of the whole blog.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

import numpy as np

from blog_search_mcp.index.analysis.tokenizer import index_terms
from blog_search_mcp.index.errors import IndexBroken

if TYPE_CHECKING:
    from blog_search_mcp.index.relations.addresses import ResolvedLink
    from blog_search_mcp.index.relations.corpus import PostVectors
    from blog_search_mcp.index.types import Chunk, Link, Post, Vectors

LATER = timedelta(days=30)
"""Less lies between the parts of one text and between an event's announcement and its report."""
NEAR = 0.76
"""Cosine of what two posts are about; half of a blog's posts have one that is so near."""
RARE = 8.0
"""Weight of the words that both titles have, in nats: two that are each in one post of fifty."""
RARE_UNLINKED = 12.0
"""The same where the newer post does not link to the older."""

_NUMBER = re.compile(r"\d+(?:\.\d+)*")
_RECURRING = re.compile(
    r"\b(?:january|february|march|april|june|july|august|september|october|november|december"
    r"|weeks?|weekly|monthly|quarterly|years?|meetings?|agenda|newsletter|episode)\b"
    "|[週周月年][報报]|年[終终]|[一二三四五六七八九十]月",
    re.IGNORECASE,
)
"""What titles of things that come again have, beside numbers."""
_UPDATE = re.compile(
    r"\b(?:updat(?:e|ed|es|ing)|revis(?:ed|ion|ited|iting)|rewritten|redux|second edition)\b"
    "|更新|修訂|修订|改版|再探|重訪|重访",
    re.IGNORECASE,
)

_TEXT = r"(?:post|article|page|guide|tutorial|document|announcement|text|blog post|entry|version)"
_SAYS_OLD = re.compile(
    r"\bfor (?:more )?(?:updated|up[- ]to[- ]date|current|newer) (?:information|details)"
    rf"|\bthis (?:\w+ )?{_TEXT} (?:is|was|has been|has since been|has now been) (?:\w+ )?"
    r"(?:out ?dated|out of date|obsolete|superseded|replaced|overtaken|no longer)"
    r"|\b(?:superseded|replaced|obsoleted) by\b"
    r"|\b(?:newer|updated|more recent|revised|current|latest) "
    rf"(?:version of this\b|(?:[\w-]+ ){{0,4}}{_TEXT}\b)"
    r"|^[\s>*_#\[(-]*+(?:\w+ \d{4} )?(?:edit|update|updated)\b[^a-z:]{0,30}:"
    "|本文[^。]{0,6}(?:已過時|已过时|已過期|已过期|已被取代|不再更新)|(?:更新|最新|新)版本?(?:請|请)?(?:見|见|看)",
    re.IGNORECASE,
)
"""How an old post speaks of the newer one beside a link to it."""
_LINK = re.compile(r"\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])")


@dataclass(frozen=True, slots=True)
class Statement:
    """What a post says of a newer one that takes its place."""

    line: int
    """Of the file, from 1: that of the link."""
    quote: str


def find_statement(links: Iterable[Link], chunks: Sequence[Chunk]) -> Statement | None:
    """Find beside one of `links`, to a newer post, that the post of `chunks` is overtaken by it.

    The chunks are in their order.
    """
    searched: set[tuple[int, int]] = set()
    for line in dict.fromkeys(link.line for link in links):
        place = bisect_left(chunks, line, key=lambda chunk: chunk.last_line)
        if place == len(chunks) or chunks[place].first_line > line:
            continue
        first, paragraph = _paragraph(chunks[place], line)
        if (place, first) not in searched and (said := _SAYS_OLD.search(_unlink(paragraph))):
            return Statement(line, _quote(_unlink(paragraph), said))
        searched.add((place, first))
    return None


def _paragraph(chunk: Chunk, line: int) -> tuple[int, list[str]]:
    """Return the lines around one up to the empty ones, and which of the chunk's is the first."""
    lines = chunk.text.split("\n")
    first = last = min(line - chunk.first_line, len(lines) - 1)
    while first > 0 and lines[first - 1].strip():
        first -= 1
    while last + 1 < len(lines) and lines[last + 1].strip():
        last += 1
    return first, lines[first : last + 1]


def _unlink(lines: Iterable[str]) -> str:
    """Join lines to one, of links the words alone."""
    return _LINK.sub(r"\1", " ".join(" ".join(lines).split()))


def _quote(paragraph: str, said: re.Match[str]) -> str:
    start = max(0, said.start() - 20)
    shown = paragraph[start : said.end() + 60]
    return f"{'…' if start else ''}{shown}{'…' if said.end() + 60 < len(paragraph) else ''}"


@dataclass(frozen=True, slots=True)
class _Pair:
    older: int
    newer: int
    is_linked: bool
    """Whether the newer post links to the older one."""


def find_overtaken(
    posts: Mapping[int, Post],
    links: Mapping[int, Sequence[ResolvedLink]],
    groups: Iterable[Mapping[int, object]],
    read_chunks: Callable[[int], Mapping[int, Chunk]],
    read_vectors: Callable[[], PostVectors],
) -> dict[int, int]:
    """Return by post the newer one on the same subject; most posts have none.

    `posts` are all by id and `links` those of each that has any; two posts of one group, be they
    translations or of one series, do not overtake each other. Chunks and vectors are read only
    where dates, links and titles propose a pair; of posts without one only what the older one says
    counts.
    """
    dated = {number: post for number, post in posts.items() if post.date}
    targets = _find_targets(dated, links)
    titles = _Titles(posts)
    said = {
        pair.older: pair.newer
        for pair in _propose_said(dated, targets, read_chunks)
        if not any(_are_one(group, pair) for group in groups)
    }
    proposed = [
        pair
        for pair in _propose(dated, targets, titles)
        if pair.older not in said
        and _may_overtake(posts[pair.older], posts[pair.newer])
        and titles.are_alike(pair)
        and not any(_are_one(group, pair) for group in groups)
    ]
    if not proposed:
        return said
    near = _Nearest(read_vectors())
    return said | {pair.older: pair.newer for pair in proposed if near.are_mutual(pair)}


_Targets = Mapping[int, Mapping[int, Sequence["Link"]]]
"""By post, the other posts that it links to, ascending, with the links."""


def _find_targets(
    posts: Mapping[int, Post], links: Mapping[int, Sequence[ResolvedLink]]
) -> _Targets:
    found: dict[int, dict[int, list[Link]]] = {}
    for number in sorted(links.keys() & posts.keys()):
        of_post: defaultdict[int, list[Link]] = defaultdict(list)
        for each in links[number]:
            if each.target and each.target.post != number and each.target.post in posts:
                of_post[each.target.post].append(each.link)
        found[number] = dict(sorted(of_post.items()))
    return found


def _propose_said(
    posts: Mapping[int, Post], targets: _Targets, read_chunks: Callable[[int], Mapping[int, Chunk]]
) -> Iterator[_Pair]:
    """Yield pairs of which the older post says that the newer one takes its place."""
    for older, found in targets.items():
        day = posts[older].date or ""
        later = {n: links for n, links in found.items() if (posts[n].date or "") > day}
        with suppress(IndexBroken):
            chunks = tuple(read_chunks(older).values()) if later else ()
            for newer, links in later.items():
                if find_statement(links, chunks):
                    yield _Pair(older, newer, is_linked=True)


def _are_one(group: Mapping[int, object], pair: _Pair) -> bool:
    return pair.older in group and group[pair.older] == group.get(pair.newer)


class _Titles:
    """The words of all titles, the rarer the heavier."""

    def __init__(self, posts: Mapping[int, Post]) -> None:
        self._words = {
            number: frozenset(index_terms(post.title, post.language or "en").stems.split())
            for number, post in posts.items()
        }
        self._having: defaultdict[str, set[int]] = defaultdict(set)
        for number, words in self._words.items():
            for word in words:
                self._having[word].add(number)

    def are_alike(self, pair: _Pair) -> bool:
        common = self._words[pair.older] & self._words[pair.newer]
        return sum(map(self._weigh, common)) >= (RARE if pair.is_linked else RARE_UNLINKED)

    def may_be_alike(self, number: int) -> set[int]:
        """Return the posts with a rarer word of a title; the rest weigh less than RARE_UNLINKED."""
        found: set[int] = set()
        weight = 0.0
        for word in sorted(self._words[number], key=self._weigh):
            weight += self._weigh(word)
            if weight >= RARE_UNLINKED:
                found |= self._having[word]
        return found

    def _weigh(self, word: str) -> float:
        return math.log((len(self._words) + 1) / (len(self._having[word]) + 0.5))


def _propose(posts: Mapping[int, Post], targets: _Targets, titles: _Titles) -> Iterator[_Pair]:
    """Yield pairs of which one links to the other, or whose newer title calls itself an update."""
    for newer, found in targets.items():
        for older in found:
            yield _Pair(older, newer, is_linked=True)
    updates = {number for number, post in posts.items() if _UPDATE.search(post.title)}
    others = posts.keys() - updates
    for newer in sorted(updates):
        for older in sorted(titles.may_be_alike(newer) & others):
            yield _Pair(older, newer, is_linked=False)


def _may_overtake(older: Post, newer: Post) -> bool:
    """Whether a post is late enough and neither is one of many that come again."""
    if not (older.date and newer.date) or older.language != newer.language:
        return False
    if date.fromisoformat(newer.date) - date.fromisoformat(older.date) < LATER:
        return False
    if _RECURRING.search(older.title) or _RECURRING.search(newer.title):
        return False
    one, two = ({*_NUMBER.findall(post.title)} for post in (older, newer))
    return not (one and two) or one == two


class _Nearest:
    """Which posts are nearest to each other."""

    def __init__(self, vectors: PostVectors) -> None:
        self._vectors = vectors

    def are_mutual(self, pair: _Pair) -> bool:
        one, other = pair.older, pair.newer
        rows = self._vectors.of(one), self._vectors.of(other)
        if rows[0] is None or rows[1] is None or float(rows[0] @ rows[1]) < NEAR:
            return False
        return self._find(rows[0], one) == other and self._find(rows[1], other) == one

    def _find(self, row: Vectors, post: int) -> int:
        cosines = self._vectors.rows @ row
        cosines[np.searchsorted(self._vectors.posts, post)] = -2
        return int(self._vectors.posts[cosines.argmax()])
