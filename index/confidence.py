"""Whether the blog has an answer: what a search found in, one word out.

A number says how much of the query was found: the mass of its words in the best
passage, counted in words that no passage has, so that it does not grow with the
blog, and the nearest cosine. What it means is for the blog's own headings to
say, which certainly have an answer (`index.calibration`). AUROC of a blog's own
descriptions against another's queries is .98 to 1.00, of questions .91 to .98
(docs/quality.md).
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from index.analysis import CJK
from index.evidence import Findings

MEANING = 2.0
"""Weight of the nearest cosine beside the logarithm of the mass."""

SCRIPT = 1.0
"""Weight of the script's match, where there is no cosine."""

LOW = 0.75
"""In medians of the blog's own headings: below it lie .58 to .80 of another English blog's
queries and at most .10 of any kind of the blog's own (docs/quality.md)."""

LOW_BY_WORDS = 0.6
"""The same where words alone are counted, of which questions share fewer with their answers: .43
of a Chinese blog's own questions still lie below it."""

HELD = 0.9
"""Share of the query's words, by rarity, that one passage must hold for the answer not to be low
whatever the number: a query that does not belong seldom finds its words together."""

HIGH = 1.0
"""What half of the blog's own headings reach."""

NOTICE = "Low confidence: the blog may hold nothing on this."

_EAST_ASIAN = re.compile(f"[{CJK}]")
_LATIN = re.compile(r"[^\W\d_]+")
_CHARACTERS_PER_WORD = 2


@dataclass(frozen=True, slots=True)
class Calibration:
    """What an index's own headings reach; kept in its manifest."""

    with_meaning: float
    """Median number with cosines; 0 if the embedder does not read the blog."""
    by_words: float
    """Median number from words and script alone."""
    east_asian: float
    """Share of the blog's words that are Han, kana or hangul, in [0, 1]."""
    chunks: int
    """Chunks the index had then."""


@dataclass(frozen=True, slots=True)
class Confidence:
    """How sure an answer is."""

    word: str
    """`high`, `medium` or `low`."""
    certainty: float
    """The number in medians of the blog's own headings: 1 is what they reach."""


def judged(findings: Findings, text: str, calibration: Calibration | None) -> Confidence:
    """How sure the blog's answer to `text` is; low if nothing was found or nothing is known."""
    if calibration is None or not findings.posts:
        return Confidence("low", 0.0)
    meant = findings.nearest is not None and calibration.with_meaning > 0.0
    median = calibration.with_meaning if meant else calibration.by_words
    number = with_meaning(findings) if meant else by_words(findings, text, calibration.east_asian)
    certainty = number / median if median > 0.0 else 0.0
    low = LOW if meant else LOW_BY_WORDS
    return Confidence(_word(certainty, 0.0 if findings.coverage >= HELD else low), certainty)


def with_meaning(findings: Findings) -> float:
    """The number where the embedder reads the query and the blog."""
    return math.log1p(_mass(findings)) + MEANING * (findings.nearest or 0.0)


def by_words(findings: Findings, text: str, blog: float) -> float:
    """The number from words alone; a query in a script the blog is not written in counts less."""
    query = east_asian(text)
    same = query * blog + (1.0 - query) * (1.0 - blog)
    return math.log1p(_mass(findings)) + SCRIPT * same / max(blog, 1.0 - blog)


def east_asian(text: str) -> float:
    """Share of the words of `text` that are Han, kana or hangul, two characters for a word."""
    characters = len(_EAST_ASIAN.findall(text))
    latin = len(_LATIN.findall(_EAST_ASIAN.sub(" ", text)))
    words = characters + _CHARACTERS_PER_WORD * latin
    return characters / words if words else 0.0


def _mass(findings: Findings) -> float:
    """How many words found nowhere else the best passage's match is worth."""
    strongest = max((evidence.best for evidence in findings.posts.values()), default=0.0)
    found = strongest * sum(findings.rarities.values()) * findings.coverage
    return found / findings.rarest if findings.rarest else 0.0


def _word(certainty: float, low: float) -> str:
    if certainty < low:
        return "low"
    return "high" if certainty >= HIGH else "medium"
