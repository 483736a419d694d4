"""Estimate whether the blog has an answer at all, from what a search retrieved.

Those of words and of meaning are measured on each index against queries of two kinds, which are
searched for when it is written (`index.search.calibration`): its own headings, which certainly have
an answer, and packaged headings about other things. What the first reach is 1, what the second
reach is 0, and nearness counts by the query's length, so that one logistic model, fitted on several
blogs, serves every language, size of blog and embedder. By how much the best post leads is the
same on any index.
"""

from __future__ import annotations

import heapq
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from blog_search_mcp.index.analysis.languages import CHARACTERS_PER_WORD, CJK
from blog_search_mcp.index.search.ranking import load_ranking_model
from blog_search_mcp.index.types import SMALL_BLOG, Calibration

if TYPE_CHECKING:
    from blog_search_mcp.index.analysis.query import Query
    from blog_search_mcp.index.search.retrieval import RetrievalResult

LENGTH_POWER = 0.25
"""Power of the query's length, in words that no passage has, by which counts how much of its words
was found and how near it came. No passage holds most of a long question's words, and few lie as
near to one as a heading to its own, while a few words have much in common with anything."""

LEAST_FEATURE = -1.0
"""Least value of a feature that is measured on the blog: further below what absent headings reach
says no more."""

SMALL_LOGIT = 2.5
"""What a blog of a few lines adds to the logit, and a longer one in proportion. Chosen on four
blogs and confirmed on two, each cut to 5 to 40 paragraphs (`benchmarks.quality.small_blogs`)."""

LEAST_QUERY_COVERAGE = 0.2
"""How well the embedder's vocabulary must cover a query for its cosines to count."""

NOTICE = "Low confidence: the blog may hold nothing on this."

FOREIGN_NOTICE = (
    "Little was found, but the question is in another language than most of the blog: ask again "
    "in the blog's language before concluding that it holds nothing."
)

_EAST_ASIAN = re.compile(f"[{CJK}]")
_LATIN = re.compile(r"[^\W\d_]+")


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
    query: Query, retrieved: RetrievalResult, lead: float, calibration: Calibration | None
) -> Confidence:
    """Estimate how sure the answer to a query is; low if nothing was found or nothing is known.

    `lead` is as of `measure_lead`.
    """
    if calibration is None or not retrieved.posts:
        return Confidence("low", 0.0)
    model = load_ranking_model()
    by_meaning = has_similarity(retrieved, calibration)
    logistic = model.confidence if by_meaning else model.confidence_by_words
    features = compute_confidence_features(query, retrieved, lead, calibration)
    certainty = logistic.probability(features, SMALL_LOGIT * _smallness(calibration.characters))
    word = "high" if certainty >= logistic.high else "medium"
    if certainty >= logistic.low:
        return Confidence(word, certainty)
    asked = has_other_script(query.text, calibration) and is_language(retrieved, calibration)
    notice = FOREIGN_NOTICE if query.is_foreign or asked else NOTICE
    return Confidence("low", certainty, notice)


def _smallness(characters: int) -> float:
    return 1.0 - min(characters / SMALL_BLOG, 1.0)


def has_other_script(text: str, calibration: Calibration) -> bool:
    """Whether a query is in another script than most of the blog: East Asian, or not."""
    return (east_asian_share(text) >= 0.5) != (calibration.east_asian >= 0.5)


def is_language(retrieved: RetrievalResult, calibration: Calibration) -> bool:
    """Whether a query in another script than the blog's is in another language, and no name.

    Latin names and terms stand in every East Asian blog; with a function word they are a sentence.
    """
    return calibration.east_asian < 0.5 or any(word.weight < 1.0 for word in retrieved.idf)


def has_similarity(retrieved: RetrievalResult, calibration: Calibration) -> bool:
    """Whether the embedder covers the query and the blog."""
    covered = (
        retrieved.max_cosine is not None and retrieved.vocabulary_coverage >= LEAST_QUERY_COVERAGE
    )
    return covered and calibration.heading_similarity > 0.0


def measure_lead(scores: Iterable[float]) -> float:
    """By how much the best of the posts' scores exceeds the next, in [0, 1].

    Of a question without an answer many posts hold as much.
    """
    best, second, *_ = (*heapq.nlargest(2, scores), 0.0, 0.0)
    return best - second


def compute_confidence_features(
    query: Query, retrieved: RetrievalResult, lead: float, calibration: Calibration
) -> dict[str, float]:
    """Compute everything that the confidence models weigh."""
    nearest = matching = 0.0
    if has_similarity(retrieved, calibration):
        absent, reach = calibration.absent_cosine, calibration.heading_cosine
        shift = (
            calibration.foreign_cosine - absent
            if has_other_script(query.text, calibration)
            else 0.0
        )
        longer = length_factor(retrieved)
        nearest = longer * _scale((retrieved.max_cosine or 0.0) - shift, absent, reach)
        matching = longer * _scale(matching_cosine(retrieved) - shift, absent, reach)
    return {
        "found": _scale(
            found_words(retrieved), calibration.absent_found, calibration.heading_found
        ),
        "missing": missing_words(retrieved),
        "length": math.log1p(query_length(retrieved)),
        "nearest": nearest,
        "matching": matching,
        "lead": lead,
    }


def _scale(value: float, absent: float, heading: float) -> float:
    """0 at what absent queries reach, 1 at what the headings do, in [LEAST_FEATURE, 1].

    What is nearer than a heading is no surer, and of the fit's examples most are.
    """
    span = max(heading - absent, 1e-3)
    return min(max((value - absent) / span, LEAST_FEATURE), 1.0)


def found_words(retrieved: RetrievalResult) -> float:
    """How much of the words the best passages hold, for a query of any length, at least 0.

    The geometric mean of the best BM25 and the coverage, times the root of `length_factor`.
    """
    return math.sqrt(retrieved.max_bm25 * retrieved.coverage * length_factor(retrieved))


def length_factor(retrieved: RetrievalResult) -> float:
    """How much what a query reaches counts by its length: 1 for a word that no passage has."""
    return math.pow(query_length(retrieved), LENGTH_POWER)


def query_length(retrieved: RetrievalResult) -> float:
    """The query's length in words that no passage has, so that it does not grow with the blog."""
    return sum(retrieved.idf.values()) / retrieved.max_idf if retrieved.max_idf else 0.0


def missing_words(retrieved: RetrievalResult) -> float:
    """The share of the query's words, by rarity, that no passage has, in [0, 1].

    Function words that no passage has count 0, and so do pairs of Han characters that span two
    words of which a passage has one.
    """
    rarities = retrieved.idf.values()
    total = sum(rarities)
    absent = sum(rarity for rarity in rarities if math.isclose(rarity, retrieved.max_idf))
    return absent / total if total else 0.0


def matching_cosine(retrieved: RetrievalResult) -> float:
    """The cosine of the post whose passage holds most of the words, of those that have a vector."""
    posts = retrieved.posts
    has_vector = ~np.isnan(posts.best_cosine)
    if not has_vector.any():
        return 0.0
    best = posts.best_bm25[has_vector].argmax()
    return float(posts.best_cosine[has_vector][best]) + retrieved.blog_cosine


def east_asian_share(text: str) -> float:
    """Share of the words of `text` that are Han, kana or hangul, two characters for a word."""
    characters = len(_EAST_ASIAN.findall(text))
    latin = len(_LATIN.findall(_EAST_ASIAN.sub(" ", text)))
    words = characters + CHARACTERS_PER_WORD * latin
    return characters / words if words else 0.0
