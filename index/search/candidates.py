"""What a search found, before it is ranked: for each post that may answer, what speaks for it.

There are some hundred such posts with thousands of chunks, of which a reader sees five, so that
they are kept in columns: a number for each post, or for each chunk of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from blog_search_mcp.index.analysis.query import Word
    from blog_search_mcp.index.types import Ids

    Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for one post; every number but the cosines is in [0, 1]."""

    whole: float
    """The lexical share of the query in the post as a whole."""
    lead: float
    """The same in its title and beginning; 0 for a question."""
    about: float
    """The same in the author's own description."""
    chunks: tuple[int, ...]
    """The post's chunk ids in order; at least one."""
    shares: Mapping[int, float]
    """By chunk id, the lexical share of the query; a chunk that is not here has none."""
    cosines: Mapping[int, float]
    """By chunk id, the cosine of its nearest vector to the query less the blog's mean; a chunk
    without a vector is not here."""
    mean_cosine: float
    """The cosine of the post's mean vector, less the blog's mean; 0 if it has no vector."""

    @property
    def best(self) -> float:
        """The lexical share of its best chunk."""
        return max(self.shares.values(), default=0.0)


@dataclass(frozen=True, eq=False)
class Candidates(Mapping[int, Evidence]):
    """The posts that may answer, by id; their evidence in columns."""

    ids: Ids
    """Of the posts, ascending, shape (posts,)."""
    counts: Ids
    """How many chunks each has, at least 1."""
    chunks: Ids
    """Every chunk id of the first post in order, then of the second: shape (chunks,)."""
    shares: Numbers
    """By chunk, as in Evidence; 0 for one that has none."""
    cosines: Numbers
    """By chunk, as in Evidence; NaN for one without a vector."""
    whole: Numbers
    lead: Numbers
    about: Numbers
    mean_cosine: Numbers
    """By post, as in Evidence."""

    @cached_property
    def starts(self) -> Ids:
        """By post, the place of its first chunk."""
        found: Ids = np.cumsum(self.counts) - self.counts
        return found

    @cached_property
    def best(self) -> Numbers:
        """By post, the lexical share of its best chunk."""
        found: Numbers = np.maximum.reduceat(self.shares, self.starts)
        return found

    @cached_property
    def nearest(self) -> Numbers:
        """By post, the largest cosine of a chunk; NaN for one without a vector."""
        found: Numbers = np.fmax.reduceat(self.cosines, self.starts)
        return found

    @cached_property
    def strongest(self) -> float:
        """The lexical share of the best chunk of all; 0 if there is none."""
        return float(self.shares.max(initial=0.0))

    def place_of(self, post: int) -> int:
        """Where the post stands in the columns. Raises KeyError."""
        place = int(np.searchsorted(self.ids, post))
        if place == len(self.ids) or self.ids[place] != post:
            raise KeyError(post)
        return place

    def __getitem__(self, post: int) -> Evidence:
        place = self.place_of(post)
        own = slice(self.starts[place], self.starts[place] + self.counts[place])
        chunks = self.chunks[own].tolist()
        shares = zip(chunks, self.shares[own].tolist(), strict=True)
        cosines = zip(chunks, self.cosines[own].tolist(), strict=True)
        return Evidence(
            whole=float(self.whole[place]),
            lead=float(self.lead[place]),
            about=float(self.about[place]),
            chunks=tuple(chunks),
            shares={chunk: share for chunk, share in shares if share},
            cosines={chunk: cosine for chunk, cosine in cosines if cosine == cosine},
            mean_cosine=float(self.mean_cosine[place]),
        )

    def __iter__(self) -> Iterator[int]:
        return iter(self.ids.tolist())

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True)
class Findings:
    """Everything one query found."""

    posts: Candidates
    coverage: float
    """The largest share of the query's terms, by rarity, that one chunk holds together."""
    readable: float
    """How well the embedder reads the query and what it is about, in [0, 1]."""
    rarities: Mapping[Word, float]
    """The query's words with their inverse document frequencies."""
    rarest: float
    """The inverse document frequency of a word that no chunk has."""
    nearest: float | None
    """The largest cosine of any vector to the query; `None` without a vector of the query."""
    background: float
    """The cosine of the blog's mean vector to the query, which the posts' cosines are told less;
    0 without a vector of the query."""


def column(ids: Ids, found: Mapping[int, float]) -> Numbers:
    """What was found, by id, in the order of `ids`, which ascend; 0 for what was not."""
    known = np.fromiter(found.keys(), np.int64, len(found))
    values = np.fromiter(found.values(), np.float64, len(found))
    places = np.searchsorted(ids, known)
    there = places < len(ids)
    there[there] = ids[places[there]] == known[there]
    made = np.zeros(len(ids))
    made[places[there]] = values[there]
    return made


def best_of_each(values: Numbers, counts: Ids, most: int) -> tuple[Ids, npt.NDArray[np.bool_]]:
    """The places of the largest values in each run of `counts` values, the earlier of equals first.

    Both of shape (runs, most); the second says which there are, where a run has fewer.
    """
    owners = np.repeat(np.arange(len(counts)), counts)
    order = np.lexsort((-values, owners))
    nth = np.arange(most)
    there = nth < counts[:, np.newaxis]
    starts = np.cumsum(counts) - counts
    places: Ids = order[np.where(there, starts[:, np.newaxis] + nth, 0)]
    return places, there
