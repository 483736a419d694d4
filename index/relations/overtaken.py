"""Posts that a newer post of the blog treats anew: which, and by which one.

Nearness of meaning alone finds releases, surveys and instalments, of which the next does not take
the place of the one before. What counts is two posts that are nearest to each other of the whole
blog and of which the newer says so: its title has the rare words of the older one's, and it links
to it or calls itself an update.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

import numpy as np

from blog_search_mcp.index.analysis.tokenizer import terms
from blog_search_mcp.index.relations.addresses import Addresses

if TYPE_CHECKING:
    from blog_search_mcp.index.relations.corpus import PostVectors
    from blog_search_mcp.index.types import Link, Post, Vectors

LATER = timedelta(days=30)
"""Less lies between the parts of one text and between an event's announcement and its report."""
NEAR = 0.76
"""Cosine of what two posts are about; half of a blog's posts have one that is so near."""
SHARED = 0.5
"""Of the weight of either title, what the other has too: half with a link, more without."""
RARE = 8.0
"""Weight of the words that both titles have, in nats: two that are each in one post of fifty."""
SHARED_UNLINKED = 0.6
RARE_UNLINKED = 12.0

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


@dataclass(frozen=True, slots=True)
class _Pair:
    older: int
    newer: int
    is_linked: bool
    """Whether the newer post links to the older one."""


def find_overtaken(
    posts: Mapping[int, Post],
    links: Mapping[int, Sequence[Link]],
    groups: Iterable[Mapping[int, object]],
    read_vectors: Callable[[], PostVectors],
) -> dict[int, int]:
    """Return by post the newer one on the same subject; most posts have none.

    `posts` are all by id and `links` those of each that has any; two posts of one group, be they
    translations or of one series, do not overtake each other. Vectors are read only if titles and
    dates propose a pair.
    """
    dated = {number: post for number, post in posts.items() if post.date}
    titles = _Titles(posts)
    proposed = [
        pair
        for pair in _propose(dated, links, titles)
        if _may_overtake(posts[pair.older], posts[pair.newer])
        and titles.are_alike(pair)
        and not any(_are_one(group, pair) for group in groups)
    ]
    if not proposed:
        return {}
    near = _Nearest(read_vectors())
    return {pair.older: pair.newer for pair in proposed if near.are_mutual(pair.older, pair.newer)}


def _are_one(group: Mapping[int, object], pair: _Pair) -> bool:
    return pair.older in group and group[pair.older] == group.get(pair.newer)


class _Titles:
    """The words of all titles, the rarer the heavier."""

    def __init__(self, posts: Mapping[int, Post]) -> None:
        self.words = {
            number: frozenset(term.stem for term in terms(post.title, post.language or "en"))
            for number, post in posts.items()
        }
        counts = Counter(word for words in self.words.values() for word in words)
        self._weights = {word: math.log((len(posts) + 1) / (n + 0.5)) for word, n in counts.items()}

    def are_alike(self, pair: _Pair) -> bool:
        one, two = self.words[pair.older], self.words[pair.newer]
        common = self._weigh(one & two)
        share, rare = (SHARED, RARE) if pair.is_linked else (SHARED_UNLINKED, RARE_UNLINKED)
        return common >= rare and common >= share * min(self._weigh(one), self._weigh(two))

    def _weigh(self, words: frozenset[str]) -> float:
        return sum(map(self._weights.__getitem__, words))


def _propose(
    posts: Mapping[int, Post], links: Mapping[int, Sequence[Link]], titles: _Titles
) -> Iterator[_Pair]:
    """Yield pairs of which one links to the other, or whose newer title calls itself an update."""
    addresses = Addresses(posts)
    for newer in sorted(links.keys() & posts.keys()):
        source = posts[newer].source
        targets = (addresses.find_target(link.href, source) for link in links[newer])
        for older in sorted({target.post for target in targets if target} - {newer}):
            yield _Pair(older, newer, is_linked=True)
    for newer, post in sorted(posts.items()):
        if _UPDATE.search(post.title):
            for older, other in sorted(posts.items()):
                is_first = not _UPDATE.search(other.title)
                if is_first and not titles.words[newer].isdisjoint(titles.words[older]):
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

    def are_mutual(self, one: int, other: int) -> bool:
        rows = self._vectors.of(one), self._vectors.of(other)
        if rows[0] is None or rows[1] is None or float(rows[0] @ rows[1]) < NEAR:
            return False
        return self._find(rows[0], one) == other and self._find(rows[1], other) == one

    def _find(self, row: Vectors, post: int) -> int:
        cosines = self._vectors.rows @ row
        cosines[np.searchsorted(self._vectors.posts, post)] = -2
        return int(self._vectors.posts[cosines.argmax()])
