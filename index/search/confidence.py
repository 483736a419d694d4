"""Estimate whether the blog has anything on a query's subject, from what a search retrieved.

How near a query comes is measured on each index against queries of two kinds, which are searched
for when it is written (`index.search.calibration`): the blog's own headings, which certainly have
an answer, and packaged headings about other things. What the first reach is 1, what the second
reach is 0, and it counts by the query's length, so that one logistic model, fitted on several
blogs, serves every size of blog and every embedder. How low an answer may be differs by language:
German compounds are seldom in a post as they are asked for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from blog_search_mcp.index.analysis.languages import UNDETERMINED, primary_subtag
from blog_search_mcp.index.analysis.query import Query
from blog_search_mcp.index.search.ranking import load_ranking_model
from blog_search_mcp.index.search.retrieval import Retrieval
from blog_search_mcp.index.types import SMALL_BLOG, Calibration

LENGTH_POWER = 0.25
"""Power of the query's length, in words that no passage has, by which counts how near it came: few
passages lie as near to a long question as to a heading of their own."""

LEAST_FEATURE = -1.0
"""Least value of a feature that is measured on the blog: further below what absent headings reach
says no more."""

SMALL_LOGIT = 1.2
"""What a blog of a few lines adds to the logit, and a longer one in proportion: of three blogs cut
to 5 to 40 posts, .00 to .08 of the answered questions are low, and all everyday ones."""

LEAST_QUERY_COVERAGE = 0.2
"""How well the embedder's vocabulary must cover a query for its cosines to count."""

EVERY_WORD = 0.999
"""Coverage by a passage with all words of the query, in the precision of tantivy's scores: then the
blog has something, as of none of 981 questions that six blogs do not answer."""

NOTICE = "Low confidence: the blog may hold nothing on this."

FOREIGN_NOTICE = "Little was found, but most of the blog is in another language: ask again in {}."


@dataclass(frozen=True, slots=True)
class Confidence:
    """How sure an answer is."""

    word: str
    """`normal`, or `low` where the blog has nothing on the subject."""
    certainty: float
    """The estimated probability that the blog holds an answer, in [0, 1]."""
    notice: str | None = None
    """What the reader must know of an answer that is hardly one."""


def estimate_confidence(
    retrieved: Retrieval, calibration: Calibration | None, language: str
) -> Confidence:
    """Estimate how sure the answer to a query is; low if nothing was found or nothing is known.

    `language` is that of most of the blog: of a query in another one little is found whatever the
    blog has.
    """
    if calibration is None or not retrieved.posts.ids.size:
        return Confidence("low", 0.0)
    model, query = load_ranking_model(), retrieved.query
    by_meaning = has_similarity(retrieved, calibration)
    logistic = model.confidence if by_meaning else model.confidence_by_words
    smallness = 1.0 - min(calibration.characters / SMALL_BLOG, 1.0)
    features = compute_confidence_features(retrieved, calibration)
    certainty = logistic.probability(features, SMALL_LOGIT * smallness)
    if certainty >= logistic.least(primary_subtag(language)) or retrieved.coverage >= EVERY_WORD:
        return Confidence("normal", certainty)
    if is_foreign(query, language):
        return Confidence("normal", certainty, FOREIGN_NOTICE.format(language))
    return Confidence("low", certainty, NOTICE)


def is_foreign(query: Query, language: str) -> bool:
    """Whether a query shows another language or script than most of the blog, if that is known."""
    code = primary_subtag(language)
    is_other = query.has_other_script or query.language not in ("", code)
    return is_other and code not in ("", UNDETERMINED)


def has_similarity(retrieved: Retrieval, calibration: Calibration) -> bool:
    """Whether the embedder covers the query, and the blog that was calibrated."""
    has_vector = retrieved.max_cosine is not None and calibration.heading_similarity > 0.0
    return has_vector and retrieved.vocabulary_coverage >= LEAST_QUERY_COVERAGE


def compute_confidence_features(retrieved: Retrieval, calibration: Calibration) -> dict[str, float]:
    """Compute everything that the confidence models weigh.

    `missing` is the share of the query's words, by rarity, that no passage has, and `unnamed` is 1
    if one of them is a name that no post has. Function words that no passage has count 0, and so do
    pairs of Han characters that span two words of which a passage has one. What is nearer than a
    heading is no surer.
    """
    blog, rarities, most = calibration, retrieved.idf.values(), retrieved.max_idf
    length = sum(rarities) / most if most else 0.0  # does not grow with the blog
    absent = sum(rarity for rarity in rarities if math.isclose(rarity, most))
    nearest = 0.0
    if has_similarity(retrieved, blog):
        span = max(blog.heading_cosine - blog.absent_cosine, 1e-3)
        nearest = ((retrieved.max_cosine or 0.0) - blog.absent_cosine) / span
    return {
        "coverage": retrieved.coverage,
        "missing": absent / (sum(rarities) or 1.0),
        "unnamed": float(bool(retrieved.missing)),
        "length": math.log1p(length),
        "nearest": min(max(nearest, LEAST_FEATURE), 1.0) * length**LENGTH_POWER,
    }
