"""What the posts of a blog are called: by their titles, and by the words that link to them.

A name is a run of terms (`index.analysis.tokenizer`), so that spelling, endings and script do not
count. Many posts may have one name, and link words such as "here" are names of none.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from blog_search_mcp.index.analysis.tokenizer import index_terms
from blog_search_mcp.index.lexical.searcher import bm25_idf

if TYPE_CHECKING:
    from blog_search_mcp.index.relations.linking.prose import Sentence
    from blog_search_mcp.index.types import Ids, Post, Vectors

_BREAK = re.compile(r"\s*[:：|—–()（）「」]\s*|\s+-\s+|\s*[?？!！,，](?=\s|$)\s*")
"""Between the parts of a title, each of which may be used as its name."""
_NUMBER = re.compile(r"^(?:\d+(?:\.\d+)*[.、]?\s+|part\s+\d+\s*[:：.-]\s*)", re.IGNORECASE)
LONGEST = 24
"""Terms of a name that are looked for."""
BLOCK = 256
"""Sentences compared with titles at a time: 4 MB each way for 3,500 posts."""

Stems = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LinkWords:
    """Words that a post of the blog links to another with."""

    stems: Stems
    of: int
    """The post that links."""
    to: int | None
    """The post that is linked to; `None` for a page that is no post."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A name in a text, and the post that has it."""

    post: int
    start: int
    end: int
    """Place in the text."""
    share: float
    """How much of the post's title the name is, by weight, 1 for all; 0 for link words alone."""
    weight: float
    """How telling its terms are, in sums of IDF."""
    used: float
    """Of the posts that have the name's rarest term, the share that link to this one with it."""


class Names:
    """The names of the posts of one blog."""

    def __init__(
        self,
        posts: Mapping[int, Post],
        having: Callable[[str], int],
        total: int,
        links: Sequence[LinkWords] = (),
    ) -> None:
        """Take posts by id, how many of the blog's `total` have a term, and the blog's links."""
        self._posts = posts
        self._having = cache(having)
        self._weigh = cache(lambda stem: bm25_idf(self._having(stem), total))
        self._total = total
        self._links = links
        self.titles = {number: title_stems(post) for number, post in posts.items()}
        """The terms of each title, without its number."""

    def weigh(self, stems: Sequence[str]) -> float:
        """Return the sum of the weights of different terms."""
        return sum(map(self._weigh, dict.fromkeys(stems)))

    @property
    def highest(self) -> float:
        """The weight of a term that no post has."""
        return bm25_idf(0, self._total)

    @cached_property
    def table(self) -> TitleTable:
        """The table of all titles."""
        posts = sorted(self._posts)
        titles = [tuple(dict.fromkeys(self.titles[post])) for post in posts]
        places: dict[str, int] = {}
        for title in titles:
            for stem in title:
                places.setdefault(stem, len(places))
        widest = max(map(len, titles), default=0)
        columns = np.full((len(titles), widest), len(places), dtype=np.int64)
        for row, title in enumerate(titles):
            columns[row, : len(title)] = [places[stem] for stem in title]
        weight = np.array([*(self.weigh([stem]) for stem in places), 0.0], dtype=np.float32)
        weights = weight[columns]
        totals = weights.sum(axis=1)
        shares = weights / np.maximum(totals, 1e-9)[:, np.newaxis]
        return TitleTable(np.asarray(posts, dtype=np.int64), places, columns, shares, totals)

    @cached_property
    def _trie(self) -> dict[Any, Any]:
        """Names by their terms, one inside the other; below `None` who has the name."""
        trie: dict[Any, Any] = {}
        for number, post in self._posts.items():
            whole = self.weigh(self.titles[number]) or 1.0
            for stems in dict.fromkeys(_names_of(post)):
                share = min(self.weigh(stems) / whole, 1.0)
                _leaf(trie, stems)[0][number] = share
        for link in self._links:
            if 0 < len(link.stems) <= LONGEST:
                _leaf(trie, link.stems)[1].append((link.of, link.to))
        return trie

    def find_mentions(
        self, sentence: Sentence, linking: frozenset[int] | None = None
    ) -> Iterator[Mention]:
        """Find the names in a sentence; only links of the posts `linking` count."""
        found = sentence.terms
        for first in range(len(found)):
            node = self._trie
            for last in range(first, len(found)):
                if found[last].stem not in node:
                    break
                node = node[found[last].stem]
                if None in node:
                    stems = [term.stem for term in found[first : last + 1]]
                    place = (found[first].start, found[last].end)
                    yield from self._mentions(node[None], stems, place, linking)

    def _mentions(
        self,
        leaf: tuple[dict[int, float], list[tuple[int, int | None]]],
        stems: Sequence[str],
        place: tuple[int, int],
        linking: frozenset[int] | None,
    ) -> Iterator[Mention]:
        named, links = leaf
        counted = defaultdict[int | None, int](int)
        for of, to in links:
            if linking is None or of in linking:
                counted[to] += 1
        rarest = min(map(self._having, stems))
        weight = self.weigh(stems)
        for post in sorted(named.keys() | {to for to in counted if to is not None}):
            share = named.get(post, 0.0) / max(len(named), 1)
            used = counted.get(post, 0) / (max(rarest, sum(counted.values())) + 1)
            yield Mention(post, *place, share, weight, used)


def _leaf(
    trie: dict[Any, Any], stems: Stems
) -> tuple[dict[int, float], list[tuple[int, int | None]]]:
    for stem in stems:
        trie = trie.setdefault(stem, {})
    found: tuple[dict[int, float], list[tuple[int, int | None]]] = trie.setdefault(None, ({}, []))
    return found


def stems_of(words: str, language: str) -> Stems:
    """Return the terms of a name."""
    return tuple(index_terms(words, language).split())


def title_stems(post: Post) -> Stems:
    """Return the terms of a post's title, without its number in a list."""
    return stems_of(_NUMBER.sub("", post.title), post.language)[:LONGEST]


def _names_of(post: Post) -> Iterator[Stems]:
    titles = (post.title, *(alias for alias in post.aliases if "/" not in alias))
    for title in titles:
        bare = _NUMBER.sub("", title)
        for name in dict.fromkeys((title, bare, *_BREAK.split(bare))):
            stems = stems_of(name, post.language)
            if 0 < len(stems) <= LONGEST:
                yield stems


@dataclass(frozen=True, slots=True)
class TitleTable:
    """The terms of many titles, as arrays."""

    posts: Ids
    """Ascending."""
    places: Mapping[str, int]
    """By term, its column."""
    terms: Ids
    """Columns of shape (posts, most terms of a title), padded with the one behind the last."""
    weights: Vectors
    """Of the same shape: each term's share of its title's weight, summing up to 1."""
    totals: Vectors
    """The weight of each title, a sum of IDF."""

    def of(self, posts: Ids) -> TitleTable:
        """Return the table of some of its posts."""
        rows = np.searchsorted(self.posts, posts)
        return TitleTable(
            posts, self.places, self.terms[rows], self.weights[rows], self.totals[rows]
        )

    def best_shares(self, sentences: Sequence[Sequence[str]]) -> Vectors:
        """Return by post the most of its title that any sentence holds, in [0, 1]."""
        best = np.zeros(len(self.posts), dtype=np.float32)
        for start in range(0, len(sentences), BLOCK):
            block = sentences[start : start + BLOCK]
            having = np.zeros((len(block), len(self.places) + 1), dtype=np.float32)
            for row, stems in enumerate(block):
                columns = [self.places[stem] for stem in stems if stem in self.places]
                having[row, columns] = 1.0
            found = np.zeros((len(block), len(self.posts)), dtype=np.float32)
            for column in range(self.terms.shape[1]):
                found += having[:, self.terms[:, column]] * self.weights[:, column]
            best = np.maximum(best, found.max(axis=0))
        return best
