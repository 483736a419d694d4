"""The JSON facts for the search page, and for `--json` of `search` and `read`.

Unlike the answers of tools, they have full titles and headings, the places of matches in previews,
scores and the certainty.
"""

from dataclasses import asdict
from typing import Any

from blog_search_mcp.index.search.previews import highlight
from blog_search_mcp.index.store.catalog import Catalog
from blog_search_mcp.index.store.statistics import Overview
from blog_search_mcp.index.text.query import Query
from blog_search_mcp.index.text.tokenizer import to_simplified
from blog_search_mcp.index.types import Answer, Hit, Passage, Post, Posts
from blog_search_mcp.server.format import results


def answer_facts(answer: Answer) -> dict[str, Any]:
    """Gather the facts of a page of hits."""
    page = results.page_facts(answer, [_hit_facts(hit, answer.query) for hit in answer.hits])
    hits, certainty = page.pop("results"), round(answer.certainty, 2)
    more = {"notice": None, "total": answer.total, "offset": answer.offset, "next_offset": None}
    return {"hits": hits, **more, **page, "certainty": certainty}


def _hit_facts(hit: Hit, query: Query) -> dict[str, Any]:
    chunk, language = hit.chunk, hit.post.language
    return {
        **post_facts(hit.post, hit.preview),
        "marks": highlight(hit.preview, query, language),
        "score": hit.score,
        "lines": f"{chunk.first_line}-{chunk.last_line}",
        **results.hit_facts(hit),
    }


def passage_facts(passage: Passage) -> dict[str, Any]:
    """Gather the facts of a passage."""
    post = passage.post
    asked = next(chunk for chunk in passage.chunks if chunk.index == passage.asked)
    chunks = [
        {
            "chunk_index": chunk.index,
            "text": chunk.text,
            "headings": list(results.headings_below(chunk.headings, post.title)),
            "first_line": chunk.first_line,
            "last_line": chunk.last_line,
        }
        for chunk in passage.chunks
    ]
    return {
        **post_facts(post, passage.chunks[0].text),
        "url": results.link_to(post, asked.anchor),
        "chunks": chunks,
        "asked": passage.asked,
        "count": passage.count,
        "translations": dict(passage.translations),
        "notice": passage.notice,
    }


def posts_facts(posts: Posts) -> dict[str, Any]:
    """Gather the facts of a page of posts."""
    page = [{**post_facts(post), "description": post.description} for post in posts.page]
    return {"posts": page, "total": posts.total, "next_offset": posts.next_offset}


def index_facts(overview: Overview, listing: Catalog) -> dict[str, Any]:
    """Gather the facts of the index, with up to 500 sections, tags and years each for a form."""
    offered = {"sections": overview.main_sections, "tags": overview.tags, "years": listing.years()}
    facts = {name: value for name, value in asdict(overview).items() if name != "bundles"}
    return facts | {name: values[:500] for name, values in offered.items()}


def post_facts(post: Post, text: str = "") -> dict[str, Any]:
    """Gather the facts of a post without its text.

    The language is a BCP 47 tag. `zh` gets a script, since browsers choose the font by it. The
    script is detected in title, description and `text`.
    """
    script, text = "", f"{post.title}{post.description}{text}"
    if post.language == "zh":
        script = "-Hant" if to_simplified(text) != text else "-Hans"
    names = ("source", "title", "section", "date", "url", "authors", "tags")
    facts = {name: getattr(post, name) for name in names}
    return {**facts, "language": post.language + script}
