"""`blog-server search`: a query comes in, hits or one hit's passage go out on the terminal.

The index is asked directly: no server, no protocol, and the SDK, which takes longest to
import, is not needed. The facts are those of the search page.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from blog_search_mcp.index.errors import BlogSearchError
from blog_search_mcp.server.cli.terminal import escape_controls
from blog_search_mcp.server.engine import engine_for_one
from blog_search_mcp.server.format.notices import notice_of

if TYPE_CHECKING:
    from blog_search_mcp.index.analysis.query import Query
    from blog_search_mcp.index.types import Answer, Passage
    from blog_search_mcp.server.engine import Searcher
    from blog_search_mcp.server.settings import SearchRequest, Settings


def search(settings: Settings, request: SearchRequest) -> int:
    """Print what was found; returns the exit status, 1 if that is nothing or cannot be asked."""
    try:
        return _searched(engine_for_one(settings), request, settings.json)
    except BlogSearchError as error:
        sys.stderr.write(escape_controls(f"{error}\n"))
        return 1


def _searched(searcher: Searcher, request: SearchRequest, as_json: bool) -> int:
    from blog_search_mcp.server.cli.display import console, show_hits, show_passage
    from blog_search_mcp.server.format.web import query_of

    asked = request.asked
    answer = searcher.search(asked.query, asked.filters, limit=asked.top_k, offset=asked.offset)
    query, notice = query_of(asked.query, searcher.overview), notice_of(answer, asked)
    passage = _opened(searcher, answer) if request.reads else None
    if as_json:
        console().print(_facts(answer, query, notice, passage), soft_wrap=True)
    elif passage is not None:
        show_passage(console(), answer, passage, query, request.why)
    elif answer.hits:
        show_hits(console(), answer, query, notice, request.why)
    else:
        sys.stderr.write(escape_controls(f"{notice}\n"))
    return 0 if answer.hits else 1


def _opened(searcher: Searcher, answer: Answer) -> Passage | None:
    """Read the one hit, with the neighbour that answers too."""
    for hit in answer.hits:
        neighbors = 0 if hit.beside is None else 1
        return searcher.read(hit.post.source, hit.chunk.index, neighbors)
    return None


def _facts(answer: Answer, query: Query, notice: str | None, passage: Passage | None) -> str:
    from blog_search_mcp.server.format.web import of_answer, of_passage

    facts: dict[str, Any] = {"query": query.text, **of_answer(answer, query, notice)}
    if passage is not None:
        facts["passage"] = of_passage(passage, query)
    return json.dumps(facts, ensure_ascii=False, indent=2)
