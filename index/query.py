"""A reader's words as what the legs need: text in, weighted terms and its kind out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from index.analysis import CJK, Term, terms
from index.stopwords import STOPWORDS, WEIGHT

_QUESTION = re.compile(
    r"[?？]|^\W*(?:how|why|what|when|which|who|where|can|does|do|did|is|are|should"
    r"|wie|was|warum|wann|wo|welche[rsn]?|kann|cómo|qué|por qué|cuándo|dónde|cuál"
    r"|comment|pourquoi|quel\w*|quand|où)\b"
    r"|[嗎吗呢麼么哪誰谁]|如何|怎|為何|为何|幾|(?:です|ます|の)か|どう|なぜ|何|いつ|どこ|どの",
    re.IGNORECASE,
)

_CODE = re.compile(
    r"[A-Za-z_][_.:\\][A-Za-z_]|\w/\w|\w\(|::|[`{}<>=\[\]$@#*&|;]|(?:^|\s)--?\w|[a-z][A-Z]"
)
"""Marks of an identifier, a path, a call or a flag."""

_PAIR = re.compile(f"[{CJK}]{{2}}")

PROSE_TERMS = 4.0
"""Terms of its own (a pair of Han characters as half of one) that make a query running text."""


@dataclass(frozen=True, slots=True)
class Query:
    """One analysed query."""

    text: str
    stems: Mapping[str, float]
    """Stemmed terms, each with its weight of at most 1 before rarity."""
    exacts: Mapping[str, float]
    """The same words unstemmed."""
    is_question: bool
    """Asked, rather than described: a description resembles how a post begins."""
    is_prose: bool
    """Running text, rather than an identifier, a title or a few words."""


def analysed(text: str) -> Query:
    """The query in `text`, which may be anything."""
    found = list(terms(text))
    return Query(
        text=text,
        stems={term.stem: _weight(term.exact) for term in found},
        exacts={term.exact: _weight(term.exact) for term in found},
        is_question=bool(_QUESTION.search(text)),
        is_prose=_count(found) >= PROSE_TERMS and not _CODE.search(text),
    )


def _count(found: Iterable[Term]) -> float:
    """Different terms that are no stop words."""
    words = {term.stem for term in found if term.exact not in STOPWORDS}
    return sum(0.5 if _PAIR.fullmatch(word) else 1.0 for word in words)


def _weight(word: str) -> float:
    return WEIGHT if word in STOPWORDS else 1.0
