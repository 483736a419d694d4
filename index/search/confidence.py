"""Estimate whether the blog has anything on a query's subject, from what a search retrieved.

Nearness is measured from the embedder's cosine of unrelated texts (`usual_cosine`) and weighed by
the query's length, so that one logistic model and one threshold, fitted on several blogs, serve
every language, size of blog and embedder.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

from blog_search_mcp.index.search.ranking import load_ranking_model
from blog_search_mcp.index.search.retrieval import Retrieval
from blog_search_mcp.index.text.languages import UNDETERMINED, primary_subtag
from blog_search_mcp.index.text.query import Query

LENGTH_POWER = 0.25
"""Power of the query's length by which its nearness is multiplied: few passages lie as near to a
long question as to a heading of their own."""
ABSENT_NEARNESS, MORE_BY_SIZE, HEADING_GAIN = -0.1, 0.04, 0.3
"""Nearness that a query without an answer usually reaches on a blog of one vector, its gain with
the natural logarithm of their number (the nearest is the largest of so many), and the further gain
of headings: within .05 on eleven blogs of 434 to 15,370 vectors, with either packaged model.
Measured on the blog itself they gain nothing on blogs left out of the fit."""
SMALL_BLOG, SMALL_LOGIT = 30, 1.2
"""Number of vectors from which the words that a blog lacks count in full, and addition to the logit
for a blog of none. Of seven blogs cut to 3, 8 and 20 posts of a few paragraphs .02, .04 and .04 of
the answered questions have low confidence, and .95, .96 and .98 of everyday ones."""
LEAST_MEANING_WEIGHT = 0.2
"""Minimum weight of meaning for a query's cosines to count."""
MOST_MISSING = 0.75
"""Minimum share of a query, by rarity, that no post has for low confidence. None of 344 questions
that blogs answer reaches it; one in eighteen of those in other words than the post's, one in seven
everyday ones and a query for one absent word do."""
CLEAR = 0.4
"""Certainty from which words that no post has do not matter, in a query of two words or more: short
notes are often asked for in other words. On a blog in English, whose words have few forms, they
always matter, since the author may keep that subject back."""
LEAST_HELD = 0.4
"""Minimum rare words that a passage must hold of the subject; "use" is a tenth of one."""
EVERY_WORD = 0.999
"""Coverage of a passage with all words of the query, in the precision of tantivy's scores. Then the
blog has an answer: none of 981 questions that six blogs do not answer reaches it."""
NOTICE = "Low confidence: the blog may hold nothing on this."
FOREIGN_NOTICE = "Little was found, but most of the blog is in another language: ask again in {}."


class Confidence(NamedTuple):
    """How certain it is that the blog answers a query."""

    level: Literal["low", "normal"]
    """`low` if the blog has nothing on the subject; it sorts before `normal`."""
    certainty: float
    """Probability in [0, 1] that the blog holds an answer."""
    notice: str
    """A sentence for the reader if the blog may hold no answer, else `""`."""


def estimate_confidence(retrieved: Retrieval, score: float, language: str) -> Confidence:
    """Estimate how sure the answer to a query is; low if nothing was found.

    `score` is the best post's by its features. `language` is that of most of the blog: a query in
    another one finds little whatever the blog has.
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
    """Whether a query shows another language or script than most of the blog (if known)."""
    code = primary_subtag(language)
    is_other = query.has_other_script or query.language not in ("", code)
    return is_other and code not in ("", UNDETERMINED)


def has_similarity(retrieved: Retrieval) -> bool:
    """Whether the query has a vector and the embedder covers query and blog."""
    return retrieved.nearness is not None and retrieved.meaning_weight >= LEAST_MEANING_WEIGHT


def compute_confidence_features(retrieved: Retrieval, score: float) -> dict[str, float]:
    """Compute everything that the confidence models weigh.

    `missing` is the share of the query, by rarity, that no post has: 0 if a passage holds anything
    of its subject, 1 if none holds a word. `unnamed` is 1 if a missing word is a name. Nearness is
    cut off above a heading's and far below an absent query's.
    """
    usual = ABSENT_NEARNESS + MORE_BY_SIZE * math.log(max(retrieved.vector_count, 1))
    nearest = ((retrieved.nearness or 0.0) - usual) / HEADING_GAIN
    is_held = retrieved.coverage * retrieved.length >= LEAST_HELD
    missing = 0.0 if is_held else max(len(retrieved.missing), retrieved.coverage == 0.0)
    if retrieved.coverage == 0.0:
        missing = retrieved.length
    return {
        "missing": missing / max(retrieved.length, 1.0),
        "coverage": retrieved.coverage,
        "unnamed": float(any(retrieved.missing.values())),
        "length": math.log1p(retrieved.length),
        "score": score,
        "nearest": min(max(nearest, -1.0), 1.0) * retrieved.length**LENGTH_POWER,
    }
