"""`list_posts`: arguments come in, a page of posts goes out as a tool result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp.types import CallToolResult, TextContent

from blog_search_mcp.index.types import Filters
from blog_search_mcp.server.format.results import compact, facts_of
from blog_search_mcp.server.format.truncate import ANSWER
from blog_search_mcp.server.tools.arguments import ListArguments, list_arguments

if TYPE_CHECKING:
    from collections.abc import Mapping

    from blog_search_mcp.index.store.listing import Posts
    from blog_search_mcp.server.engine import Searcher


def list_posts(searcher: Searcher, given: Mapping[str, Any]) -> CallToolResult:
    """List, leaving posts that would make the page too long for the next one.

    Raises UsageError, IndexProblem.
    """
    asked = list_arguments(given)
    found = searcher.listing().posts(asked.filters, asked.order, asked.limit, asked.offset)
    posts = [facts_of(post) for post in found.page]
    page = _page(posts, found, asked)
    while len(compact(page)) > ANSWER and len(posts) > 1:
        posts.pop()
        page = _page(posts, found, asked)
    return CallToolResult(
        content=[TextContent(text=compact(page))],
        structured_content=page,
    )


def _page(posts: list[dict[str, Any]], found: Posts, asked: ListArguments) -> dict[str, Any]:
    end = asked.offset + len(posts)
    has_more = bool(posts) and end < found.total
    page = {
        "posts": posts,
        "total": found.total,
        "offset": asked.offset,
        "has_more": has_more,
        "next_offset": end if has_more else None,
    }
    return page if posts else {**page, "notice": _why_empty(found.total, asked)}


def _why_empty(total: int, asked: ListArguments) -> str:
    if total:
        return f"offset {asked.offset} is past the last post: {total} in all, from 0."
    if asked.filters != Filters():
        return "No post passes these filters. Leave some out."
    return "The blog has no posts."
