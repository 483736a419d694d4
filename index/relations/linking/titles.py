"""The words of the posts' titles, each weighed by how rare it is on the blog."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Set

from blog_search_mcp.index.relations.similarity.wording import Rarity, stems_of
from blog_search_mcp.index.types import Post

_NUMBER = re.compile(r"^(?:\d+(?:\.\d+)*[.、]?\s+|part\s+\d+\s*[:：.-]\s*)", re.IGNORECASE)
"""Of a title in a list of posts."""
_BREAK = re.compile(r"\s*[:：|—–()（）「」]\s*|\s+-\s+|\s*[?？!！,，](?=\s|$)\s*")
"""Between the parts of a title, each of which may be used as its name."""
LEAST_WEIGHT = 0.35
"""Share of the weight of a word that no post has; less is said everywhere."""


class Titles:
    """The titles of the posts of one blog."""

    def __init__(self, posts: Mapping[int, Post], having: Callable[[str], int]) -> None:
        """Take all posts by id, and in how many of them a term is."""
        self.rarity = Rarity(having, len(posts))
        self.terms = {number: title_terms(post) for number, post in posts.items()}
        """The terms of each title, without its number."""
        self._names = {number: dict(self._name(post)) for number, post in posts.items()}

    def _name(self, post: Post) -> Iterator[tuple[str, float]]:
        """Yield a title and its parts, and how tellingly and fully each names the post."""
        full = self.rarity.sum(title_terms(post)) or 1.0
        for part in (post.title, *_BREAK.split(_NUMBER.sub("", post.title))):
            if name := stems_of(part, post.language):
                weight = self.rarity.sum(name)
                telling = min(weight / self.rarity.highest, 1.0)
                yield f" {' '.join(name)} ", telling * min(weight / full, 1.0)

    def is_telling(self, weight: float) -> bool:
        """Whether terms of this weight tell a post from most others."""
        return weight >= LEAST_WEIGHT * self.rarity.highest

    def share_title(self, post: int, terms: Set[str]) -> float:
        """Return how much of the weight of a post's title is among some terms, in [0, 1]."""
        return self.rarity.share(frozenset(terms), of=self.terms[post])

    def name_post(self, post: int, text: str) -> float:
        """Return how fully, and how tellingly, a text names a post, in [0, 1].

        It is its terms in order, with a blank between two and around all.
        """
        return max((worth for name, worth in self._names[post].items() if name in text), default=0)


def title_terms(post: Post) -> frozenset[str]:
    """Return the terms of a post's title, without its number in a list."""
    return frozenset(stems_of(_NUMBER.sub("", post.title), post.language))
