"""Estimate whether the blog has an answer at all, from what a search retrieved.

A number measures how much of the query was found. Where the embedder's vocabulary covers the blog,
it is made of what the best passage holds of the words, of the cosines of the nearest passage, the
nearest post and the blog as a whole, and of whether both retrievers rank the same post first: a
query off the blog's subject is far from the blog, or found by words in one place and by meaning in
another. Elsewhere it is the words found and whether they are in the blog's script or held together
by one passage. Lengths are counted in words that no passage has, so that they do not grow with the
blog. The number is divided by the median that the blog's own headings reach, which certainly have
an answer (`index.search.calibration`; docs/quality.md has how well that separates).
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from blog_search_mcp.index.analysis.languages import CHARACTERS_PER_WORD, CJK
from blog_search_mcp.index.types import Calibration

if TYPE_CHECKING:
    from blog_search_mcp.index.search.retrieval import Numbers, RetrievalResult
    from blog_search_mcp.index.types import Ids

PASSAGE, POST, BLOG = 1.0, 2.0, 2.0
"""Weights of the cosines of the nearest passage, the nearest post and the whole blog beside the
logarithm of what was found of the words. A passage may be near by chance; what belongs is near to
the post around it and to what the blog is about. With the passage alone (4, 0, 0) AUROC of two
English blogs' questions falls from .953 and .965 to .939 and .953."""

AGREEMENT = 0.4
"""Weight of the retrievers' agreement; without it AUROC of questions loses .005 to .01, with double
of it that of headings .004."""

SCALE = 100.0
"""What the found is multiplied with before its logarithm, so that little of it and half as much
are told apart; 30 to 300 do the same, 1 does not."""

LENGTH = 0.25
"""Power of the query's length, in words that no passage has, by which what was found counts: a
long question shares more words with anything by chance. By 1 AUROC of one English blog's
questions against another's falls from .94 to .92, that of headings by .02 to .05."""

SCRIPT = 1.0
"""Weight of the script's match, where there is no cosine."""

HELD_POWER = 4.0
"""How fast the script counts as the words are held less together by one passage; as the ranking's
gate. Without it English names in a Japanese blog look as if they did not belong: AUROC of headings
of a Japanese manual was .979, and is .998 (docs/quality.md, other languages). By 1 English
questions pass on a Chinese blog."""

SCALE_BY_WORDS = 4.0
"""As SCALE, where the script counts beside it. By 1 English names in a question weigh so little
beside its script that AUROC of a Chinese blog's headings against another's falls from .99 to .95;
by 10 English questions pass on a Chinese blog, and AUROC of its questions falls from .97 to .90."""

LENGTH_BY_WORDS = 0.75
"""As LENGTH: what is found of a query falls by the .6th power of its length where it belongs and
by the 1.1th where it does not. By 1 long queries that do not belong pass, by .5 long ones that do
belong fall below short ones that do not."""

LOW = 0.74
"""In medians of the blog's own headings: below it lie .40 to .88 of another English blog's
queries and at most .13 of any kind of the blog's own (docs/quality.md)."""

LOW_BY_WORDS = 0.46
"""The same where words alone are counted: below it lie .175 of a Chinese blog's own questions and
.925 of an English blog's (docs/quality.md)."""

HELD = 0.9
"""Share of the query's words, by rarity, that one passage must hold for the answer not to be low
whatever the number: a query that does not belong seldom finds its words together."""

HIGH = 0.92
"""What two of three of the blog's own headings reach, a third to a half of its own questions and
at most .09 of any kind of another English blog's queries."""

HIGH_BY_WORDS = 0.85
"""The same where words alone are counted: most of the blog's own headings reach it, and few queries
of another blog in its language."""

NOTICE = "Low confidence: the blog may hold nothing on this."

_EAST_ASIAN = re.compile(f"[{CJK}]")
_LATIN = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Confidence:
    """How sure an answer is."""

    word: str
    """`high`, `medium` or `low`."""
    certainty: float
    """The number in medians of the blog's own headings: 1 is what they reach."""


def estimate_confidence(
    retrieved: RetrievalResult, text: str, calibration: Calibration | None
) -> Confidence:
    """Estimate how sure the answer to `text` is; low if nothing was found or nothing is known."""
    if calibration is None or not retrieved.posts:
        return Confidence("low", 0.0)
    if retrieved.max_cosine is not None and calibration.with_meaning > 0.0:
        number, median = hybrid_score(retrieved), calibration.with_meaning
        low, high = LOW, HIGH
    else:
        number = lexical_score(retrieved, text, calibration.east_asian)
        median = calibration.by_words
        low, high = LOW_BY_WORDS, HIGH_BY_WORDS
    certainty = number / median if median > 0.0 else 0.0
    low = 0.0 if retrieved.coverage >= HELD else low
    word = "low" if certainty < low else "high" if certainty >= high else "medium"
    return Confidence(word, certainty)


def hybrid_score(retrieved: RetrievalResult) -> float:
    """The number where the embedder's vocabulary covers the query and the blog."""
    features = confidence_features(retrieved)
    cosines = (
        PASSAGE * features["passage_cosine"]
        + POST * features["post_cosine"]
        + BLOG * features["blog_cosine"]
    )
    return features["found"] + cosines + AGREEMENT * features["agreement"]


def confidence_features(retrieved: RetrievalResult) -> dict[str, float]:
    """Compute everything that `hybrid_score` weighs."""
    means = retrieved.posts.mean_cosine
    return {
        "found": math.log1p(SCALE * _found_share(retrieved, LENGTH)),
        "passage_cosine": retrieved.max_cosine or 0.0,
        "post_cosine": retrieved.blog_cosine + (float(means.max()) if len(means) else 0.0),
        "blog_cosine": retrieved.blog_cosine,
        "agreement": agreement(retrieved),
    }


def agreement(retrieved: RetrievalResult) -> float:
    """How far the retrievers agree: 1 over the product of a post's ranks in both, in [0, 1].

    1 if words and meaning rank the same post first, 0 if no post was found by both.
    """
    posts = retrieved.posts
    has_vector = ~np.isnan(posts.best_cosine)
    if not has_vector.any():
        return 0.0
    ranks = _ranks(posts.best_bm25)[has_vector] * _ranks(posts.best_cosine[has_vector])
    return float(1.0 / ranks.min())


def _ranks(scores: Numbers) -> Ids:
    """From 1, by position; the earlier of equals first."""
    ranks: Ids = (-scores).argsort(kind="stable").argsort() + 1
    return ranks


def lexical_score(retrieved: RetrievalResult, text: str, blog: float) -> float:
    """The number from words alone; `blog` is the blog's East Asian share.

    A query in a script the blog is not written in counts less, unless one passage holds its words.
    """
    query = east_asian_share(text)
    same = (query * blog + (1.0 - query) * (1.0 - blog)) / max(blog, 1.0 - blog)
    held = math.pow(retrieved.coverage, HELD_POWER)
    found = math.log1p(SCALE_BY_WORDS * _found_share(retrieved, LENGTH_BY_WORDS))
    return found + SCRIPT * (same + (1.0 - same) * held)


def east_asian_share(text: str) -> float:
    """Share of the words of `text` that are Han, kana or hangul, two characters for a word."""
    characters = len(_EAST_ASIAN.findall(text))
    latin = len(_LATIN.findall(_EAST_ASIAN.sub(" ", text)))
    words = characters + CHARACTERS_PER_WORD * latin
    return characters / words if words else 0.0


def _found_share(retrieved: RetrievalResult, power: float) -> float:
    """What the best passages hold of the words, for a query of any length.

    The length is counted in words that no passage has.
    """
    length = sum(retrieved.idf.values()) / retrieved.max_idf if retrieved.max_idf else 0.0
    return retrieved.posts.max_bm25 * retrieved.coverage * math.pow(length, power)
