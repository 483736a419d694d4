"""A query asked of one generation: text in, everything that was found for it out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from index.errors import EmbedderError, EmbedderMismatch
from index.evidence import READ_BLOG, Gatherer
from index.findings import Findings
from index.gloss import Gloss, in_english
from index.legs import Legs
from index.query import Query, analysed, spoken_in
from index.ranking import Use
from index.synonyms import with_synonyms

if TYPE_CHECKING:
    from index.embedder.base import Vectors


@dataclass(frozen=True, slots=True)
class Found:
    """One query and what was found for it."""

    query: Query
    findings: Findings
    notice: str | None
    """What the reader must be told of a leg that did not answer."""


def find(legs: Legs, text: str, among: Sequence[int] | None = None, use: Use = Use.HYBRID) -> Found:
    """Ask both legs; `among` restricts them to these post ids.

    If the embedder cannot answer, the lexical leg answers alone and the notice says so.
    """
    query = _analysed(legs, text)
    try:
        vector, readable = _embedded(legs, query, use)
    except (EmbedderError, EmbedderMismatch) as error:
        return Found(query, _gathered(legs, query, None, 0.0, among), _by_words_alone(error))
    return Found(query, _gathered(legs, query, vector, readable, among), None)


def find_by_both(legs: Legs, text: str) -> Findings:
    """As `find`, but raises EmbedderError or EmbedderMismatch if the embedder cannot answer."""
    query = _analysed(legs, text)
    vector, readable = _embedded(legs, query, Use.HYBRID)
    return _gathered(legs, query, vector, readable, None)


def _analysed(legs: Legs, text: str) -> Query:
    query = analysed(text, legs.languages)
    return with_synonyms(query, legs.languages, legs.lexical.chunks.having)


def _embedded(legs: Legs, query: Query, use: Use) -> tuple[Vectors | None, float]:
    """The query's vector, if it shall have one, and how well the embedder reads it."""
    if use is Use.LEXICAL or not len(legs.vectors.ids):
        return None, 0.0
    readable = legs.embedder.readable([query.text])[0]
    gloss = None if readable else _gloss(legs, query.text)
    if gloss is not None:
        return legs.embedder.embed_query(gloss.text), gloss.share
    if not readable and use is Use.HYBRID:
        return None, 0.0
    return legs.embedder.embed_query(query.text), readable


def _gloss(legs: Legs, text: str) -> Gloss | None:
    """What the embedder can read of a query in another language than the blog that it reads."""
    if legs.readable < READ_BLOG:
        return None
    return in_english(text, spoken_in(text, legs.languages))


def _gathered(
    legs: Legs,
    query: Query,
    vector: Vectors | None,
    readable: float,
    among: Sequence[int] | None,
) -> Findings:
    gatherer = Gatherer(
        legs.catalog,
        legs.lexical,
        legs.vectors,
        legs.targets,
        legs.table,
        legs.described,
        legs.readable,
    )
    return gatherer.gather(query, vector, readable, among)


def _by_words_alone(error: Exception) -> str:
    return f"Keyword matches only, without search by meaning: {error}"
