"""Rank candidate posts and their chunks: pure functions of features and fitted weights.

A post's score is a weighted mean of few features. Those of words are relative to the best
candidate's, so that weights fit queries of any length and language; those of meaning are relative
to what headings usually reach, so that they fit any embedder. How much each counts for a
question or running text and for a few words was fitted on several blogs
(`index/data/ranking.json`; docs/quality.md has the figures of blogs that were held out).
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
"""A feature that a post is scored by: the words of its best passage; how many of the query's one
passage holds together; the words of the whole post; the meaning of its nearest passage and of its
first."""
Weights: TypeAlias = dict[Feature, NonNegativeFloat]

DENSE_FEATURES: tuple[Feature, ...] = ("meaning", "opening")

HEADING_SIMILARITY = 0.33
"""Usual similarity of a heading of a blog to its passage: .29 to .45 on eleven blogs, with either
packaged model."""

MAX_SIMILARITY = 1.5
"""Upper limit of a similarity, in usual similarities of headings. A heading's own passage holds it
word for word, so few queries come nearer."""

COVERAGE_POWER = 2.0
"""How fast the feature coverage falls as words are missing: one passage with all of them stands out
from many with most. By weights fitted without the corpus (`python -m tools.fit_ranking`)
identifiers gain .010 of nDCG@10 by it and web queries for code .014; the means of questions,
headings and descriptions move by less than .003."""

ENOUGH_WORDS = 2.5
"""Rare words that one passage must hold together, unless it holds all, for words to count in full.
A question's best passage holds 2 or more, that of a paraphrase, which shares no word with its post,
.8. By weights fitted without the blog 2 to 3 serve all kinds within .007 of hit@1."""

GATE_POWER, GATE = 4.0, 0.9
"""How fast meaning counts less as the words are held together by one passage, which holds all of a
heading's and half of a question's, and the share of it that goes at most: posts by meaning stay
hits. By weights fitted without the blog headings gain .03 of hit@1; questions move by .006."""

LEAST_SCORE = 0.001
"""Smallest score of a post that holds a word of the query, however far its meaning is."""

REWARD = 0.1
"""Addition to the score of a post that has the query as a heading or whose best passage has it
verbatim, shared by all posts that do. A heading or a passage may be a detail of a post about
something else, so it adds and does not decide. From .05 to .3 identifiers and headings of nine
blogs are found as well, and questions and descriptions as without."""

CEILING = 0.95
"""Largest score of a post beside one that the query names."""

NEARNESS_WEIGHT = 0.015
"""Gain of a chunk for each standard deviation of the candidates' cosines that it is nearer. Within
a post words place the answer, and meaning decides between chunks that hold as much of them.
Without it the page read has the evidence of .816 of English questions and .810 of Chinese ones; by
.1 of a deviation within the post .843 and .823; by a fit to all questions, six times as much, .830
and .760. Of 12 further features (the title left out, coverage, first and last chunk, length,
neighbours) none gained on blogs it was not fitted on."""


class LogisticModel(BaseModel, frozen=True, extra="forbid"):
    """The probability that a blog holds an answer, from features of what was retrieved."""

    bias: float
    weights: dict[str, float]
    low: float
    """The probability below which an answer has low confidence."""

    def probability(self, features: Mapping[str, float], more: float = 0.0) -> float:
        """Estimate it for features that have a value for each weight, with `more` logit."""
        logit = self.bias + sum(self.weights[k] * features[k] for k in self.weights) + more
        return 1.0 / (1.0 + math.exp(-max(min(logit, 50.0), -50.0)))


class RankingModel(BaseModel, frozen=True):
    """Everything that was fitted; the file also says by which command and commit."""

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
    """Classify a query by how much it says."""
    return "question" if query.is_question or query.is_prose else "short"


def choose_weights(query: Query, *, by_meaning: bool) -> Weights:
    """Choose the weight of each feature for this query, at least 0, or of those of words alone."""
    weights = load_ranking_model().ranking[classify_query(query)]
    return {k: v for k, v in weights.items() if by_meaning or k not in DENSE_FEATURES}


def largest_sum(weights: Weights) -> float:
    """The largest weighted sum of features there can be."""
    return sum(v * (MAX_SIMILARITY if k in DENSE_FEATURES else 1.0) for k, v in weights.items())


def compute_post_features(retrieved: Retrieval) -> dict[Feature, Numbers]:
    """Compute every feature of the candidate posts, by post.

    Those of words are in [0, 1], and relative to the best candidate as far as any holds the query:
    words that say nothing have a best candidate too. The features of meaning count as far as words
    leave it open and the embedder's vocabulary covers the query, and are in [-1, MAX_SIMILARITY],
    and 0 for a post without vectors.
    """
    posts = retrieved.posts
    held = min(retrieved.coverage * max(1.0, retrieved.length / ENOUGH_WORDS), 1.0) ** 2
    opened = 1.0 - GATE * retrieved.coverage**GATE_POWER
    scale = opened * retrieved.vocabulary_coverage / HEADING_SIMILARITY
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
    """Scores in (0, 1] by post id; without posts that have neither words nor meaning.

    A score is the weighted sum of the features as a share of the largest sum there can be.
    """
    weighed = (weights[name] * features[name] for name in weights)
    total = sum(weighed, np.zeros(1)) / (largest_sum(weights) or 1.0)
    words = [features[name] for name in weights if name not in DENSE_FEATURES]
    total = np.where(np.any(words, axis=0), np.maximum(total, LEAST_SCORE), total)
    pairs = zip(posts.ids.tolist(), total.tolist(), strict=True)
    return {post: score for post, score in pairs if score > 0.0}


def reward_posts(scores: Mapping[int, float], holders: Collection[int]) -> dict[int, float]:
    """Raise `scores`, in [0, 1] by post id, of the posts that have the query itself."""
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
    """How well each chunk answers, higher is better; comparable within its post."""
    posts = retrieved.posts
    near = np.nan_to_num(posts.similarities)
    spread = float(near.std()) if len(near) else 0.0
    weight = NEARNESS_WEIGHT * retrieved.vocabulary_coverage / spread if spread else 0.0
    return posts.bm25 + weight * near
