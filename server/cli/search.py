"""`blog-search-mcp search`: print hits, or the passage of one, on the terminal.

The index is searched directly: no server, no protocol, and the SDK, which takes longest to
import, is not needed. The facts are those of the search page.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from blog_search_mcp.index.types import Filters, Sort
from blog_search_mcp.server.cli.terminal import tell, with_folders
from blog_search_mcp.server.engine import engine_for_one
from blog_search_mcp.server.format.notices import explain_empty
from blog_search_mcp.server.settings import TOP_K_DEFAULT, Settings
from blog_search_mcp.server.tools.search_blog import search_sorted


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What `search` is to do."""

    query: str
    filters: Filters
    sort: Sort = "relevance"
    limit: int = TOP_K_DEFAULT
    offset: int = 0
    reads: bool = False
    """Whether the passage of the one hit is printed instead of the list."""
    why: bool = False
    """Whether each hit is explained."""
    json: bool = False


def search(settings: Settings, request: SearchRequest) -> int:
    """Search and print; returns the exit status, 1 if nothing is found. Raises BlogSearchError."""
    searcher = engine_for_one(settings)
    from blog_search_mcp.server.cli.display import Details, console, show_hits, show_passage
    from blog_search_mcp.server.format.results import page_of
    from blog_search_mcp.server.format.web import analyse_for_blog, answer_facts, passage_facts

    answer = search_sorted(
        searcher,
        request.query,
        request.filters,
        request.sort,
        limit=request.limit,
        offset=request.offset,
    )
    overview = searcher.overview
    query = analyse_for_blog(request.query, overview)
    found = answer.notice if answer.hits else explain_empty(answer, request.filters, overview)
    if request.reads and answer.total and not answer.hits:
        found = f"There is no hit {request.offset + 1:,}; the search has {answer.total:,}."
    notice = with_folders(found or "", settings) or None
    passage = None
    if request.reads and answer.hits:
        hit = answer.hits[0]
        passage = searcher.read(hit.post.source, hit.chunk.index, 0)
    details = Details(answer, query, request.why)
    if request.json:
        facts = {"query": query.text, **answer_facts(answer, query, notice)}
        if passage is not None:
            facts["passage"] = passage_facts(passage, query)
        text = json.dumps(facts, ensure_ascii=False, indent=2)
        console().print(text, soft_wrap=True)
    elif passage is not None:
        show_passage(console(), page_of(answer, notice), details, passage)
    elif answer.hits:
        show_hits(console(), page_of(answer, notice), details)
    else:
        tell(notice or "", settings)
    return 0 if answer.hits else 1
