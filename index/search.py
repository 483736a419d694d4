"""One query over one opened generation: analysed, evidence gathered, ranked, cut to a page.

If the embedder cannot answer, the lexical leg answers alone and the answer says
so: a reader must never take half a search for a whole one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from index.errors import EmbedderError, EmbedderMismatch
from index.evidence import Findings, Gatherer
from index.passages import Place, placed
from index.preview import preview
from index.query import Query, analysed
from index.ranking import Use, score_chunks, score_posts
from index.types import Answer, Chunk, Filters, Hit

if TYPE_CHECKING:
    from index.catalog import Catalog
    from index.embedder.base import Embedder, Vectors
    from index.lexical import LexicalSearcher
    from index.vectors import VectorSearcher


@dataclass(frozen=True, slots=True)
class Legs:
    """What a search stands on."""

    catalog: Catalog
    lexical: LexicalSearcher
    vectors: VectorSearcher
    embedder: Embedder


def search(
    legs: Legs, text: str, filters: Filters, limit: int, offset: int, use: Use = Use.HYBRID
) -> Answer:
    """The hits from `offset` on, `limit` at most, best first."""
    query = analysed(text)
    among = legs.catalog.matching_posts(filters)
    vector, readable, notice = _embedded(legs, query, use)
    gatherer = Gatherer(legs.catalog, legs.lexical, legs.vectors)
    findings = gatherer.gather(query, vector, readable, among)
    scores = score_posts(findings, query, use)
    chunks = {post: score_chunks(findings.posts[post], findings, use) for post in scores}
    places = placed(scores, chunks)
    hits = _hits(legs, places[offset : offset + limit], findings)
    return Answer(hits, total=len(places), offset=offset, notice=notice)


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


def _hits(legs: Legs, page: Sequence[Place], findings: Findings) -> tuple[Hit, ...]:
    chunks = legs.catalog.chunks(place.chunk for place in page)
    posts = legs.catalog.posts(place.post for place in page)
    return tuple(
        Hit(
            post=posts[place.post],
            chunk=chunks[place.chunk],
            score=place.score,
            preview=_preview(chunks[place.chunk], findings),
            dense=findings.posts[place.post].cosines.get(place.chunk),
            lexical=findings.posts[place.post].shares.get(place.chunk),
        )
        for place in page
    )


def _preview(chunk: Chunk, findings: Findings) -> str:
    return preview(chunk.plain or chunk.text, findings.rarities)
