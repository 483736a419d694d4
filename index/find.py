"""A query asked of one generation: text in, everything that was found for it out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from index.errors import EmbedderError, EmbedderMismatch
from index.evidence import Findings, Gatherer
from index.legs import Legs
from index.query import Query, analysed
from index.ranking import Use

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
    query = analysed(text, legs.languages)
    vector, readable, notice = _embedded(legs, query, use)
    gatherer = Gatherer(legs.catalog, legs.lexical, legs.vectors, legs.targets, legs.readable)
    return Found(query, gatherer.gather(query, vector, readable, among), notice)


def _embedded(legs: Legs, query: Query, use: Use) -> tuple[Vectors | None, float, str | None]:
    """The query's vector, how well the embedder reads it, and what to tell if it cannot be had."""
    if use is Use.LEXICAL or not len(legs.vectors.ids):
        return None, 0.0, None
    try:
        readable = legs.embedder.readable([query.text])[0]
        if not readable and use is Use.HYBRID:
            return None, 0.0, None
        return legs.embedder.embed_query(query.text), readable, None
    except (EmbedderError, EmbedderMismatch) as error:
        return None, 0.0, f"Keyword matches only, without search by meaning: {error}"
