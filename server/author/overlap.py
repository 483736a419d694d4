"""Compare texts by their words, and with titles: by rarity, and word for word."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import NamedTuple

from blog_search_mcp.index.text.tokenizer import index_terms
from blog_search_mcp.index.types import Post
from blog_search_mcp.index.words.searcher import bm25_idf

RUN = 4
"""Words in a row that count as the same wording: of posts by one author on one subject, a passage
seldom shares any, and one that is copied with a quarter of its sentences left out nearly all."""

_PART_NUMBER = re.compile(r"^(?:\d+(?:\.\d+)*[.、]?\s+|part\s+\d+\s*[:：.-]\s*)", re.IGNORECASE)
"""Of a title in a list of posts."""
_TITLE_BREAK = re.compile(r"\s*[:：|—–()（）「」]\s*|\s+-\s+|\s*[?？!！,，](?=\s|$)\s*")
"""Between the parts of a title, each of which may be used as its name."""

Runs = frozenset[tuple[str, ...]]
"""Every RUN words in a row of a text."""


class Wording(NamedTuple):
    """The words of one text, without their endings."""

    words: frozenset[str]
    runs: Runs
    length: int


def stems_of(text: str, language: str) -> tuple[str, ...]:
    """Return the words of a text in this language, without their endings."""
    return tuple(index_terms(text, language).split())


def read_wording(text: str, language: str) -> Wording:
    """Read the words of a text in this language."""
    stems = stems_of(text, language)
    runs = frozenset(zip(*(stems[start:] for start in range(RUN)), strict=False))
    return Wording(frozenset(stems), runs, len(stems))


def share_runs(mine: Runs, theirs: Runs) -> float:
    """Return how much of `mine` stands word for word in `theirs`, in [0, 1]."""
    return len(mine & theirs) / len(mine) if mine else 0.0


class Rarity:
    """How rare words are in some texts, as inverse document frequencies."""

    def __init__(self, having: Callable[[str], int], count: int) -> None:
        """Take in how many texts a word is, and how many texts there are."""
        self.of = cache(lambda stem: bm25_idf(having(stem), count))
        self.highest = bm25_idf(0, count)
        """That of a word that no text has."""

    def sum(self, stems: Iterable[str]) -> float:
        """Add up the rarity of different words, in any order to the same last bit."""
        return math.fsum(map(self.of, frozenset(stems)))

    def share(self, words: frozenset[str], of: frozenset[str]) -> float:
        """Return how much of some words, by rarity, are among others, in [0, 1]."""
        return self.sum(words & of) / (self.sum(of) or 1.0)


class PostTitles:
    """The titles of the posts of one blog."""

    def __init__(self, posts: Mapping[int, Post], having: Callable[[str], int]) -> None:
        """Take all posts by id, and in how many of them a term is."""
        self.rarity = Rarity(having, len(posts))
        self.terms = {number: title_terms(post) for number, post in posts.items()}
        """Of each post's title."""
        self._names = {number: dict(self._name(post)) for number, post in posts.items()}

    def _name(self, post: Post) -> Iterator[tuple[str, float]]:
        """Yield a title and its parts, and how tellingly and fully each names the post."""
        full = self.rarity.sum(title_terms(post)) or 1.0
        for part in (post.title, *_TITLE_BREAK.split(_PART_NUMBER.sub("", post.title))):
            if name := stems_of(part, post.language):
                weight = self.rarity.sum(name)
                telling = min(weight / self.rarity.highest, 1.0)
                yield f" {' '.join(name)} ", telling * min(weight / full, 1.0)

    def name_post(self, post: int, text: str) -> float:
        """Return how fully, and how tellingly, a text names a post, in [0, 1].

        It is its terms in order, with a blank between two and around all.
        """
        return max((worth for name, worth in self._names[post].items() if name in text), default=0)


def title_terms(post: Post) -> frozenset[str]:
    """Return the terms of a post's title, without its number in a list."""
    return frozenset(stems_of(_PART_NUMBER.sub("", post.title), post.language))
