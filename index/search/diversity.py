"""Diversify the hits: few passages of a post, no copies, one translation, new before old.

The ranking of posts decides a post's place. Later passages of a post have reduced scores, so one
stands above another post's best passage only if its post leads clearly. A chunk next to a listed
one is omitted, since `read_chunk` returns both.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from blog_search_mcp.index.search.retrieval import Candidates, Numbers
from blog_search_mcp.index.text.languages import TRADITIONAL, language_of, primary_subtag
from blog_search_mcp.index.text.tokenizer import to_simplified
from blog_search_mcp.index.types import VERSIONED, Replacement, Translation, Translations

PASSAGES_PER_POST = 3
"""Maximum passages of a post in a list. With the third, the share of English questions whose
evidence is shown is .03 to .04 higher, and no post drops out of the first five."""
DECAY = 0.7
"""Factor on the score of each later passage of a post; a larger one lowers hit@5."""
MIN_SAME_SHARE = 0.93
"""Minimum share of the longer passage's word pairs that a copy and its original both have. A copy
may add one number. Posts made from one template differ in more words than that, or in names."""
MIN_PAIRS = 8
"""Minimum word pairs of a passage that may count as a copy."""
OUTDATED_FACTOR = 0.8
"""Factor on the score of an outdated post without a replacement."""
MIN_CURRENT_SHARE = 0.4
"""Minimum share of a replaced post's score at which its replacement is ranked above it."""


class RankedPassage(NamedTuple):
    """One entry of the list, with the ids of its post and chunk."""

    post: int
    chunk: int
    score: float


def diversify_passages(
    scores: Mapping[int, float], posts: Candidates, chunk_scores: Numbers
) -> list[RankedPassage]:
    """Rank the best passages of all posts, best first; equal ones in the order of their ids.

    `scores` are in [0, 1] by post id; posts without a score are left out. `chunk_scores` are in the
    order of `posts.chunks` and comparable within a post only.
    """
    best_first = np.lexsort((-chunk_scores, np.repeat(posts.ids, posts.counts))).tolist()
    values, ends = chunk_scores.tolist(), np.cumsum(posts.counts).tolist()
    ranked = (
        RankedPassage(post, int(posts.chunks[place]), scores[post] * worth)
        for post, start, end in zip(posts.ids.tolist(), posts.starts.tolist(), ends, strict=True)
        if post in scores
        for place, worth in _weigh_passages(best_first[start:end], values)
    )
    return sorted(ranked, key=lambda row: (-row.score, row.post, row.chunk))


def _weigh_passages(places: Sequence[int], values: Sequence[float]) -> Iterator[tuple[int, float]]:
    """Yield the position and factor of a post's best passages, at most PASSAGES_PER_POST.

    `places` are best first. No two yielded are neighbors; all but the best have a value above 0.
    The best has factor 1, the n-th after it DECAY ** n times the root of value / best value. The
    root raises the share of questions that are shown their evidence from .827 to .837.
    """
    apart: list[int] = []
    for place in places:
        if place - 1 in apart or place + 1 in apart:
            continue
        share = values[place] / values[places[0]] if apart and values[place] > 0.0 else 0.0
        if len(apart) == PASSAGES_PER_POST or (apart and share <= 0.0):
            return
        yield place, math.sqrt(share) * DECAY ** len(apart) if apart else 1.0
        apart.append(place)


def collapse_copies(
    passages: Sequence[RankedPassage], texts: Mapping[int, str]
) -> tuple[list[RankedPassage], Mapping[int, list[int]]]:
    """Drop copies of other posts' earlier passages; also return the copies' posts by kept chunk."""
    kept, copies = list[RankedPassage](), defaultdict[int, list[int]](list)
    words = {chunk: _split_words(text) for chunk, text in texts.items()}
    distinct = {chunk: frozenset(words[chunk]) for chunk in words}
    for passage in passages:
        compared = distinct.get(passage.chunk, frozenset())
        for other in kept if compared else ():
            added = compared - distinct[other.chunk]
            differs = len(added) > 1 or re.search(r"[^\W\d_]", "".join(added))
            if differs or other.post == passage.post:
                continue
            pairs, earlier = (frozenset(pairwise(words[n])) for n in (passage.chunk, other.chunk))
            same, most = len(pairs & earlier), max(len(pairs), len(earlier))
            if len(pairs) >= MIN_PAIRS and same >= MIN_SAME_SHARE * most:
                copies[other.chunk].append(passage.post)
                break
        else:
            kept.append(passage)
    return kept, copies


def _split_words(text: str) -> Sequence[str]:
    """Return a text's words in lower case, or its characters in a script without spaces."""
    words = text.lower().split()
    is_spaced = len(words) * 12 > len(text)  # a word has fewer characters on average
    return words if is_spaced else text


def collapse_translations(
    scores: Mapping[int, float], translations: Translations, query: str
) -> dict[int, float]:
    """Return scores by post id; of each group of translations one post gets the best score."""
    collapsed: dict[int, float] = {}
    for post, score in scores.items():
        group = [version for version in translations.get(post, ()) if version.post in scores]
        shown = _choose_post(group, scores, query) if len(group) > 1 else post
        collapsed[shown] = max(score, collapsed.get(shown, 0.0))
    return collapsed


def prefer_current(
    scores: Mapping[int, float], replaced: Mapping[int, Replacement], query: str
) -> dict[int, float]:
    """Return scores by post id, with outdated posts lowered and current ones above replaced ones.

    A current post gets at least the score of the post it replaces, if it has MIN_CURRENT_SHARE of
    that score. For an old version of a documentation page there is no minimum. The old version is
    left out if the current page has half its score or more, and is kept if the query names it.
    """
    preferred = dict(scores)
    for post in replaced.keys() & scores.keys():
        current, score = replaced[post].current, scores[post]
        version = VERSIONED.match(replaced[post].source)
        if current is None:
            preferred[post] = OUTDATED_FACTOR * score
            continue
        least = 0.0 if version else MIN_CURRENT_SHARE * score
        is_asked = version and re.search(rf"(?<![\d.]){re.escape(version[3])}(?!\w)", query)
        if current in scores and scores[current] >= least and not is_asked:
            preferred[current] = max(preferred[current], score)
            preferred[post] = 0.99 * score
            if version and scores[current] >= 0.5 * score:
                del preferred[post]
    return preferred


def _choose_post(group: Sequence[Translation], scores: Mapping[int, float], query: str) -> int:
    """Return the post to show of a group: in the query's language and Chinese script.

    If the query shows no language, the English one is shown if it has .8 of the best score: names
    and identifiers are alike in all languages. If neither rule finds a post, the best one is shown.
    """
    language, traditional = language_of(query), to_simplified(query) != query
    least = 0.0 if language else 0.8 * max(scores[version.post] for version in group)

    def rank(version: Translation) -> tuple[bool, bool, float, int]:
        speaks = primary_subtag(version.language) == (language or "en")
        fits = bool(TRADITIONAL.search(version.language)) == traditional or language != "zh"
        near = speaks and scores[version.post] >= least
        return not near, near and not fits, -scores[version.post], version.post

    return min(group, key=rank).post
