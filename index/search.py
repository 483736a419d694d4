"""One query over one opened generation: asked, ranked, judged and cut to a page of hits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from index.confidence import NOTICE, Calibration, judged
from index.find import find
from index.findings import Findings
from index.legs import Legs
from index.one_language import one_of_each
from index.passages import Place, fall_for, placed
from index.preview import preview
from index.ranking import Use, counted, reasons, score_chunks, score_posts
from index.types import Answer, Chunk, Filters, Hit, Kind, Post


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
