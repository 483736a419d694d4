"""Rank candidate posts and their chunks: pure functions of features and weights.

Words decide as far as they go: where one chunk holds all of the query's rare words together (an
identifier, a title, an error message), no other feature counts, so hybrid search never loses to
words alone. What the words leave open is for meaning to fill, as far as the embedder's vocabulary
covers the query's language at all. One constant weight cannot do both: an open gate costs
identifiers .03 to .05 of nDCG@10, BM25 alone costs paraphrased questions .04 (docs/quality.md,
`gating=off` and `meaning=0`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from blog_search_mcp.index.search.retrieval import top_positions
from blog_search_mcp.index.types import Feature, Reason

if TYPE_CHECKING:
    from blog_search_mcp.index.analysis.query import Query
    from blog_search_mcp.index.search.retrieval import Candidates, Numbers, RetrievalResult


class Use(Enum):
    """Which retrievers count."""

    HYBRID = "hybrid"
    LEXICAL = "lexical"
    DENSE = "dense"


@dataclass(frozen=True, slots=True)
class Weights:
    """The ranking's weights by feature, and its other constants."""

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
    """Weight of the first chunk's and the whole post's cosine beside the best chunk's 1."""
    gate: float = 4.0
    """Exponent of the gate: one passage holds all words of a heading, title or identifier, most of
    a description's and half of a question's."""
    full_strength: float = 0.7
    """The normalised BM25 that counts as all: headings and titles reach it in their own passage,
    descriptions seldom do."""


WEIGHTS = Weights()

BEST_OF = 3
"""Chunks that count for a post; the mean of at most three cannot be won by having many."""


def post_features(posts: Candidates, weights: Weights = WEIGHTS) -> dict[Feature, Numbers]:
    """Compute every feature of the candidate posts, by post: `meaning` in [-1, 1], others [0, 1].

    The ranking is a weighted mean of these and of nothing else.
    """
    best, exists = top_positions(posts.bm25, posts.counts, BEST_OF)
    several = np.where(exists, posts.bm25[best], 0.0).sum(axis=1)
    first_cosine = np.nan_to_num(posts.cosines[posts.starts])
    beside = weights.beside * (first_cosine + posts.mean_cosine)
    return {
        "passage": posts.best_bm25,
        "post": posts.post_bm25,
        "several": several / np.minimum(BEST_OF, posts.counts),
        "lead": posts.lead_bm25,
        "about": posts.about_bm25,
        "meaning": np.nan_to_num((posts.best_cosine + beside) / (1.0 + 2.0 * weights.beside)),
    }


def gate_openness(retrieved: RetrievalResult, is_prose: bool, weights: Weights = WEIGHTS) -> float:
    """What the query's words leave open for meaning, in [0, 1].

    Nothing, where one passage holds them all. Running text that a passage holds only
    thinly counts as held in part: any long passage covers a description of common words.
    """
    strength = min(retrieved.posts.max_bm25 / weights.full_strength, 1.0) if is_prose else 1.0
    return 1.0 - math.pow(retrieved.coverage * strength, weights.gate)


def feature_weights(
    retrieved: RetrievalResult, query: Query, use: Use = Use.HYBRID, weights: Weights = WEIGHTS
) -> dict[Feature, float]:
    """The weight of each feature for this query, at least 0."""
    if use is Use.DENSE:
        return {"meaning": 1.0}
    gate = gate_openness(retrieved, query.is_prose, weights)
    meaning = gate * weights.meaning * retrieved.vocabulary_coverage
    return {
        "passage": weights.passage,
        "post": weights.post,
        "several": gate * weights.several,
        "lead": 0.0 if query.is_question else gate * weights.lead,
        "about": weights.about if retrieved.posts.about_bm25.any() else 0.0,
        "meaning": meaning if use is Use.HYBRID else 0.0,
    }


def score_posts(
    retrieved: RetrievalResult, query: Query, use: Use = Use.HYBRID, weights: Weights = WEIGHTS
) -> dict[int, float]:
    """Scores in (0, 1] by post id: the weighted mean of its features; without posts that have 0."""
    by_feature = feature_weights(retrieved, query, use, weights)
    features = post_features(retrieved.posts, weights)
    weighted = sum((weight * features[name] for name, weight in by_feature.items()), np.zeros(1))
    scores = np.minimum(weighted / sum(by_feature.values()), 1.0)
    positive = scores > 0.0
    ids = retrieved.posts.ids[positive].tolist()
    return dict(zip(ids, scores[positive].tolist(), strict=True))


def explain_scores(
    retrieved: RetrievalResult,
    posts: Iterable[int],
    by_feature: Mapping[Feature, float],
    weights: Weights = WEIGHTS,
) -> dict[int, tuple[Reason, ...]]:
    """By id, the features that make up the score of each of `posts`, the weightiest first.

    `by_feature` are the query's weights, as `feature_weights` gives them.
    """
    total = sum(by_feature.values())
    features = post_features(retrieved.posts, weights)
    ordered = sorted(by_feature.items(), key=lambda each: -each[1])
    positions = {post: retrieved.posts.position_of(post) for post in posts}
    return {
        post: tuple(
            Reason(name, weight / total, float(features[name][position]))
            for name, weight in ordered
            if weight
        )
        for post, position in positions.items()
    }


NEARNESS = 0.015
"""What a chunk gains for each standard deviation of the candidates' cosines that it is nearer:
within a post words place the answer, and meaning decides between chunks that hold as much of them.
Without it the page read has the evidence of .816 of English questions and .810 of Chinese ones; by
.1 of a deviation within the post .843 and .823; by a fit to all questions, six times as much, .830
and .760. Of 12 further features (the title left out, coverage, first and last chunk, length,
neighbours) none gained on blogs it was not fitted on."""


def score_chunks(retrieved: RetrievalResult, use: Use = Use.HYBRID) -> Numbers:
    """How well each chunk answers, higher is better; comparable within its post."""
    posts = retrieved.posts
    cosines = np.nan_to_num(posts.cosines)
    if use is Use.DENSE:
        return cosines
    spread = float(cosines.std()) if len(cosines) else 0.0
    if use is Use.LEXICAL or not spread:
        return posts.bm25
    nearness = NEARNESS * retrieved.vocabulary_coverage / spread
    scores: Numbers = posts.bm25 + nearness * cosines
    return scores
