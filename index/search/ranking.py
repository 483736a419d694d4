"""Rank candidate posts and their chunks: pure functions of features and fitted weights.

A post's score is a weighted mean of a few features. Features of words are relative to the best
candidate's, so that weights fit queries of any length and language; features of meaning are
relative to what headings usually reach, so that they fit any embedder. The weights for questions or
running text and for short queries were fitted on several blogs (`index/data/ranking.json`;
docs/quality.md has the figures of blogs that were held out).
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
"""Kind of a query: a question or running text, or a name, an identifier or a few words."""
Feature = Literal["passage", "coverage", "post", "meaning", "opening"]
"""Feature of a post: BM25 of its best passage; the largest share of the query's terms that one
passage holds; BM25 of the whole post; similarity of its nearest passage, and of its first one."""
Weights: TypeAlias = dict[Feature, NonNegativeFloat]
DENSE_FEATURES: tuple[Feature, ...] = ("meaning", "opening")
HEADING_SIMILARITY = 0.33
"""Usual similarity of a heading to its passage: .29 to .45 on eleven blogs, with both models."""
MAX_SIMILARITY = 1.5
"""Upper limit of a similarity, as a multiple of HEADING_SIMILARITY. A heading's own passage holds
it word for word, so few queries come nearer."""
COVERAGE_POWER = 2.0
"""Power of the feature coverage, by which one passage with all words stands out from many with
most. With weights fitted without the corpus (`python -m tools.fit_ranking`) it gains identifiers
.010 of nDCG@10 and web queries for code .014; other means move by less than .003."""
ENOUGH_WORDS = 2.5
"""Number of rare words that one passage must hold, unless it holds all, for words to count in full.
A question's best passage holds 2 or more; a paraphrase, with no word of its post, .8. With weights
fitted without the blog, 2 to 3 keep the hit@1 of all kinds within .007."""
GATE_POWER, GATE = 4.0, 0.9
"""Power of the coverage by which meaning counts less, and the largest reduction: posts by meaning
stay hits. One passage holds all of a heading and half of a question. With weights fitted without
the blog headings gain .03 of hit@1; questions move by .006."""
LEAST_SCORE = 0.001
"""Minimum score of a post that holds a word of the query, however far its meaning is."""
REWARD = 0.1
"""Addition to the score of a post that has the query as a heading or verbatim in its best passage,
divided among all such posts. It adds and does not decide, since a passage may be a detail of a
post. Values of .05 to .3 find identifiers and headings of nine blogs equally well, and leave
questions and descriptions unchanged."""
CEILING = 0.95
"""Maximum score of every other post if the query names a post."""
NEARNESS_WEIGHT = 0.015
"""Gain of a chunk's score for each standard deviation of the candidates' cosines. Within a post
words place the answer, and meaning decides between chunks with equally many. Without it the page
read has the evidence of .816 of English questions and .810 of Chinese ones; with .1 of a deviation
within the post .843 and .823; with a fit to all questions, six times as much, .830 and .760. Of 12
further features (the title left out, coverage, first and last chunk, length, neighbors) none gained
on blogs it was not fitted on."""


class LogisticModel(BaseModel, frozen=True, extra="forbid"):
    """The probability that a blog holds an answer, from features of what was retrieved."""

    bias: float
    weights: dict[str, float]
    low: float
    """The probability below which an answer has low confidence."""

    def probability(self, features: Mapping[str, float], more: float = 0.0) -> float:
        """Estimate the probability from a value for each weight; `more` is added to the logit."""
        logit = self.bias + sum(self.weights[k] * features[k] for k in self.weights) + more
        return 1.0 / (1.0 + math.exp(-max(min(logit, 50.0), -50.0)))


class RankingModel(BaseModel, frozen=True):
    """All fitted numbers; the file also names the command and commit that made it."""

    fitted_on: tuple[str, ...]
    """Blogs and collections."""
    ranking: dict[QueryKind, Weights]
    confidence: LogisticModel
    confidence_by_words: LogisticModel
    """The model for answers without cosines."""


@cache
def load_ranking_model() -> RankingModel:
    """Read the packaged model."""
    return RankingModel.model_validate_json(MODEL_FILE.read_bytes())


def classify_query(query: Query) -> QueryKind:
    """Classify a query as a question or running text, or as short."""
    return "question" if query.is_question or query.is_prose else "short"


def choose_weights(query: Query, *, by_meaning: bool) -> Weights:
    """Return each feature's weight for this query; without `by_meaning` of words only."""
    weights = load_ranking_model().ranking[classify_query(query)]
    return {k: v for k, v in weights.items() if by_meaning or k not in DENSE_FEATURES}


def largest_sum(weights: Weights) -> float:
    """Return the largest possible weighted sum of features."""
    return sum(v * (MAX_SIMILARITY if k in DENSE_FEATURES else 1.0) for k, v in weights.items())


def compute_post_features(retrieved: Retrieval) -> dict[Feature, Numbers]:
    """Compute every feature of the candidate posts, in the order of the columns.

    Features of words are in [0, 1]: coverage, and BM25 relative to the best candidate, lower the
    less of the query one passage holds. Features of meaning are in [-1, MAX_SIMILARITY], 0 without
    vectors, and lower the more words decide and the less the embedder's vocabulary covers.
    """
    posts = retrieved.posts
    held = min(retrieved.coverage * max(1.0, retrieved.length / ENOUGH_WORDS), 1.0) ** 2
    opened = 1.0 - GATE * retrieved.coverage**GATE_POWER
    scale = opened * retrieved.meaning_weight / HEADING_SIMILARITY
    meaning, opening = (
        np.clip(np.nan_to_num(near * scale), -1.0, MAX_SIMILARITY)
        for near in (posts.best(posts.similarities), posts.similarities[posts.starts])
    )
    return {
        "passage": held * _divide_by_best(posts.best(posts.bm25)),
        "coverage": posts.best(posts.coverage) ** COVERAGE_POWER,
        "post": held * _divide_by_best(posts.post_bm25),
        "meaning": meaning,
        "opening": opening,
    }


def _divide_by_best(values: Numbers) -> Numbers:
    best = values.max(initial=0.0)
    return values / best if best > 0.0 else values


def score_posts(
    features: Mapping[Feature, Numbers], posts: Candidates, weights: Weights
) -> dict[int, float]:
    """Return scores in (0, 1] by post id, without posts that have neither words nor meaning.

    A score is the weighted sum of the features divided by the largest possible sum.
    """
    weighed = (weights[name] * features[name] for name in weights)
    total = sum(weighed, np.zeros(1)) / (largest_sum(weights) or 1.0)
    words = [features[name] for name in weights if name not in DENSE_FEATURES]
    total = np.where(np.any(words, axis=0), np.maximum(total, LEAST_SCORE), total)
    pairs = zip(posts.ids.tolist(), total.tolist(), strict=True)
    return {post: score for post, score in pairs if score > 0.0}


def reward_posts(scores: Mapping[int, float], holders: Collection[int]) -> dict[int, float]:
    """Return `scores`, in [0, 1] by post id, raised for the `holders` of the query itself."""
    gain = REWARD / max(len(holders), 1)
    return {
        post: min(score + gain, 1.0) if post in holders else score for post, score in scores.items()
    }


def promote_named_posts(scores: Mapping[int, float], named: Collection[int]) -> dict[int, float]:
    """Return `scores`, in [0, 1] by post id, with the named posts above CEILING and no others."""
    return {
        post: CEILING + (1.0 - CEILING) * score if post in named else min(score, CEILING)
        for post, score in scores.items()
    }


def score_chunks(retrieved: Retrieval) -> Numbers:
    """Score how well each chunk answers; higher is better, comparable within a post only."""
    posts = retrieved.posts
    near = np.nan_to_num(posts.similarities)
    spread = float(near.std()) if len(near) else 0.0
    weight = NEARNESS_WEIGHT * retrieved.meaning_weight / spread if spread else 0.0
    return posts.bm25 + weight * near
