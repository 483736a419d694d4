"""`blog-search-mcp search`: print hits, or the passage of one, on the terminal.

The index is searched directly: no server, no protocol, and the SDK, which takes longest to
import, is not needed. The facts are those of the search page.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from blog_search_mcp.index.types import Filters, Sort
from blog_search_mcp.server.cli.terminal import tell, with_folders
from blog_search_mcp.server.engine import Engine, engine_for_one
from blog_search_mcp.server.settings import TOP_K_DEFAULT, Settings
from blog_search_mcp.server.tools.search_blog import search_sorted

if TYPE_CHECKING:
    from blog_search_mcp.index.types import Passage


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
    facts, passage = find_facts(engine_for_one(settings), request)
    from blog_search_mcp.server.cli import display

    facts["notice"] = with_folders(facts["notice"] or "", settings) or None
    console = display.console()
    if request.json:
        console.print(json.dumps(facts, ensure_ascii=False, indent=2), soft_wrap=True)
    elif facts["hits"]:
        display.show_page(console, facts, why=request.why, previews=passage is None)
        display.show_end(console, facts, passage)
    else:
        tell(facts["notice"] or "", settings)
    return 0 if facts["hits"] else 1


def find_facts(searcher: Engine, request: SearchRequest) -> tuple[dict[str, Any], Passage | None]:
    """Return what `--json` prints, and the passage if one is to be read. Raises BlogSearchError."""
    from blog_search_mcp.server.format.web import analyse_for_blog, answer_facts, passage_facts

    page = {"limit": request.limit, "offset": request.offset}
    answer = search_sorted(searcher, request.query, request.filters, request.sort, **page)
    if request.reads and answer.total and not answer.hits:
        past = f"There is no hit {request.offset + 1:,}; the search has {answer.total:,}."
        answer = replace(answer, notice=past)
    query = analyse_for_blog(request.query, searcher.overview)
    facts = {"query": query.text, **answer_facts(answer, query)}
    if not (request.reads and answer.hits):
        return facts, None
    passage = searcher.read(facts["hits"][0]["source"], facts["hits"][0]["chunk_index"], 0)
    return facts | {"passage": passage_facts(passage, query)}, passage
