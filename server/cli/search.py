"""`blog-search-mcp search`: print hits, or the passage of one, on the terminal.

The index is searched directly: no server, no protocol, and the SDK, which takes longest to
import, is not needed. The facts are those of the search page.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from blog_search_mcp.server.cli.terminal import tell, with_folders
from blog_search_mcp.server.engine import Engine, engine_for_one
from blog_search_mcp.server.tools.search_blog import SearchArguments, find_hits

if TYPE_CHECKING:
    from blog_search_mcp.index.types import Passage
    from blog_search_mcp.server.settings import Settings


def search(
    settings: Settings, arguments: SearchArguments, *, reads: bool, why: bool, as_json: bool
) -> int:
    """Search and print the hits, or if it `reads`, the first with its text, `why` explaining each.

    Returns the exit status, 1 if nothing is found. Raises BlogSearchError.
    """
    facts, passage = find_facts(engine_for_one(settings), arguments, reads=reads)
    from blog_search_mcp.server.cli import display

    facts["notice"] = with_folders(facts["notice"] or "", settings) or None
    console = display.console()
    if as_json:
        console.print(json.dumps(facts, ensure_ascii=False, indent=2), soft_wrap=True)
    elif facts["hits"]:
        display.show_page(console, facts, why=why, previews=passage is None)
        display.show_end(console, facts, passage)
    else:
        tell(facts["notice"] or "", settings)
    return 0 if facts["hits"] else 1


def find_facts(
    searcher: Engine, arguments: SearchArguments, *, reads: bool
) -> tuple[dict[str, Any], Passage | None]:
    """Return what `--json` prints, and the passage if one is to be read. Raises BlogSearchError."""
    from blog_search_mcp.server.format.web import analyse_for_blog, answer_facts, passage_facts

    answer = find_hits(searcher, arguments)
    if reads and answer.total and not answer.hits:
        past = f"There is no hit {answer.offset + 1:,}; the search has {answer.total:,}."
        answer = replace(answer, notice=past)
    query = analyse_for_blog(arguments.query, searcher.overview)
    facts = {"query": query.text, **answer_facts(answer, query)}
    if not (reads and answer.hits):
        return facts, None
    passage = searcher.read(facts["hits"][0]["source"], facts["hits"][0]["chunk_index"], 0)
    return facts | {"passage": passage_facts(passage, query)}, passage
