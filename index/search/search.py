"""One query over one opened generation: asked, ranked, judged and cut to a page of hits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from blog_search_mcp.index.analysis.query import Query, analysed, spoken_in
from blog_search_mcp.index.analysis.synonyms import Gloss, in_english, with_synonyms
from blog_search_mcp.index.errors import EmbedderError, EmbedderMismatch
from blog_search_mcp.index.search.candidates import Findings
from blog_search_mcp.index.search.collapse_translations import one_of_each
from blog_search_mcp.index.search.confidence import NOTICE, judged
from blog_search_mcp.index.search.diversify import Place, fall_for, placed
from blog_search_mcp.index.search.ranking import Use, counted, reasons, score_chunks, score_posts
from blog_search_mcp.index.search.retrieval import READ_BLOG, Gatherer
from blog_search_mcp.index.search.snapshot import Legs
from blog_search_mcp.index.search.snippets import preview
from blog_search_mcp.index.types import Answer, Calibration, Chunk, Filters, Hit, Kind, Post

if TYPE_CHECKING:
    from blog_search_mcp.index.types import Vectors


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
    if use is Use.LEXICAL or not len(legs.vectors):
        return None, 0.0
    readable = legs.embedder.vocabulary_coverage([query.text])[0]
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
        legs.table,
        legs.described,
        legs.readable,
    )
    return gatherer.gather(query, vector, readable, among)


def _by_words_alone(error: Exception) -> str:
    return f"Keyword matches only, without search by meaning: {error}"


def search(
    legs: Legs,
    text: str,
    filters: Filters,
    calibration: Calibration | None,
    *,
    limit: int,
    offset: int,
    use: Use = Use.HYBRID,
) -> Answer:
    """The hits from `offset` on, `limit` at most, best first."""
    found = find(legs, text, legs.catalog.matching_posts(filters), use)
    posts = found.findings.posts
    scores = one_of_each(score_posts(found.findings, found.query, use), legs.translations, text)
    chunk_scores = score_chunks(found.findings, use)
    sections = legs.table.sections_of(posts.chunks)
    places = placed(scores, posts, chunk_scores, sections, fall_for(found.query))
    counts = counted(found.findings, found.query, use)
    confidence = judged(found.findings, text, calibration)
    low = NOTICE if len(places) and calibration and confidence.word == "low" else None
    return Answer(
        hits=_hits(legs, places.page(offset, limit), found.findings, counts),
        total=len(places),
        offset=offset,
        confidence=confidence.word,
        certainty=confidence.certainty,
        notice=" ".join(filter(None, (found.notice, low))) or None,
    )


def _hits(
    legs: Legs, page: Sequence[Place], findings: Findings, counts: Mapping[Kind, float]
) -> tuple[Hit, ...]:
    beside = [place.beside for place in page if place.beside is not None]
    chunks = legs.catalog.chunks([*(place.chunk for place in page), *beside])
    posts = legs.catalog.posts(place.post for place in page)
    evidence = {post: findings.posts[post] for post in posts}
    why = reasons(findings, posts, counts)
    return tuple(
        Hit(
            post=posts[place.post],
            chunk=chunks[place.chunk],
            score=place.score,
            preview=_preview(posts[place.post], chunks[place.chunk], findings),
            beside=None if place.beside is None else chunks[place.beside],
            dense=evidence[place.post].cosines.get(place.chunk),
            lexical=evidence[place.post].shares.get(place.chunk),
            translations=legs.translations.others(place.post),
            reasons=why[place.post],
        )
        for place in page
    )


def _preview(post: Post, chunk: Chunk, findings: Findings) -> str:
    """Around what the query is about; how it is put decides only if it says nothing else."""
    rarities = findings.rarities
    telling = {word: rarity for word, rarity in rarities.items() if word.weight == 1.0}
    chosen = (telling or rarities).items()
    weights = {stem: rarity for word, rarity in chosen for stem in word.stems}
    return preview(chunk.plain or chunk.text, weights, post.language)
