"""Ranked posts and their chunks in, the list of passages that a reader sees out.

A post's place is decided by the ranking of posts; its second passage
comes in further down, where the post leads by so much that it is still more
likely to answer than the best passage of another post. So a clear winner shows
more of itself, close rivals are all seen, and one long post cannot fill the list.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

PER_POST = 2
"""Passages of one post in a list, at most."""

FALL = 0.8
"""What each further passage of a post is worth beside the one before it."""


@dataclass(frozen=True, slots=True)
class Place:
    """One entry of the list."""

    post: int
    chunk: int
    score: float


def placed(posts: Mapping[int, float], chunks: Mapping[int, Mapping[int, float]]) -> list[Place]:
    """Every passage to show, best first; equal scores in the order of the blog.

    `posts` are scores in [0, 1] by post id, `chunks` the scores of each post's chunks,
    comparable within the post alone.
    """
    places = [
        place for post, score in posts.items() for place in _of_post(post, score, chunks[post])
    ]
    return sorted(places, key=lambda place: (-place.score, place.post, place.chunk))


def _of_post(post: int, score: float, chunks: Mapping[int, float]) -> list[Place]:
    ranked = sorted(chunks, key=lambda chunk: (-chunks[chunk], chunk))[:PER_POST]
    best = chunks[ranked[0]]
    if best <= 0.0:
        return [Place(post, ranked[0], score)]
    shares = [max(chunks[chunk], 0.0) / best * FALL**n for n, chunk in enumerate(ranked)]
    return [
        Place(post, chunk, score * share)
        for chunk, share in zip(ranked, shares, strict=True)
        if share > 0.0
    ]
