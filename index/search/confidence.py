"""Estimate whether the blog has an answer at all, from what a search retrieved.

Those of words and of meaning are measured on each index against queries of two kinds, which are
searched for when it is written (`index.search.calibration`): its own headings, which certainly have
an answer, and packaged headings about other things. What the first reach is 1, what the second
reach is 0, and nearness counts by the query's length, so that one logistic model, fitted on several
blogs, serves every language, size of blog and embedder. By how much the best post leads is the
same on any index.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from blog_search_mcp.index.search.ranking import load_ranking_model
from blog_search_mcp.index.search.retrieval import Retrieval
from blog_search_mcp.index.types import SMALL_BLOG, Calibration

LENGTH_POWER = 0.25
"""Power of the query's length, in words that no passage has, by which counts how much of its words
was found and how near it came. No passage holds most of a long question's words, and few lie as
near to one as a heading to its own, while a few words have much in common with anything."""

LEAST_FEATURE = -1.0
"""Least value of a feature that is measured on the blog: further below what absent headings reach
says no more."""

SMALL_LOGIT = 1.2
"""What a blog of a few lines adds to the logit, and a longer one in proportion: of three blogs cut
to 5 to 40 posts, .00 to .08 of the answered questions are low, and all everyday ones."""

LEAST_QUERY_COVERAGE = 0.2
"""How well the embedder's vocabulary must cover a query for its cosines to count."""

NOTICE = "Low confidence: the blog may hold nothing on this."

FOREIGN_NOTICE = (
    "Little was found, but the question is in another language than most of the blog: ask again "
    "in the blog's language before concluding that it holds nothing."
)


@dataclass(frozen=True, slots=True)
class Confidence:
    """How sure an answer is."""

    word: str
    """`high`, `medium` or `low`."""
    certainty: float
    """The estimated probability that the blog holds an answer, in [0, 1]."""
    notice: str | None = None
    """What the reader must know of a low one."""


def estimate_confidence(
    retrieved: Retrieval, lead: float, calibration: Calibration | None
) -> Confidence:
    """Estimate how sure the answer to a query is; low if nothing was found or nothing is known.

    `lead` is as of `measure_lead`.
    """
    if calibration is None or not retrieved.posts:
        return Confidence("low", 0.0)
    model = load_ranking_model()
    by_meaning = has_similarity(retrieved, calibration)
    logistic = model.confidence if by_meaning else model.confidence_by_words
    smallness = 1.0 - min(calibration.characters / SMALL_BLOG, 1.0)
    features = compute_confidence_features(retrieved, lead, calibration)
    certainty = logistic.probability(features, SMALL_LOGIT * smallness)
    if certainty < logistic.low:
        notice = FOREIGN_NOTICE if retrieved.query.is_foreign else NOTICE
        return Confidence("low", certainty, notice)
    return Confidence("high" if certainty >= logistic.high else "medium", certainty)


def has_similarity(retrieved: Retrieval, calibration: Calibration | None = None) -> bool:
    """Whether the embedder covers the query, and the blog that was calibrated."""
    has_vector = retrieved.max_cosine is not None
    covers = has_vector and retrieved.vocabulary_coverage >= LEAST_QUERY_COVERAGE
    return covers and (calibration is None or calibration.heading_similarity > 0.0)


def measure_lead(scores: Iterable[float]) -> float:
    """By how much the best of the posts' scores exceeds the next, in [0, 1].

    Of a question without an answer many posts hold as much.
    """
    *_, second, best = sorted((0.0, 0.0, *scores))
    return best - second


def compute_confidence_features(
    retrieved: Retrieval, lead: float, calibration: Calibration
) -> dict[str, float]:
    """Compute everything that the confidence models weigh.

    `missing` is the share of the query's words, by rarity, that no passage has. Function words that
    no passage has count 0, and so do pairs of Han characters that span two words of which a passage
    has one.
    """
    blog, rarities = calibration, retrieved.idf.values()
    absent = sum(rarity for rarity in rarities if math.isclose(rarity, retrieved.max_idf))
    nearest = 0.0
    if has_similarity(retrieved, blog):
        shift = blog.foreign_cosine - blog.absent_cosine if retrieved.query.has_other_script else 0
        cosine = (retrieved.max_cosine or 0.0) - shift
        nearest = _scale(cosine, blog.absent_cosine, blog.heading_cosine)
        nearest *= query_length(retrieved) ** LENGTH_POWER
    return {
        "found": _scale(found_words(retrieved), blog.absent_found, blog.heading_found),
        "missing": absent / (sum(rarities) or 1.0),
        "length": math.log1p(query_length(retrieved)),
        "nearest": nearest,
        "lead": lead,
    }


def _scale(value: float, absent: float, heading: float) -> float:
    """0 at what absent queries reach, 1 at what the headings do, in [LEAST_FEATURE, 1].

    What is nearer than a heading is no surer, and of the fit's examples most are.
    """
    span = max(heading - absent, 1e-3)
    return min(max((value - absent) / span, LEAST_FEATURE), 1.0)


def found_words(retrieved: Retrieval) -> float:
    """How much of the words the best passages hold, for a query of any length, at least 0.

    The geometric mean of the best BM25 and the coverage, by the root of the length's power.
    """
    length = query_length(retrieved) ** LENGTH_POWER
    return math.sqrt(retrieved.max_bm25 * retrieved.coverage * length)


def query_length(retrieved: Retrieval) -> float:
    """The query's length in words that no passage has, so that it does not grow with the blog."""
    return sum(retrieved.idf.values()) / retrieved.max_idf if retrieved.max_idf else 0.0
