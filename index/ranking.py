"""Evidence in, scores out: pure functions that decide the order of posts and of their chunks.

The lexical leg is believed as far as it goes: where one chunk holds all of the
query's rare words together (an identifier, a title, an error message), nothing
else is asked, so the whole never loses to that leg. What the words leave open
is for meaning to fill, as far as the embedder can read the query's language at
all. One constant weight cannot do both: an open gate costs identifiers .03 to
.05 of nDCG@10, BM25 alone costs paraphrased questions .04 (docs/quality.md,
`gating=off` and `meaning=0`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from index.evidence import Evidence, Findings
from index.query import Query
from index.types import Kind, Reason


class Use(Enum):
    """Which legs have a say."""

    HYBRID = "hybrid"
    LEXICAL = "lexical"
    DENSE = "dense"


@dataclass(frozen=True, slots=True)
class Weights:
    """The ranking's constants; measured by `make eval`, where each can be varied."""

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
    mentioned: float = 6.0
    """What other posts say where they link to it, for what is no question. Descriptions of a blog
    full of lists gain .014 of nDCG@10 by it and .007 by half of it; double of it gains .001 more
    there and costs those of a blog with few links .007, which half of it does not change."""
    beside: float = 0.3
    """What the first chunk's and the whole post's meaning weigh beside the best chunk's 1."""
    gate: float = 4.0
    """How sharply the gate closes: one passage holds all words of a heading, title or identifier,
    most of a description's and half of a question's."""
    full_strength: float = 0.7
    """The share of what BM25 could give that counts as all: headings and titles reach it in their
    own passage, descriptions seldom do."""


WEIGHTS = Weights()

BEST_OF = 3
"""Chunks that count for a post; the mean of at most three cannot be won by having many."""


def openness(findings: Findings, is_prose: bool, weights: Weights = WEIGHTS) -> float:
    """What the query's words leave open for meaning, in [0, 1].

    Nothing, where one passage holds them all. Running text that a passage holds only
    thinly counts as held in part: any long passage covers a description of common words.
    """
    strongest = max((evidence.best for evidence in findings.posts.values()), default=0.0)
    strength = min(strongest / weights.full_strength, 1.0) if is_prose else 1.0
    return 1.0 - math.pow(findings.coverage * strength, weights.gate)


def counted(
    findings: Findings, query: Query, use: Use = Use.HYBRID, weights: Weights = WEIGHTS
) -> dict[Kind, float]:
    """What each kind of evidence weighs for this query, at least 0."""
    if use is Use.DENSE:
        return {"meaning": 1.0}
    gate = openness(findings, query.is_prose, weights)
    linked = any(evidence.mentioned for evidence in findings.posts.values())
    described = any(evidence.about for evidence in findings.posts.values())
    return {
        "passage": weights.passage,
        "post": weights.post,
        "several": gate * weights.several,
        "lead": 0.0 if query.is_question else gate * weights.lead,
        "about": weights.about if described else 0.0,
        "mentioned": gate * weights.mentioned if linked and not query.is_question else 0.0,
        "meaning": gate * weights.meaning * findings.readable if use is Use.HYBRID else 0.0,
    }


def score_posts(
    findings: Findings, query: Query, use: Use = Use.HYBRID, weights: Weights = WEIGHTS
) -> dict[int, float]:
    """Scores in [0, 1] by post id: the weighted mean of what speaks for each post."""
    counts = counted(findings, query, use, weights)
    total = sum(counts.values())

    def score(evidence: Evidence) -> float:
        values = _values(evidence, weights)
        return sum(count * values[kind] for kind, count in counts.items()) / total

    scores = {post: score(evidence) for post, evidence in findings.posts.items()}
    return {post: min(value, 1.0) for post, value in scores.items() if value > 0.0}


def reasons(
    evidence: Evidence, counts: Mapping[Kind, float], weights: Weights = WEIGHTS
) -> tuple[Reason, ...]:
    """Why a post has its score, by what each kind of evidence counts; most counting first."""
    total = sum(counts.values())
    values = _values(evidence, weights)
    ordered = sorted(counts.items(), key=lambda each: -each[1])
    return tuple(Reason(kind, count / total, values[kind]) for kind, count in ordered if count)


def score_chunks(
    evidence: Evidence,
    findings: Findings,
    use: Use = Use.HYBRID,
    weights: Weights = WEIGHTS,
) -> dict[int, float]:
    """How well each chunk of one post answers, higher is better; comparable within the post.

    Inside a post the gate stays open: all its chunks share the title, so a query made of
    the title's words is left for meaning to place.
    """
    words = 0.0 if use is Use.DENSE else weights.passage
    dense = 1.0 if use is Use.DENSE else weights.meaning * findings.readable
    dense = 0.0 if use is Use.LEXICAL else dense
    share, cosine = evidence.shares.get, evidence.cosines.get
    return {
        chunk: words * share(chunk, 0.0) + dense * cosine(chunk, 0.0) for chunk in evidence.chunks
    }


def _values(evidence: Evidence, weights: Weights) -> dict[Kind, float]:
    return {
        "passage": evidence.best,
        "post": evidence.whole,
        "several": _several(evidence),
        "lead": evidence.lead,
        "about": evidence.about,
        "mentioned": evidence.mentioned,
        "meaning": _meaning(evidence, weights),
    }


def _several(evidence: Evidence) -> float:
    best = sorted(evidence.shares.values(), reverse=True)[:BEST_OF]
    return sum(best) / min(BEST_OF, len(evidence.chunks)) if best else 0.0


def _meaning(evidence: Evidence, weights: Weights) -> float:
    """Agreement in meaning above the blog's mean, in [-1, 1]; 0 for a post without vectors."""
    if not evidence.cosines:
        return 0.0
    best = max(evidence.cosines.values())
    first = evidence.cosines.get(evidence.chunks[0], 0.0)
    beside = weights.beside * (first + evidence.mean_cosine)
    return (best + beside) / (1.0 + 2.0 * weights.beside)
