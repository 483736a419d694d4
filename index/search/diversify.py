"""Diversify the result list: further passages of a post rank below those of its rivals.

A post's rank is decided by the ranking of posts; its further passages follow where the post leads
by so much that they are still more likely to answer than the best passage of another post. So a
clear winner shows more of itself, close rivals are all seen, and one long post cannot fill the
list. A neighbour of a chunk that is shown is no result of its own: it is read with it
(`index.reader`, PAGE).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from blog_search_mcp.index.analysis.languages import TRADITIONAL, language_of, primary_subtag
from blog_search_mcp.index.analysis.tokenizer import to_simplified

if TYPE_CHECKING:
    import numpy.typing as npt

    from blog_search_mcp.index.search.retrieval import Candidates, Numbers
    from blog_search_mcp.index.types import Ids, Translation, Translations


PER_POST = 3
"""Passages of one post in a list, at most. Evidence of English questions gains .03 to .04 by the
third, and no post loses its place among the first five."""

LOOKED_AT = 3 * PER_POST - 2
"""Chunks among which PER_POST are no neighbours: each that is shown has two of them."""

DECAY = 0.7
"""What each further passage of a post is worth beside the one before it. From .6 to .9 the evidence
of questions in any of five hits rises by .03 and their posts among the five fall by .02; up to .7
none is lost (five question sets, hit@5 .942, evidence .837; with posts alone .942 and .779)."""


class RankedPassage(NamedTuple):
    """One entry of the list."""

    post: int
    chunk: int
    score: float


def diversify_passages(
    scores: Mapping[int, float], posts: Candidates, chunk_scores: Numbers
) -> list[RankedPassage]:
    """Rank the best passages of all posts, the best first and equal ones in the order of the blog.

    `scores` are in [0, 1] by post id, for some of `posts`; by chunk of theirs, `chunk_scores` are
    comparable within the post alone.
    """
    rows = np.searchsorted(posts.ids, np.fromiter(scores, np.int64, len(scores)))
    places, exists = _find_best_apart(chunk_scores, posts.counts)
    places, exists = places[rows], exists[rows]
    best = np.where(exists, chunk_scores[places], 0.0)
    values = np.where(exists, _passage_scores(np.fromiter(scores.values(), np.float64), best), 0.0)
    owners, columns = np.nonzero(values > 0.0)
    shown = zip(
        posts.ids[rows[owners]].tolist(),
        posts.chunks[places[owners, columns]].tolist(),
        values[owners, columns].tolist(),
        strict=True,
    )
    return sorted(
        map(RankedPassage._make, shown), key=lambda row: (-row.score, row.post, row.chunk)
    )


def _find_best_apart(values: Numbers, counts: Ids) -> tuple[Ids, npt.NDArray[np.bool_]]:
    """The positions of the PER_POST largest values in each run of `counts`, none beside another.

    Earlier ones of equals first. Both of shape (runs, PER_POST); the second tells which exist.
    """
    order = np.lexsort((-values, np.repeat(np.arange(len(counts)), counts)))
    nth = np.arange(LOOKED_AT)
    kept = nth < counts[:, np.newaxis]
    starts = np.cumsum(counts) - counts
    ranked: Ids = order[np.where(kept, starts[:, np.newaxis] + nth, 0)]
    for place in range(1, LOOKED_AT):
        near = np.abs(ranked[:, :place] - ranked[:, place, np.newaxis]) <= 1
        kept[:, place] &= ~(near & kept[:, :place]).any(axis=1)
    first = np.argsort(~kept, axis=1, kind="stable")[:, :PER_POST]
    return np.take_along_axis(ranked, first, axis=1), np.take_along_axis(kept, first, axis=1)


def _passage_scores(scores: Numbers, best_scores: Numbers) -> Numbers:
    """The scores of each post's best passages; only the first has one if none is above 0.

    By the root of its share of the best one's score: a passage with half of the words is no half
    as likely to answer (evidence in any of five .837; by the share itself .827).
    """
    best = best_scores[:, :1]
    decays = np.array([DECAY**n for n in range(PER_POST)])
    shares = np.sqrt(np.maximum(best_scores, 0.0) / np.where(best > 0.0, best, 1.0)) * decays
    values: Numbers = scores[:, np.newaxis] * shares
    values[best[:, 0] <= 0.0, 0] = scores[best[:, 0] <= 0.0]
    return values


NEAR_BEST = 0.8
"""Share of the best score with which English is shown for a query of an unknown language. Names
and identifiers are the same in all languages, so the scores of translations differ little."""


def collapse_translations(
    scores: Mapping[int, float], translations: Translations, query: str
) -> dict[int, float]:
    """Scores by post id, with the best score of a group given to the one post that is shown.

    Only posts that have a score are shown: the others were filtered out, or have no feature above
    0.
    """
    collapsed: dict[int, float] = {}
    for post, score in scores.items():
        group = [each for each in translations.groups.get(post, ()) if each.post in scores]
        shown = _choose_post(group, scores, query) if len(group) > 1 else post
        collapsed[shown] = max(score, collapsed.get(shown, 0.0))
    return collapsed


def _choose_post(group: Sequence[Translation], scores: Mapping[int, float], query: str) -> int:
    """The id of the post to show, of two or more."""
    ranked = sorted(group, key=lambda each: (-scores[each.post], each.post))
    language = language_of(query)
    if not language:
        least = NEAR_BEST * scores[ranked[0].post]
        ranked_near = [each for each in ranked if scores[each.post] >= least]
        return (_in_language(ranked_near, "en") or ranked)[0].post
    same = _in_language(ranked, language) or ranked
    if language == "zh":
        traditional = to_simplified(query) != query
        scripts = [bool(TRADITIONAL.search(each.language)) for each in same]
        return same[scripts.index(traditional) if traditional in scripts else 0].post
    return same[0].post


def _in_language(group: Sequence[Translation], language: str) -> list[Translation]:
    return [each for each in group if primary_subtag(each.language) == language]
