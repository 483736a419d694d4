"""What retrieval found, before ranking: candidate posts with everything they are scored by.

A query has some hundred candidate posts with thousands of chunks, of which a reader sees five, so
they are kept in columns: one number for each post, or for each chunk of them.
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
class Candidate:
    """One row of `Candidates`. BM25 is normalised to [0, 1] (`index.lexical.searcher`)."""

    post_bm25: float
    """Of the post as a whole."""
    lead_bm25: float
    """Of its title and beginning; 0 for a question."""
    about_bm25: float
    """Of the author's own description."""
    chunks: tuple[int, ...]
    """The post's chunk ids in order; at least one."""
    bm25: Mapping[int, float]
    """By chunk id; without chunks that hold no word of the query."""
    cosines: Mapping[int, float]
    """By chunk id, the cosine of its nearest vector to the query less the blog's mean; without
    chunks that have no vector."""
    mean_cosine: float
    """The cosine of the post's mean vector, less the blog's mean; 0 if it has no vector."""

    @property
    def best_bm25(self) -> float:
        """Of its best chunk."""
        return max(self.bm25.values(), default=0.0)


@dataclass(frozen=True, eq=False)
class Candidates(Mapping[int, Candidate]):
    """The candidate posts by id, in columns; each as in Candidate unless said otherwise."""

    ids: Ids
    """Of the posts, ascending, shape (posts,)."""
    counts: Ids
    """How many chunks each has, at least 1."""
    chunks: Ids
    """Every chunk id of the first post in order, then of the second: shape (chunks,)."""
    bm25: Numbers
    """By chunk; 0 for one that holds no word of the query."""
    cosines: Numbers
    """By chunk; NaN for one without a vector."""
    post_bm25: Numbers
    lead_bm25: Numbers
    about_bm25: Numbers
    mean_cosine: Numbers

    @cached_property
    def starts(self) -> Ids:
        """By post, the position of its first chunk."""
        found: Ids = np.cumsum(self.counts) - self.counts
        return found

    @cached_property
    def best_bm25(self) -> Numbers:
        """By post, the BM25 of its best chunk."""
        found: Numbers = np.maximum.reduceat(self.bm25, self.starts)
        return found

    @cached_property
    def best_cosine(self) -> Numbers:
        """By post, the largest cosine of a chunk; NaN for one without a vector."""
        found: Numbers = np.fmax.reduceat(self.cosines, self.starts)
        return found

    @cached_property
    def max_bm25(self) -> float:
        """The BM25 of the best chunk of all; 0 if there is none."""
        return float(self.bm25.max(initial=0.0))

    def position_of(self, post: int) -> int:
        """The position of a post in the columns. Raises KeyError."""
        position = int(np.searchsorted(self.ids, post))
        if position == len(self.ids) or self.ids[position] != post:
            raise KeyError(post)
        return position

    def __getitem__(self, post: int) -> Candidate:
        position = self.position_of(post)
        own = slice(self.starts[position], self.starts[position] + self.counts[position])
        chunks = self.chunks[own].tolist()
        bm25 = zip(chunks, self.bm25[own].tolist(), strict=True)
        cosines = zip(chunks, self.cosines[own].tolist(), strict=True)
        return Candidate(
            post_bm25=float(self.post_bm25[position]),
            lead_bm25=float(self.lead_bm25[position]),
            about_bm25=float(self.about_bm25[position]),
            chunks=tuple(chunks),
            bm25={chunk: score for chunk, score in bm25 if score},
            cosines={chunk: cosine for chunk, cosine in cosines if cosine == cosine},
            mean_cosine=float(self.mean_cosine[position]),
        )

    def __iter__(self) -> Iterator[int]:
        return iter(self.ids.tolist())

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True)
class RetrievalResult:
    """Everything one query retrieved."""

    posts: Candidates
    coverage: float
    """The largest share of the query's terms, by IDF, that one chunk holds together."""
    vocabulary_coverage: float
    """How well the embedder's vocabulary covers the query and what it is about, in [0, 1]."""
    idf: Mapping[Word, float]
    """The query's words with their inverse document frequencies."""
    max_idf: float
    """The inverse document frequency of a word that no chunk has."""
    max_cosine: float | None
    """The largest cosine of any vector to the query; `None` without a vector of the query."""
    blog_cosine: float
    """The cosine of the blog's mean vector to the query, which is subtracted from the candidates'
    cosines; 0 without a vector of the query."""


def align_to_ids(ids: Ids, values: Mapping[int, float]) -> Numbers:
    """Put values by id in the order of `ids`, which ascend; 0 where there is none."""
    known = np.fromiter(values.keys(), np.int64, len(values))
    numbers = np.fromiter(values.values(), np.float64, len(values))
    positions = np.searchsorted(ids, known)
    exists = positions < len(ids)
    exists[exists] = ids[positions[exists]] == known[exists]
    column = np.zeros(len(ids))
    column[positions[exists]] = numbers[exists]
    return column


def top_positions(values: Numbers, counts: Ids, most: int) -> tuple[Ids, npt.NDArray[np.bool_]]:
    """The positions of the largest values in each run of `counts` values, earlier of equals first.

    Both of shape (runs, most); the second tells which exist, where a run is shorter.
    """
    owners = np.repeat(np.arange(len(counts)), counts)
    order = np.lexsort((-values, owners))
    nth = np.arange(most)
    exists = nth < counts[:, np.newaxis]
    starts = np.cumsum(counts) - counts
    positions: Ids = order[np.where(exists, starts[:, np.newaxis] + nth, 0)]
    return positions, exists
