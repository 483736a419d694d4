"""One generation as analyses of the whole blog read it; each part is computed once, when needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from threading import RLock
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from blog_search_mcp.index.relations.addresses import Addresses, ResolvedLink
from blog_search_mcp.index.relations.linking.names import LinkWords, Names, stems_of
from blog_search_mcp.index.relations.similarity.passages import BlogPassages

if TYPE_CHECKING:
    from blog_search_mcp.index.search.snapshot import Snapshot
    from blog_search_mcp.index.store.catalog import ChunkTable
    from blog_search_mcp.index.types import Ids, Post, Series, Vectors
    from blog_search_mcp.index.vectors.store import ChunkVectors, VectorStore

T = TypeVar("T")

if TYPE_CHECKING:
    Once = cached_property
else:

    class Once(cached_property):
        """Computes an attribute once for all threads; Python's own has no lock from 3.12 on."""

        def __init__(self, make):
            super().__init__(make)
            self._computing = RLock()

        def __get__(self, corpus, owner=None):
            with self._computing:
                return super().__get__(corpus, owner)


@dataclass(frozen=True, slots=True)
class PostVectors:
    """What each post is about, as a direction."""

    posts: Ids
    """Ids of the posts that have a vector, ascending."""
    rows: Vectors
    """Unit vectors of shape (len(posts), dimension): the mean of a post's vectors less the mean
    of the blog's. Cosines of raw means of one blog all lie close together."""

    def of(self, post: int) -> Vectors | None:
        """Return a post's vector, `None` if it has none."""
        place = int(np.searchsorted(self.posts, post))
        known = place < len(self.posts) and self.posts[place] == post
        return self.rows[place] if known else None


BLOCK = 65_536
"""Chunks whose vectors are read at a time: 100 MB of 384 numbers."""


def direct_posts(store: VectorStore, table: ChunkTable) -> PostVectors:
    """Compute the direction of every post of `table` that has vectors. Raises IndexBroken."""
    posts, places = np.unique(table.posts, return_inverse=True)
    sums = np.zeros((len(posts), store.dimension), dtype=np.float32)
    numbers = np.zeros(len(posts), dtype=np.int64)
    for start in range(0, len(places), BLOCK):
        rows, counts = store.vectors(table.chunks[start : start + BLOCK])
        owners = np.repeat(places[start : start + BLOCK], counts)
        firsts = np.flatnonzero(np.diff(owners, prepend=-1))
        if len(firsts):
            sums[owners[firsts]] += np.add.reduceat(rows, firsts, axis=0)
            numbers[owners[firsts]] += np.diff(np.append(firsts, len(owners)))
    known = numbers > 0
    means = sums[known] / numbers[known, np.newaxis] - store.mean()
    norms = np.linalg.norm(means, axis=1, keepdims=True)
    return PostVectors(posts[known], (means / np.maximum(norms, 1e-9)).astype(np.float32))


class Corpus:
    """The posts of one generation, with their vectors and links; safe for concurrent use."""

    def __init__(self, snapshot: Snapshot) -> None:
        """Take an opened generation, which must stay open."""
        self.snapshot = snapshot
        self._kept: dict[str, tuple[object, Any]] = {}
        self._keeping = RLock()

    def keep(self, name: str, key: object, make: Callable[[], T]) -> T:
        """Make something once for all threads, and anew when `key`, what else it is of, changed."""
        with self._keeping:
            if name not in self._kept or self._kept[name][0] != key:
                self._kept[name] = key, make()
            kept: T = self._kept[name][1]
            return kept

    @Once
    def posts(self) -> Mapping[int, Post]:
        """Every post by id."""
        return self.snapshot.catalog.every_post()

    @Once
    def addresses(self) -> Addresses:
        """Where each post is found."""
        return Addresses(self.posts, self.snapshot.catalog.links())

    @Once
    def anchors(self) -> Mapping[int, tuple[str, ...]]:
        """By post, what may stand behind `#` in a link to it, where that is known."""
        return self.snapshot.catalog.anchors()

    @Once
    def links(self) -> Mapping[int, tuple[ResolvedLink, ...]]:
        """The links of each post that has any, in the order of the post."""
        return self.addresses.resolved

    @Once
    def linked(self) -> Mapping[int, frozenset[int]]:
        """By post, the other posts that it links to."""
        return {
            post: frozenset(each.target.post for each in links if each.target) - {post}
            for post, links in self.links.items()
        }

    @Once
    def names(self) -> Names:
        """What each post is called, by its title and by the words of links to it.

        Words that lead to no post count where they lead to one elsewhere.
        """
        every = [(post, each) for post, links in self.links.items() for each in links]
        leading = {each.link.words.casefold() for _, each in every if each.target} - {""}
        links = [
            LinkWords(
                stems_of(each.link.words, self.posts[post].language),
                post,
                each.target.post if each.target else None,
            )
            for post, each in every
            if each.link.words.casefold() in leading
        ]
        return Names(self.posts, self.snapshot.lexical.posts.having, len(self.posts), links)

    @Once
    def chunk_vectors(self) -> ChunkVectors:
        """The vectors of every chunk of `snapshot.table`, in its order."""
        return self.snapshot.vectors.vectors(self.snapshot.table.chunks)

    @Once
    def post_vectors(self) -> PostVectors:
        """The direction of every post that has vectors."""
        return direct_posts(self.snapshot.vectors, self.snapshot.table)

    @property
    def series(self) -> Mapping[int, Series]:
        """The series of each post that is in one."""
        return self.snapshot.series

    @Once
    def passages(self) -> BlogPassages:
        """The windows of all chunks, to compare vectors with."""
        return BlogPassages(self.snapshot, self.posts, self.chunk_vectors)

    def translations_of(self, post: int) -> frozenset[int]:
        """Return the posts that are translations of this one."""
        group = self.snapshot.translations.groups.get(post, ())
        return frozenset(each.post for each in group) - {post}
