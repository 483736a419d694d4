"""Overlap of texts and titles: shared words, weighted by IDF, and runs of the same words."""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import NamedTuple

from blog_search_mcp.index.text.tokenizer import index_terms
from blog_search_mcp.index.types import Post
from blog_search_mcp.index.words.searcher import bm25_idf

RUN = 4
"""Number of consecutive words in a run. Passages by one author on one subject seldom share a run;
a copy with a quarter of its sentences left out shares nearly all."""
_PART_NUMBER = re.compile(r"^(?:\d+(?:\.\d+)*[.、]?\s+|part\s+\d+\s*[:：.-]\s*)", re.IGNORECASE)
"""Pattern of a number (`3.`, `2.1 `) or of `Part N:` before a title."""
_TITLE_BREAK = re.compile(r"\s*[:：|—–()（）「」]\s*|\s+-\s+|\s*[?？!！,，](?=\s|$)\s*")
"""Pattern of a separator between parts of a title. Each part may name the post."""
Runs = frozenset[tuple[str, ...]]
"""All runs of RUN consecutive stems of a text."""


class Wording(NamedTuple):
    """The distinct stems and runs of one text, and its number of stems with repetitions."""

    words: frozenset[str]
    runs: Runs
    length: int


def stems_of(text: str, language: str) -> tuple[str, ...]:
    """Return the stems of a text in this language, in order."""
    return tuple(index_terms(text, language).split())


def read_wording(text: str, language: str) -> Wording:
    """Return the stems and runs of a text in this language."""
    stems = stems_of(text, language)
    runs = frozenset(zip(*(stems[start:] for start in range(RUN)), strict=False))
    return Wording(frozenset(stems), runs, len(stems))


def share_runs(mine: Runs, theirs: Runs) -> float:
    """Return the share of `mine` that `theirs` contains, in [0, 1]."""
    return len(mine & theirs) / len(mine) if mine else 0.0


class Rarity:
    """IDF of stems in a collection of `count` texts; `of` returns that of a stem."""

    def __init__(self, document_frequency: Callable[[str], int], count: int) -> None:
        self.of = cache(lambda stem: bm25_idf(document_frequency(stem), count))
        self.highest = bm25_idf(0, count)
        """IDF of a stem that no text has."""

    def sum(self, stems: Iterable[str]) -> float:
        """Return the sum of the IDFs of the distinct stems, the same in any order."""
        return math.fsum(map(self.of, frozenset(stems)))

    def share(self, words: frozenset[str], of: frozenset[str]) -> float:
        """Return the IDF-weighted share of the stems `of` that are in `words`, in [0, 1]."""
        return self.sum(words & of) / (self.sum(of) or 1.0)


class PostTitles:
    """The titles of the posts of one blog."""

    def __init__(self, posts: Mapping[int, Post], document_frequency: Callable[[str], int]) -> None:
        self.rarity = Rarity(document_frequency, len(posts))
        self.terms = {number: title_terms(post) for number, post in posts.items()}
        """Distinct stems of the title by post."""
        self._names = {number: dict(self._name(post)) for number, post in posts.items()}

    def _name(self, post: Post) -> Iterator[tuple[str, float]]:
        """Yield the title and its parts as stems, each with its value as a name in [0, 1]."""
        full = self.rarity.sum(title_terms(post)) or 1.0
        for part in (post.title, *_TITLE_BREAK.split(_PART_NUMBER.sub("", post.title))):
            if name := stems_of(part, post.language):
                weight = self.rarity.sum(name)
                telling = min(weight / self.rarity.highest, 1.0)
                yield f" {' '.join(name)} ", telling * min(weight / full, 1.0)

    def name_post(self, post: int, text: str) -> float:
        """Return the highest value of the post's names that a text contains, in [0, 1].

        `text` has the text's stems in order, with a space before and after each.
        """
        return max((worth for name, worth in self._names[post].items() if name in text), default=0)


def title_terms(post: Post) -> frozenset[str]:
    """Return the stems of a post's title, without a number before it (`3.`, `Part 3:`)."""
    return frozenset(stems_of(_PART_NUMBER.sub("", post.title), post.language))
