"""`search_blog`: arguments come in, a page of hits goes out as a tool result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from mcp.types import CallToolResult, TextContent

from blog_search_mcp.server.format.markdown import as_markdown
from blog_search_mcp.server.format.notices import notice_of
from blog_search_mcp.server.format.results import Results, compact, facts, results_of
from blog_search_mcp.server.format.truncate import ANSWER
from blog_search_mcp.server.tools.arguments import search_arguments

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from blog_search_mcp.server.engine import Searcher

T = TypeVar("T")


def search_blog(searcher: Searcher, given: Mapping[str, Any]) -> CallToolResult:
    """Search, and say honestly if nothing matched. Raises BlogSearchError."""
    asked = search_arguments(given)
    answer = searcher.search(asked.query, asked.filters, limit=asked.top_k, offset=asked.offset)
    results = results_of(answer, notice_of(answer, asked))
    if asked.response_format == "markdown":
        _, text = _within(results, lambda page: (page, as_markdown(page)))
        return CallToolResult(content=[TextContent(text=text)])
    plain, text = _within(results, _as_json)
    return CallToolResult(content=[TextContent(text=text)], structured_content=plain)


def _as_json(page: Results) -> tuple[dict[str, Any], str]:
    plain = facts(page)
    return plain, compact(plain)


def _within(results: Results, render: Callable[[Results], tuple[T, str]]) -> tuple[T, str]:
    """Render the page; hits that would make it too long are left for the next one."""
    rendered = render(results)
    while len(rendered[1]) > ANSWER and len(results.results) > 1:
        kept = results.results[:-1]
        results = results.model_copy(
            update={
                "results": kept,
                "has_more": True,
                "next_offset": results.offset + len(kept),
            }
        )
        rendered = render(results)
    return rendered
