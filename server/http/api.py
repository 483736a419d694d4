"""What the search page asks: a JSON object posted to `/api/…` comes in, JSON facts go out.

Arguments are those of the tools. All is asked by POST, reading too: a browser then says which
site's page asks, so that the guards can refuse every other one, and no query stands in a URL
that a proxy logs.
"""

from __future__ import annotations

import json
import logging
from functools import partial
from typing import TYPE_CHECKING, Any

from anyio.to_thread import run_sync
from starlette.responses import JSONResponse
from starlette.routing import Route

from blog_search_mcp.index.errors import BlogSearchError, NotInIndex, UsageError
from blog_search_mcp.server.format.notices import explain_page, for_clients
from blog_search_mcp.server.format.text import replace_surrogates
from blog_search_mcp.server.http.guards import refusal
from blog_search_mcp.server.tools.list_posts import LIST_POSTS
from blog_search_mcp.server.tools.read_chunk import READ_CHUNK
from blog_search_mcp.server.tools.search_blog import SEARCH_BLOG

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.requests import Request

    from blog_search_mcp.server.engine import Served

API = "/api"
HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
}

log = logging.getLogger(__name__)


def search(searcher: Served, given: Mapping[str, Any]) -> dict[str, Any]:
    """Search, as `search_blog` does. Raises BlogSearchError."""
    from blog_search_mcp.server.format.web import analyse_for_blog, answer_facts

    asked = SEARCH_BLOG.parse(given)
    answer = searcher.search(asked.query, asked.filters, limit=asked.top_k, offset=asked.offset)
    query = analyse_for_blog(asked.query, searcher.overview)
    return answer_facts(answer, query, explain_page(answer, asked.filters))


def passage(searcher: Served, given: Mapping[str, Any]) -> dict[str, Any]:
    """Read, as `read_chunk` does; what `query` matches is marked. Raises BlogSearchError."""
    from blog_search_mcp.server.format.web import analyse_for_blog, passage_facts

    asked = READ_CHUNK.parse({name: given[name] for name in given if name != "query"})
    text = SEARCH_BLOG.parse({"query": given["query"]}).query if given.get("query") else ""
    found = searcher.read(asked.source, asked.chunk_index, asked.neighbors)
    return passage_facts(found, analyse_for_blog(text, searcher.overview) if text else None)


def posts(searcher: Served, given: Mapping[str, Any]) -> dict[str, Any]:
    """List posts, as `list_posts` does. Raises BlogSearchError."""
    from blog_search_mcp.server.format.web import posts_facts

    asked = LIST_POSTS.parse(given)
    found = searcher.listing().posts(asked.filters, asked.order, asked.limit, asked.offset)
    return posts_facts(found, asked.offset)


def about(searcher: Served, _given: Mapping[str, Any]) -> dict[str, Any]:
    """Tell what the index holds and whether it is behind its posts. Raises BlogSearchError."""
    from blog_search_mcp.server.format.web import index_facts

    return index_facts(searcher.overview)


QUESTIONS = {"search": search, "passage": passage, "posts": posts, "index": about}


def api_routes(searcher: Served) -> list[Route]:
    """Make a route for each of QUESTIONS."""
    return [
        Route(f"{API}/{name}", _endpoint(partial(work, searcher)), methods=["POST"])
        for name, work in QUESTIONS.items()
    ]


def _endpoint(work: Callable[[Mapping[str, Any]], dict[str, Any]]) -> Callable[[Request], Any]:
    async def endpoint(request: Request) -> JSONResponse:
        body = await request.body()
        return await run_sync(_answered, work, body, abandon_on_cancel=True)

    return endpoint


def _answered(work: Callable[[Mapping[str, Any]], dict[str, Any]], body: bytes) -> JSONResponse:
    """Answer, or say in a sentence why not."""
    try:
        return JSONResponse(work(_object(body)), headers=HEADERS)
    except (UsageError, NotInIndex) as error:  # quotes what the page itself sent
        status = 400 if isinstance(error, UsageError) else 404
        return refusal(status, replace_surrogates(str(error)), HEADERS)
    except BlogSearchError as error:
        return refusal(503, replace_surrogates(for_clients(str(error))), HEADERS)
    except Exception:
        log.exception("A question of the search page failed.")
        return refusal(500, "Internal error; the server's log has the details.", HEADERS)


def _object(body: bytes) -> dict[str, Any]:
    try:
        given = json.loads(body)
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        raise UsageError("The body must be a JSON object with the question's arguments.")
    return given
