"""Rank candidate posts and their chunks: pure functions of features and fitted weights.

A post's score is a weighted mean of a few features. BM25 is relative to the best candidate's, so
that weights fit queries of any length and language. Similarity is relative to what headings usually
reach, so that weights fit any embedder. Questions and short queries have different weights, fitted
on several blogs (`index/data/ranking.json`; docs/quality.md has the figures of held-out blogs).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np
from pydantic import BaseModel, NonNegativeFloat

from blog_search_mcp.index.search.retrieval import Candidates, Numbers, Retrieval
from blog_search_mcp.index.text.query import Query

MODEL_FILE = Path(__file__).parents[1] / "data" / "ranking.json"
QueryKind = Literal["question", "short"]
"""`question` for a question or running text; `short` for a name, an identifier or a few words."""
Feature = Literal["passage", "coverage", "post", "meaning", "opening"]
"""Feature of a post: BM25 of its best passage, largest share of the query's terms in one passage,
BM25 of the whole post, similarity of its nearest passage, similarity of its first passage."""
Weights: TypeAlias = dict[Feature, NonNegativeFloat]
DENSE_FEATURES: tuple[Feature, ...] = ("meaning", "opening")
HEADING_SIMILARITY = 0.33
"""Usual similarity of a heading to its passage: .29 to .45 on 11 blogs, by both packaged models."""
MAX_SIMILARITY = 1.5
"""Upper limit of a similarity, as a multiple of HEADING_SIMILARITY; few queries reach it."""
COVERAGE_POWER = 2.0
"""Power of the feature `coverage`. It makes a passage with all words stand out from many with most
of them. On held-out collections it adds .010 to the nDCG@10 of identifiers."""
ENOUGH_WORDS = 2.5
"""Part of `Retrieval.length` that one passage must hold for BM25 to count in full if other words
are missing. The best passage holds 2 or more of a question, .8 of a paraphrase. Between 2 and 3 the
hit@1 of each kind of query on held-out blogs changes by at most .007."""
GATE_POWER = 4.0
"""Power of coverage in the factor on meaning, which is least for a heading (coverage 1) and near 1
for a question (.5). On held-out blogs hit@1 of headings gains .03, of questions changes by .006."""
GATE = 0.9
"""Largest reduction of meaning; it is below 1, so that posts found by meaning remain hits."""
LEAST_SCORE = 0.001
"""Minimum score of a post with a word of the query, even if its similarity is negative."""
REWARD = 0.1
"""Addition to the score of a post that has the query as a heading, and again verbatim in its best
passage, divided by the number of such posts. Values of .05 to .3 rank nine blogs equally well."""
CEILING = 0.95
"""Maximum score of every other post if the query names a post."""
NEARNESS_WEIGHT = 0.015
"""Addition to a chunk's score per standard deviation of the similarity of all candidates' chunks,
times meaning's weight. It decides between chunks of a post with equally many words. The share of
questions whose hits show the answer rises from .816 to .838 (English), .810 to .843 (Chinese)."""


class LogisticModel(BaseModel, frozen=True, extra="forbid"):
    """Probability that a blog holds an answer, from features of what was retrieved."""

    bias: float
    weights: dict[str, float]
    low: float
    """Probability below which confidence is low."""

    def probability(self, features: Mapping[str, float], added_logit: float = 0.0) -> float:
        """Estimate the probability from a value for each weight, with `added_logit` added."""
        logit = self.bias + sum(self.weights[k] * features[k] for k in self.weights) + added_logit
        return 1.0 / (1.0 + math.exp(-max(min(logit, 50.0), -50.0)))


class RankingModel(BaseModel, frozen=True):
    """Numbers that `tools.fit_ranking` fits. The file also names the command and the commit."""

    fitted_on: tuple[str, ...]
    """Names of blogs and collections."""
    ranking: dict[QueryKind, Weights]
    confidence: LogisticModel
    confidence_by_words: LogisticModel
    """Model for answers without cosines."""


@cache
def load_ranking_model() -> RankingModel:
    """Read the packaged model."""
    return RankingModel.model_validate_json(MODEL_FILE.read_bytes())


def classify_query(query: Query) -> QueryKind:
    """Classify a query as a question or running text, or as short."""
    return "question" if query.is_question or query.is_prose else "short"


def choose_weights(query: Query, *, by_meaning: bool) -> Weights:
    """Return the weight of each feature for this query; DENSE_FEATURES only with `by_meaning`."""
    weights = load_ranking_model().ranking[classify_query(query)]
    return {k: v for k, v in weights.items() if by_meaning or k not in DENSE_FEATURES}


def largest_sum(weights: Weights) -> float:
    """Return the largest possible weighted sum of features."""
    return sum(v * (MAX_SIMILARITY if k in DENSE_FEATURES else 1.0) for k, v in weights.items())


def compute_post_features(retrieved: Retrieval) -> dict[Feature, Numbers]:
    """Compute every feature of the candidate posts, as arrays in the order of `posts.ids`.

    Features of words are in [0, 1]. BM25 is relative to the best candidate, and lower if no passage
    holds much of the query. Features of meaning are in [-1, MAX_SIMILARITY], and 0 without vectors.
    They are lower if a passage holds most of the query, or the vocabulary covers little.
    """
    posts = retrieved.posts
    word_trust = min(retrieved.coverage * max(1.0, retrieved.length / ENOUGH_WORDS), 1.0) ** 2
    meaning_share = 1.0 - GATE * retrieved.coverage**GATE_POWER
    scale = meaning_share * retrieved.meaning_weight / HEADING_SIMILARITY
    meaning, opening = (
        np.clip(np.nan_to_num(near * scale), -1.0, MAX_SIMILARITY)
        for near in (posts.best(posts.similarities), posts.similarities[posts.starts])
    )
    return {
        "passage": word_trust * _divide_by_best(posts.best(posts.bm25)),
        "coverage": posts.best(posts.coverage) ** COVERAGE_POWER,
        "post": word_trust * _divide_by_best(posts.post_bm25),
        "meaning": meaning,
        "opening": opening,
    }


def _divide_by_best(values: Numbers) -> Numbers:
    best = values.max(initial=0.0)
    return values / best if best > 0.0 else values


def score_posts(
    features: Mapping[Feature, Numbers], posts: Candidates, weights: Weights
) -> dict[int, float]:
    """Return scores in (0, 1] by post id. A post without words needs a positive sum."""
    weighed = (weights[name] * features[name] for name in weights)
    total = sum(weighed, np.zeros(1)) / (largest_sum(weights) or 1.0)
    words = [features[name] for name in weights if name not in DENSE_FEATURES]
    total = np.where(np.any(words, axis=0), np.maximum(total, LEAST_SCORE), total)
    pairs = zip(posts.ids.tolist(), total.tolist(), strict=True)
    return {post: score for post, score in pairs if score > 0.0}


def reward_posts(scores: Mapping[int, float], holders: Collection[int]) -> dict[int, float]:
    """Return `scores`, in [0, 1] by post id, raised for the posts in `holders` (see REWARD)."""
    gain = REWARD / max(len(holders), 1)
    return {
        post: min(score + gain, 1.0) if post in holders else score for post, score in scores.items()
    }


def promote_named_posts(scores: Mapping[int, float], named: Collection[int]) -> dict[int, float]:
    """Return `scores`, in [0, 1] by post id: named posts from CEILING up, all others up to it."""
    return {
        post: CEILING + (1.0 - CEILING) * score if post in named else min(score, CEILING)
        for post, score in scores.items()
    }


def score_chunks(retrieved: Retrieval) -> Numbers:
    """Return a score for each chunk; higher is better, comparable within a post only."""
    posts = retrieved.posts
    near = np.nan_to_num(posts.similarities)
    spread = float(near.std()) if len(near) else 0.0
    weight = NEARNESS_WEIGHT * retrieved.meaning_weight / spread if spread else 0.0
    return posts.bm25 + weight * near
