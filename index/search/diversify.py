"""Diversify the result list: further passages of a post rank below those of its rivals.

A post's rank is decided by the ranking of posts; its further passages follow where the post leads
by so much that they are still more likely to answer than the best passage of another post. So a
clear winner shows more of itself, close rivals are all seen, and one long post cannot fill the
list. Two neighbouring passages of one section are one result.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from blog_search_mcp.index.search.candidates import top_positions

if TYPE_CHECKING:
    import numpy.typing as npt

    from blog_search_mcp.index.analysis.query import Query
    from blog_search_mcp.index.search.candidates import Candidates, Numbers
    from blog_search_mcp.index.types import Ids

PER_POST = 3
"""Passages of one post in a list, at most. Evidence of English questions gains .03 to .04 by the
third, and no post loses its place among the first five."""

DECAY = 0.8
"""What each further passage of a post is worth beside the one before it."""

DECAY_DESCRIBED = 0.6
"""The same where posts are described rather than a question asked: what is wanted is a post, and a
passage more of one hides another. hit@5 of an English blog's descriptions gains .01; .4 does the
same, and either costs questions .2 of their evidence."""


class RankedPassage(NamedTuple):
    """One entry of the list."""

    post: int
    chunk: int
    score: float
    beside: int | None = None
    """A neighbour of the chunk that answers too, and is read with it."""


@dataclass(frozen=True, eq=False)
class RankedPassages:
    """The whole list in columns, best first; equal scores in the order of the blog."""

    posts: Ids
    chunks: Ids
    scores: Numbers
    besides: Ids
    """0 for an entry of one passage."""

    def __len__(self) -> int:
        return len(self.posts)

    def page(self, offset: int, limit: int) -> list[RankedPassage]:
        """The entries from `offset` on, `limit` at most."""
        columns = (self.posts, self.chunks, self.scores, self.besides)
        rows = zip(*(each[offset : offset + limit].tolist() for each in columns), strict=True)
        return [
            RankedPassage(post, chunk, score, beside or None) for post, chunk, score, beside in rows
        ]


def diversify_passages(
    scores: Mapping[int, float],
    posts: Candidates,
    chunk_scores: Numbers,
    sections: npt.NDArray[np.int32],
    decay: float = DECAY,
) -> RankedPassages:
    """Rank the best passages of all posts.

    `scores` are in [0, 1] by post id, for some of `posts`; by chunk of theirs, `chunk_scores` are
    comparable within the post alone, and `sections` numbers the section of its post it stands
    in, 0 for none; `decay` is what each further passage of a post is worth beside the one before.
    """
    own = np.searchsorted(posts.ids, np.fromiter(scores, np.int64, len(scores)))
    ranked, exists = top_positions(chunk_scores, posts.counts, PER_POST)
    ranked, exists = ranked[own], exists[own]
    best = np.where(exists, chunk_scores[ranked], 0.0)
    values = _passage_scores(np.fromiter(scores.values(), np.float64), best, decay)
    exists &= values > 0.0
    besides = np.zeros_like(ranked)
    if PER_POST > 1:
        merged = exists[:, 1] & _are_neighbours(ranked, sections)
        besides[merged, 0] = posts.chunks[ranked[merged, 1]]
        exists[merged, 1] = False
    ids = np.broadcast_to(posts.ids[own, np.newaxis], exists.shape)[exists]
    chunks, values, besides = posts.chunks[ranked[exists]], values[exists], besides[exists]
    order = np.lexsort((chunks, ids, -values))
    return RankedPassages(ids[order], chunks[order], values[order], besides[order])


def decay_for(query: Query) -> float:
    """How much a further passage of a post is worth to `query`."""
    return DECAY_DESCRIBED if query.is_prose and not query.is_question else DECAY


def _passage_scores(scores: Numbers, best_scores: Numbers, decay: float) -> Numbers:
    """The scores of each post's best passages; only the first has one if none is above 0."""
    best = best_scores[:, :1]
    decays = np.array([decay**n for n in range(PER_POST)])
    shares = np.maximum(best_scores, 0.0) / np.where(best > 0.0, best, 1.0) * decays
    values: Numbers = scores[:, np.newaxis] * shares
    values[best[:, 0] <= 0.0, 0] = scores[best[:, 0] <= 0.0]
    return values


def _are_neighbours(ranked: Ids, sections: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
    """Whether the first two passages of each post follow one another in one section."""
    first, second = ranked[:, 0], ranked[:, 1]
    same = (sections[first] == sections[second]) & (sections[first] != 0)
    neighbours: npt.NDArray[np.bool_] = same & (np.abs(first - second) == 1)
    return neighbours
