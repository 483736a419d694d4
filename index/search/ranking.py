"""Evidence in, scores out: pure functions that decide the order of posts and of their chunks.

The lexical leg is believed as far as it goes: where one chunk holds all of the
query's rare words together (an identifier, a title, an error message), nothing
else is asked, so the whole never loses to that leg. What the words leave open
is for meaning to fill, as far as the embedder can read the query's language at
all. One constant weight cannot do both: an open gate costs identifiers .03 to
.05 of nDCG@10, BM25 alone costs paraphrased questions .04 (docs/quality.md,
`gating=off` and `meaning=0`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from blog_search_mcp.index.analysis.query import Query
from blog_search_mcp.index.search.candidates import Candidates, Findings, best_of_each
from blog_search_mcp.index.types import Kind, Reason

if TYPE_CHECKING:
    from blog_search_mcp.index.search.candidates import Numbers


class Use(Enum):
    """Which legs have a say."""

    HYBRID = "hybrid"
    LEXICAL = "lexical"
    DENSE = "dense"


@dataclass(frozen=True, slots=True)
class Weights:
    """The ranking's constants; measured by `make eval`, where each can be varied."""

    passage: float = 4.0
    post: float = 3.0
    """Without it descriptions of a Chinese blog lose .02 of nDCG@10 and questions .01 to .02."""
    several: float = 3.0
    """The best three passages together: a post on the subject has several."""
    meaning: float = 6.0
    """The cosine's excess over the blog's mean. Half and double of it each cost English questions
    .03 of nDCG@10, one query of 40, and descriptions nothing."""
    lead: float = 3.0
    """A post's beginning, for what is no question: a description says what a post's first lines
    say, a question asks for a detail. Descriptions of a Chinese blog gain .03 of nDCG@10."""
    about: float = 3.0
    """The author's own description, where a blog has any, for every query."""
    beside: float = 0.3
    """What the first chunk's and the whole post's meaning weigh beside the best chunk's 1."""
    gate: float = 4.0
    """How sharply the gate closes: one passage holds all words of a heading, title or identifier,
    most of a description's and half of a question's."""
    full_strength: float = 0.7
    """The share of what BM25 could give that counts as all: headings and titles reach it in their
    own passage, descriptions seldom do."""


WEIGHTS = Weights()

BEST_OF = 3
"""Chunks that count for a post; the mean of at most three cannot be won by having many."""


def openness(findings: Findings, is_prose: bool, weights: Weights = WEIGHTS) -> float:
    """What the query's words leave open for meaning, in [0, 1].

    Nothing, where one passage holds them all. Running text that a passage holds only
    thinly counts as held in part: any long passage covers a description of common words.
    """
    strength = min(findings.posts.strongest / weights.full_strength, 1.0) if is_prose else 1.0
    return 1.0 - math.pow(findings.coverage * strength, weights.gate)


def counted(
    findings: Findings, query: Query, use: Use = Use.HYBRID, weights: Weights = WEIGHTS
) -> dict[Kind, float]:
    """What each kind of evidence weighs for this query, at least 0."""
    if use is Use.DENSE:
        return {"meaning": 1.0}
    gate = openness(findings, query.is_prose, weights)
    described = bool(findings.posts.about.any())
    return {
        "passage": weights.passage,
        "post": weights.post,
        "several": gate * weights.several,
        "lead": 0.0 if query.is_question else gate * weights.lead,
        "about": weights.about if described else 0.0,
        "meaning": gate * weights.meaning * findings.readable if use is Use.HYBRID else 0.0,
    }


def score_posts(
    findings: Findings, query: Query, use: Use = Use.HYBRID, weights: Weights = WEIGHTS
) -> dict[int, float]:
    """Scores in [0, 1] by post id: the weighted mean of what speaks for each post."""
    counts = counted(findings, query, use, weights)
    values = _values(findings.posts, weights)
    weighed = sum((count * values[kind] for kind, count in counts.items()), start=np.zeros(1))
    scores = np.minimum(weighed / sum(counts.values()), 1.0)
    found = scores > 0.0
    return dict(zip(findings.posts.ids[found].tolist(), scores[found].tolist(), strict=True))


def reasons(
    findings: Findings,
    posts: Iterable[int],
    counts: Mapping[Kind, float],
    weights: Weights = WEIGHTS,
) -> dict[int, tuple[Reason, ...]]:
    """By id, why each of `posts` has its score, by what each kind of evidence counts.

    What counts most comes first.
    """
    total = sum(counts.values())
    values = _values(findings.posts, weights)
    ordered = sorted(counts.items(), key=lambda each: -each[1])
    places = {post: findings.posts.place_of(post) for post in posts}
    return {
        post: tuple(
            Reason(kind, count / total, float(values[kind][place]))
            for kind, count in ordered
            if count
        )
        for post, place in places.items()
    }


def score_chunks(findings: Findings, use: Use = Use.HYBRID, weights: Weights = WEIGHTS) -> Numbers:
    """How well each chunk answers, higher is better; comparable within its post.

    Inside a post the gate stays open: all its chunks share the title, so a query made of
    the title's words is left for meaning to place.
    """
    words = 0.0 if use is Use.DENSE else weights.passage
    dense = 1.0 if use is Use.DENSE else weights.meaning * findings.readable
    dense = 0.0 if use is Use.LEXICAL else dense
    found: Numbers = words * findings.posts.shares + dense * np.nan_to_num(findings.posts.cosines)
    return found


def _values(posts: Candidates, weights: Weights) -> dict[Kind, Numbers]:
    return {
        "passage": posts.best,
        "post": posts.whole,
        "several": _several(posts),
        "lead": posts.lead,
        "about": posts.about,
        "meaning": _meaning(posts, weights),
    }


def _several(posts: Candidates) -> Numbers:
    places, there = best_of_each(posts.shares, posts.counts, BEST_OF)
    found: Numbers = np.where(there, posts.shares[places], 0.0).sum(axis=1)
    return found / np.minimum(BEST_OF, posts.counts)


def _meaning(posts: Candidates, weights: Weights) -> Numbers:
    """Agreement in meaning above the blog's mean, in [-1, 1]; 0 for a post without vectors."""
    first = np.nan_to_num(posts.cosines[posts.starts])
    beside = weights.beside * (first + posts.mean_cosine)
    return np.nan_to_num((posts.nearest + beside) / (1.0 + 2.0 * weights.beside))
