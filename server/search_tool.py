"""`search_blog`: arguments come in, a page of hits goes out as a tool result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp.types import CallToolResult, TextContent

from server.arguments import search_arguments
from server.limits import ANSWER
from server.markdown import as_markdown
from server.notices import notice_of
from server.wire import Results, compact, facts, results_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from server.engine import Searcher


def search_blog(searcher: Searcher, given: Mapping[str, Any]) -> CallToolResult:
    """Search, and say honestly if nothing matched. Raises BlogSearchError."""
    asked = search_arguments(given)
    answer = searcher.search(asked.query, asked.filters, limit=asked.top_k, offset=asked.offset)
    results = results_of(answer, notice_of(answer, asked))
    if asked.response_format == "markdown":
        results, text = _within(results, as_markdown)
        return CallToolResult(content=[TextContent(text=text)])
    results, text = _within(results, lambda page: compact(facts(page)))
    return CallToolResult(content=[TextContent(text=text)], structured_content=facts(results))


def _within(results: Results, render: Callable[[Results], str]) -> tuple[Results, str]:
    """Render the page; hits that would make it too long are left for the next one."""
    text = render(results)
    while len(text) > ANSWER and len(results.results) > 1:
        kept = results.results[:-1]
        results = results.model_copy(
            update={
                "results": kept,
                "has_more": True,
                "next_offset": results.offset + len(kept),
            }
        )
        text = render(results)
    return results, text
