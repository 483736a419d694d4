"""Estimate whether the blog has anything on a query's subject, from what a search retrieved.

Nearness is relative to the embedder's cosine of unrelated texts (`usual_cosine`) and the number of
vectors, then weighted by the query's length. So one logistic model and one threshold, fitted on a
few blogs, serve every language, blog size and embedder. A second serves answers without cosines.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

from blog_search_mcp.index.search.ranking import load_ranking_model
from blog_search_mcp.index.search.retrieval import Retrieval
from blog_search_mcp.index.text.languages import UNDETERMINED, primary_subtag
from blog_search_mcp.index.text.query import Query

LENGTH_POWER = 0.25
"""Power of the query's length by which nearness is multiplied, since passages are less near to a
long question than to a heading."""
ABSENT_NEARNESS = -0.1
"""Usual nearness of a query without an answer on a blog with one vector."""
MORE_BY_SIZE = 0.04
"""Increase of that nearness per unit of the natural logarithm of the number of vectors."""
HEADING_GAIN = 0.3
"""Usual difference in nearness between a heading and a query without an answer. These three values
fit eleven blogs of 434 to 15,370 vectors within .05. Values measured on each blog are no better."""
SMALL_BLOG = 30
"""Number of vectors from which a blog no longer counts as small."""
SMALL_LOGIT = 1.2
"""Addition to the logit at 0 vectors, if cosines count; it falls linearly to 0 at SMALL_BLOG. On
seven blogs cut to 3, 8 and 20 posts, confidence is low for at most .04 of answered questions and at
least .95 of everyday questions, which no blog answers."""
LEAST_MEANING_WEIGHT = 0.2
"""Minimum weight of meaning for the confidence to use cosines."""
MOST_MISSING = 0.75
"""Value of the feature `missing` from which confidence is low unless CLEAR applies. Of 344
questions that blogs answer none has it; of paraphrases 1 in 18, of everyday questions 1 in 7."""
CLEAR = 0.4
"""Certainty from which MOST_MISSING is ignored if the blog is not English and `Retrieval.length` is
2 or more, since readers often ask for a short post in other words than the post's."""
LEAST_HELD = 0.4
"""Minimum part of `Retrieval.length` that one passage must hold for `missing` to be 0."""
EVERY_WORD = 0.999
"""Coverage of a passage with all words of the query, in the precision of tantivy's scores. The blog
then has an answer: none of 981 questions that six blogs do not answer reaches it."""
NOTICE = "Low confidence: the blog may hold nothing on this."
FOREIGN_NOTICE = "Little was found, but most of the blog is in another language: ask again in {}."


class Confidence(NamedTuple):
    """How certain it is that the blog answers a query."""

    level: Literal["low", "normal"]
    """`low` if the blog seems to have nothing on the subject; it sorts before `normal`."""
    certainty: float
    """Probability in [0, 1] that the blog holds an answer."""
    notice: str
    """A sentence for the reader if the blog may hold no answer, else `""`."""


def estimate_confidence(retrieved: Retrieval, score: float, language: str) -> Confidence:
    """Estimate whether the blog answers a query; low if nothing was found.

    `score` is the best post's score before rewards. `language` is that of most of the blog. A query
    in another language finds little in any case, so its confidence is never low.
    """
    model = load_ranking_model()
    by_meaning, features = has_similarity(retrieved), compute_confidence_features(retrieved, score)
    logistic = model.confidence if by_meaning else model.confidence_by_words
    smallness = max(1.0 - retrieved.vector_count / SMALL_BLOG, 0.0) if by_meaning else 0.0
    certainty = logistic.probability(features, SMALL_LOGIT * smallness) if score else 0.0
    has_forms = primary_subtag(language) != "en" and retrieved.length >= 2.0
    is_clear = has_forms and certainty >= CLEAR
    is_there = certainty >= logistic.low and (is_clear or features["missing"] < MOST_MISSING)
    if is_there or retrieved.coverage >= EVERY_WORD:
        return Confidence("normal", certainty, "")
    if is_foreign(retrieved.query, language):
        return Confidence("normal", certainty, FOREIGN_NOTICE.format(language))
    return Confidence("low", certainty, NOTICE)


def is_foreign(query: Query, language: str) -> bool:
    """Whether a query is not in the blog's main language or script; false if that is unknown."""
    code = primary_subtag(language)
    is_other = query.has_other_script or query.language not in ("", code)
    return is_other and code not in ("", UNDETERMINED)


def has_similarity(retrieved: Retrieval) -> bool:
    """Whether cosines count: the query has a vector, and the embedder covers query and blog."""
    return retrieved.nearness is not None and retrieved.meaning_weight >= LEAST_MEANING_WEIGHT


def compute_confidence_features(retrieved: Retrieval, score: float) -> dict[str, float]:
    """Compute the features of the confidence models, and `missing` for MOST_MISSING.

    `missing` is the number of words that no post has, divided by the query's length (at least 1).
    It is 0 if a passage holds LEAST_HELD; if none holds a word, it is the length, at most 1.
    `missing_name` is 1 if a missing word is a name. `length` is a logarithm. `nearest`, about 0
    without an answer and 1 for a heading, is cut to [-1, 1] before it is weighed by length.
    """
    usual = ABSENT_NEARNESS + MORE_BY_SIZE * math.log(max(retrieved.vector_count, 1))
    nearest = ((retrieved.nearness or 0.0) - usual) / HEADING_GAIN
    is_held = retrieved.coverage * retrieved.length >= LEAST_HELD
    missing = 0.0 if is_held else len(retrieved.missing)
    if retrieved.coverage == 0.0:
        missing = retrieved.length
    return {
        "missing": missing / max(retrieved.length, 1.0),
        "coverage": retrieved.coverage,
        "missing_name": float(any(retrieved.missing.values())),
        "length": math.log1p(retrieved.length),
        "score": score,
        "nearest": min(max(nearest, -1.0), 1.0) * retrieved.length**LENGTH_POWER,
    }
