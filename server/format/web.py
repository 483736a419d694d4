"""The JSON facts that the search page and `blog-search-mcp search --json` show.

A tool's answer is cut to what a model should pay for. A person is given whole titles and
headings, what matched as marks, and what the score is made of.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from blog_search_mcp.index.analysis.languages import common_languages
from blog_search_mcp.index.analysis.query import Query, analyse_query
from blog_search_mcp.index.analysis.tokenizer import to_simplified
from blog_search_mcp.index.search.highlight import Span, highlight, highlight_query
from blog_search_mcp.index.store.listing import Listing
from blog_search_mcp.index.store.statistics import Overview
from blog_search_mcp.index.types import Answer, Chunk, Hit, Passage, Post, Posts
from blog_search_mcp.server.format.results import headings_below, hit_facts, link_to, page_facts

NAMES_MOST = 500
"""Tags and sections that are offered, the commonest; others can be typed."""
YEARS_MOST = 100
"""Years that are offered, the newest."""


def analyse_for_blog(text: str, overview: Overview) -> Query:
    """Analyse a query as the search over this index does."""
    return analyse_query(text, common_languages(dict(overview.languages)))


def answer_facts(answer: Answer, query: Query) -> dict[str, Any]:
    """Gather the facts of a page of hits."""
    hits = [hit_facts(hit) for hit in answer.hits]
    details = (_details(hit, query) for hit in answer.hits)
    page = {"notice": None, **page_facts(answer, hits)}
    del page["results"], page["has_more"]
    shown = [{**detail, **facts} for detail, facts in zip(details, hits, strict=True)]
    return {"hits": shown, **page, "certainty": round(answer.certainty, 2)}


def passage_facts(passage: Passage, query: Query | None) -> dict[str, Any]:
    """Gather the facts of a passage, with what the query matches in it."""
    asked = next(chunk for chunk in passage.chunks if chunk.index == passage.asked)
    return {
        **post_facts(passage.post, passage.chunks[0].text),
        "url": link_to(passage.post, asked),
        "chunks": [_chunk_facts(chunk, passage.post, query) for chunk in passage.chunks],
        "asked": passage.asked,
        "count": passage.count,
        "translations": dict(passage.translations),
        "notice": passage.notice,
    }


def posts_facts(posts: Posts) -> dict[str, Any]:
    """Gather the facts of a page of posts."""
    page = [{**post_facts(post), "description": post.description} for post in posts.page]
    return {"posts": page, "total": posts.total, "next_offset": posts.next_offset}


def index_facts(overview: Overview, listing: Listing) -> dict[str, Any]:
    """Gather the facts of the index: how much, how old, and what may be chosen among."""
    facts = asdict(overview)
    del facts["bundles"]
    return {
        **facts,
        "sections": overview.sections[:NAMES_MOST],
        "tags": overview.tags[:NAMES_MOST],
        "years": listing.years()[:YEARS_MOST],
    }


def post_facts(post: Post, text: str = "") -> dict[str, Any]:
    """Gather the facts of a post without its text.

    The language is BCP 47; of Chinese, of which `text` may show more, always with its script, by
    which a browser knows what characters it must draw.
    """
    script, text = "", f"{post.title}{post.description}{text}"
    if post.language == "zh":
        script = "-Hant" if to_simplified(text) != text else "-Hans"
    return {
        "source": post.source,
        "title": post.title,
        "section": post.section,
        "date": post.date,
        "tags": list(post.tags),
        "url": post.url,
        "language": post.language + script,
    }


def utf16(text: str, spans: Iterable[Span]) -> list[list[int]]:
    """Count spans of characters as browsers do, where a character beyond U+FFFF takes two."""
    return [[len(text[:at].encode("utf-16-le")) // 2 for at in span] for span in spans]


def _details(hit: Hit, query: Query) -> dict[str, Any]:
    """Gather what `hit_facts` leaves out: the post, what matched, what the score is made of."""
    chunk, language = hit.chunk, hit.post.language
    score = sum(reason.share * reason.value for reason in hit.reasons)
    return {
        **post_facts(hit.post, hit.preview),
        "headings": list(headings_below(chunk.headings, hit.post.title)),
        "marks": utf16(hit.preview, highlight(hit.preview, query, language)),
        "answered": utf16(query.text, highlight_query(query, chunk.plain or chunk.text, language)),
        "own_score": max(score, 0.0),
        "reasons": [asdict(reason) for reason in hit.reasons],
        "lexical": hit.lexical,
        "dense": hit.dense,
    }


def _chunk_facts(chunk: Chunk, post: Post, query: Query | None) -> dict[str, Any]:
    matches = () if query is None else highlight(chunk.text, query, post.language)
    return {
        "chunk_index": chunk.index,
        "text": chunk.text,
        "marks": utf16(chunk.text, matches),
        "headings": list(headings_below(chunk.headings, post.title)),
        "first_line": chunk.first_line,
        "last_line": chunk.last_line,
    }
