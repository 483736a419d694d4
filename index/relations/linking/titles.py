"""The words of the posts' titles, each weighed by how rare it is on the blog."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from blog_search_mcp.index.relations.similarity.wording import Rarity, stems_of

if TYPE_CHECKING:
    from blog_search_mcp.index.types import Post, Vectors

_NUMBER = re.compile(r"^(?:\d+(?:\.\d+)*[.、]?\s+|part\s+\d+\s*[:：.-]\s*)", re.IGNORECASE)
"""Of a title in a list of posts."""
_BREAK = re.compile(r"\s*[:：|—–()（）「」]\s*|\s+-\s+|\s*[?？!！,，](?=\s|$)\s*")
"""Between the parts of a title, each of which may be used as its name."""
LEAST_WEIGHT = 0.35
"""Share of the weight of a word that no post has; less is said everywhere."""
LONGEST = 24
"""Terms of a title that are read."""


class Titles:
    """The titles of the posts of one blog."""

    def __init__(self, posts: Mapping[int, Post], having: Callable[[str], int]) -> None:
        """Take all posts by id, and in how many of them a term is."""
        self.rarity = Rarity(having, len(posts))
        self.terms = {number: title_terms(posts[number]) for number in sorted(posts)}
        """The terms of each title, without its number."""
        sums = [*map(self.rarity.sum, self.terms.values())]
        self.weights: Vectors = np.array(sums, dtype=np.float32)
        """What each title's terms weigh, in the order of `terms`."""
        shares: defaultdict[str, dict[int, float]] = defaultdict(dict)
        for place, terms in enumerate(self.terms.values()):
            for term in terms:
                shares[term][place] = self.rarity.of(term) / max(sums[place], 1e-9)
        self._shares = {
            term: (np.array([*by_title]), np.array([*by_title.values()], dtype=np.float32))
            for term, by_title in shares.items()
        }
        self._names: defaultdict[tuple[str, ...], dict[int, float]] = defaultdict(dict)
        """The titles and their parts, by place how much of the title each is."""
        for place, post in enumerate(map(posts.__getitem__, self.terms)):
            for part in (post.title, *_BREAK.split(_NUMBER.sub("", post.title))):
                if name := stems_of(part, post.language)[:LONGEST]:
                    self._names[name][place] = min(self.rarity.sum(name) / (sums[place] or 1), 1.0)

    def is_telling(self, weight: float) -> bool:
        """Whether terms of this weight tell a post from most others."""
        return weight >= LEAST_WEIGHT * self.rarity.highest

    def best_shares(self, texts: Iterable[Iterable[str]]) -> Vectors:
        """Return by title the most of its weight that any of these texts holds, in [0, 1]."""
        best = np.zeros(len(self.weights), dtype=np.float32)
        for terms in texts:
            share = np.zeros_like(best)
            for term in self._shares.keys() & set(terms):
                places, weights = self._shares[term]
                share[places] += weights
            np.maximum(best, share, out=best)
        return best

    def name_shares(self, texts: Iterable[Sequence[str]]) -> Vectors:
        """Return by title how fully, and how tellingly, any of these texts names it, in [0, 1]."""
        named = np.zeros(len(self.weights), dtype=np.float32)
        for terms in texts:
            for first, end in combinations(range(len(terms) + 1), 2):
                if end - first <= LONGEST and (name := tuple(terms[first:end])) in self._names:
                    telling = min(self.rarity.sum(name) / self.rarity.highest, 1.0)
                    for place, share in self._names[name].items():
                        named[place] = max(named[place], telling * share / len(self._names[name]))
        return named


def title_terms(post: Post) -> Sequence[str]:
    """Return the terms of a post's title, without its number in a list."""
    return stems_of(_NUMBER.sub("", post.title), post.language)[:LONGEST]
