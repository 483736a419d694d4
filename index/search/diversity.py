"""Diversify the result list: further passages of a post rank below those of its rivals.

A post's rank is decided by the ranking of posts; its further passages follow where the post leads
by so much that they are still more likely to answer than the best passage of another post. So a
clear winner shows more of itself, close rivals are all seen, and one long post cannot fill the
list. A neighbour of a chunk that is shown is no result of its own: it is read with it.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, pairwise
from typing import NamedTuple, TypeAlias

import numpy as np

from blog_search_mcp.index.search.retrieval import Candidates, Numbers
from blog_search_mcp.index.text.languages import TRADITIONAL, language_of, primary_subtag
from blog_search_mcp.index.text.tokenizer import to_simplified
from blog_search_mcp.index.types import VERSIONED, Replacement, Translation, Translations

PASSAGES_PER_POST = 3
"""Passages of one post in a list, at most. Evidence of English questions gains .03 to .04 by the
third, and no post loses its place among the first five."""

DECAY = 0.7
"""Factor on the score of each further passage of a post. Above .7 posts among the first five are
lost, down to .6 evidence is lost (five question sets, hit@5 .942, evidence .837)."""

SAME_PAIRS, LEAST_PAIRS = 0.93, 8
"""Share of the longer passage's pairs of words that a copy of it has, and the least pairs that say
something. Posts of one template differ in more, or in a name: a copy has one number of its own."""

OUTDATED, RELATED = 0.8, 0.4
"""Factor on the score of an outdated post without a current one, and smallest share of a replaced
post's score with which the current one stands above it: one that says less does not answer."""

Pairs: TypeAlias = frozenset[tuple[str, str]]
"""Every two neighboring words of a text, or characters in a script without spaces."""


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
    """The first PASSAGES_PER_POST of a post's passages, the best first, with what each is worth.

    None is beside another, and all but the best have a value above 0. They are worth the root of
    their share of the best one's: a passage with half of the words is no half as likely to answer
    (evidence in any five .837; by the share itself .827).
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
    """The passages without copies of earlier ones in other posts, and by chunk what copies it.

    `texts` are those of the chunks that are compared.
    """
    kept, copies = list[RankedPassage](), defaultdict[int, list[int]](list)
    pairs = {chunk: _pair_words(text) for chunk, text in texts.items()}
    for passage in passages:
        compared = pairs.get(passage.chunk, frozenset())
        for other in kept if len(compared) >= LEAST_PAIRS else ():
            earlier = pairs.get(other.chunk, frozenset())
            least = SAME_PAIRS * max(len(compared), len(earlier))
            if other.post == passage.post or len(compared & earlier) < least:
                continue
            own = {*chain(*compared)} - {*chain(*earlier)}
            if len(own) <= 1 and not re.search(r"[^\W\d_]", "".join(own)):
                copies[other.chunk].append(passage.post)
                break
        else:
            kept.append(passage)
    return kept, copies


def _pair_words(text: str) -> Pairs:
    words = text.lower().split()
    is_spaced = len(words) * 12 > len(text)  # a word has fewer characters on average
    return frozenset(pairwise(words if is_spaced else text))


def collapse_translations(
    scores: Mapping[int, float], translations: Translations, query: str
) -> dict[int, float]:
    """Scores by post id, with the best score of a group given to the one post that is shown.

    Only posts that have a score are shown: the others were filtered out, or have no feature above
    0.
    """
    collapsed: dict[int, float] = {}
    for post, score in scores.items():
        group = [version for version in translations.get(post, ()) if version.post in scores]
        shown = _choose_post(group, scores, query) if len(group) > 1 else post
        collapsed[shown] = max(score, collapsed.get(shown, 0.0))
    return collapsed


def prefer_current(
    scores: Mapping[int, float], replaced: Mapping[int, Replacement], query: str
) -> dict[int, float]:
    """Rank replaced posts below the current ones, and outdated ones below their equals, by post ID.

    Old pages of a documentation are left out where the current one has half of their score, and
    keep theirs if the query names their version.
    """
    preferred = dict(scores)
    for post in replaced.keys() & scores.keys():
        current, score = replaced[post].current, scores[post]
        version = VERSIONED.match(replaced[post].source)
        if current is None:
            preferred[post] = OUTDATED * score
            continue
        least = 0.0 if version else RELATED * score
        is_asked = version and re.search(rf"(?<![\d.]){re.escape(version[3])}(?!\w)", query)
        if current in scores and scores[current] >= least and not is_asked:
            preferred[current] = max(preferred[current], score)
            preferred[post] = 0.99 * score
            if version and scores[current] >= 0.5 * score:
                del preferred[post]
    return preferred


def _choose_post(group: Sequence[Translation], scores: Mapping[int, float], query: str) -> int:
    """The id of the post to show, of two or more: in the query's language and Chinese script.

    For a query of no language it is English if that scores .8 of the best: names and identifiers
    are the same in all languages, so the scores of translations differ little.
    """
    language, traditional = language_of(query), to_simplified(query) != query
    least = 0.0 if language else 0.8 * max(scores[version.post] for version in group)

    def rank(version: Translation) -> tuple[bool, bool, float, int]:
        speaks = primary_subtag(version.language) == (language or "en")
        fits = bool(TRADITIONAL.search(version.language)) == traditional or language != "zh"
        near = speaks and scores[version.post] >= least
        return not near, near and not fits, -scores[version.post], version.post

    return min(group, key=rank).post
