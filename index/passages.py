"""Ranked posts and their chunks in, the list of passages that a reader sees out.

A post's place is decided by the ranking of posts; its further passages come in
further down, where the post leads by so much that it is still more likely to
answer than the best passage of another post. So a clear winner shows more of
itself, close rivals are all seen, and one long post cannot fill the list. Two
passages that follow one another in one section are one entry.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from index.query import Query

PER_POST = 3
"""Passages of one post in a list, at most. Evidence of English questions gains .03 to .04 by the
third, and no post loses its place among the first five (`--ablate per_post=2`)."""

FALL = 0.8
"""What each further passage of a post is worth beside the one before it."""

FALL_DESCRIBED = 0.6
"""The same where posts are described rather than a question asked: what is wanted is a post, and a
passage more of one hides another. hit@5 of an English blog's descriptions gains .01; .4 does the
same, and either costs questions .2 of their evidence (`--ablate fall_described=0.8`)."""


class Place(NamedTuple):
    """One entry of the list."""

    post: int
    chunk: int
    score: float
    beside: int | None = None
    """A neighbour of the chunk that answers too, and is read with it."""


def best_chunks(chunks: Mapping[int, float]) -> list[int]:
    """The ids of a post's best passages, at most PER_POST; the earlier of equals first."""
    return sorted(sorted(chunks), key=chunks.__getitem__, reverse=True)[:PER_POST]


def placed(
    posts: Mapping[int, float],
    chunks: Mapping[int, Mapping[int, float]],
    sections: Mapping[int, Hashable],
    fall: float = FALL,
) -> list[Place]:
    """Every entry of the list, best first; equal scores in the order of the blog.

    `posts` are scores in [0, 1] by post id, `chunks` the scores of each post's chunks,
    comparable within the post alone and in the post's order, `sections` tells by chunk
    id which section of its post it stands in, and has no entry for one in none, `fall`
    is what each further passage of a post is worth beside the one before it.
    """
    places = [
        place
        for post, score in posts.items()
        for place in _merged(_of_post(post, score, chunks[post], fall), chunks[post], sections)
    ]
    return sorted(places, key=lambda place: (-place.score, place.post, place.chunk))


def fall_for(query: Query) -> float:
    """How much a further passage of a post is worth to `query`."""
    return FALL_DESCRIBED if query.is_prose and not query.is_question else FALL


def _of_post(post: int, score: float, chunks: Mapping[int, float], fall: float) -> list[Place]:
    ranked = best_chunks(chunks)
    best = chunks[ranked[0]]
    if best <= 0.0:
        return [Place(post, ranked[0], score)]
    places = [
        Place(post, chunk, score * (max(chunks[chunk], 0.0) / best * fall**n))
        for n, chunk in enumerate(ranked)
    ]
    return [place for place in places if place.score > 0.0]


def _merged(
    places: list[Place], chunks: Mapping[int, float], sections: Mapping[int, Hashable]
) -> list[Place]:
    """The post's first entry with its second in it, if the two are neighbours of one section."""
    if len(places) < 2:
        return places
    first, second = places[:2]
    section = sections.get(first.chunk)
    if section is None or section != sections.get(second.chunk):
        return places
    order = list(chunks)
    if abs(order.index(first.chunk) - order.index(second.chunk)) != 1:
        return places
    return [first._replace(beside=second.chunk), *places[2:]]
