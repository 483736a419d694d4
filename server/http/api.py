"""The API of the search page: a JSON object posted to `/api/…` is answered with JSON.

Arguments are those of the tools. Reading is by POST too: a browser then sends the page's Origin, by
which the guards refuse other sites, and no query stands in a URL that a proxy logs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeAlias

from anyio.to_thread import run_sync
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from blog_search_mcp.index.errors import BlogSearchError, NotInIndex, UsageError
from blog_search_mcp.server.engine import Engine
from blog_search_mcp.server.format.results import describe_failure
from blog_search_mcp.server.http.guards import refusal
from blog_search_mcp.server.tools.list_posts import LIST_POSTS, find_posts
from blog_search_mcp.server.tools.read_chunk import READ_CHUNK
from blog_search_mcp.server.tools.search_blog import SEARCH_BLOG, find_hits

HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def search(engine: Engine, given: Mapping[str, Any]) -> dict[str, Any]:
    """Search, as `search_blog` does. Raises BlogSearchError."""
    from blog_search_mcp.server.format.web import analyse_for_blog, answer_facts

    arguments = SEARCH_BLOG.parse(given)
    answer = find_hits(engine, arguments)
    return answer_facts(answer, analyse_for_blog(arguments.query, engine.overview))


def passage(engine: Engine, given: Mapping[str, Any]) -> dict[str, Any]:
    """Read, as `read_chunk` does, with what `query` matches marked, as text and as HTML.

    A whole post is text alone, since rendering takes 10 ms a chunk. Raises BlogSearchError.
    """
    from blog_search_mcp.server.format.markdown import render_passage
    from blog_search_mcp.server.format.web import analyse_for_blog, passage_facts

    arguments = READ_CHUNK.parse({name: given[name] for name in given if name != "query"})
    text = SEARCH_BLOG.parse({"query": given["query"]}).query if given.get("query") else ""
    found = engine.read(arguments.source, arguments.chunk_index, arguments.reach)
    query = analyse_for_blog(text, engine.overview) if text else None
    facts = passage_facts(found, query)
    read_post = partial(engine.read, arguments.source, arguments.chunk_index, found.count)
    if arguments.whole:
        return facts
    rendered = render_passage(found, query, read_post, lambda: dict(engine.listing().names()))
    for chunk, html in zip(facts["chunks"], rendered, strict=True):
        chunk["html"] = html
    return facts


def posts(engine: Engine, given: Mapping[str, Any]) -> dict[str, Any]:
    """List posts, as `list_posts` does. Raises BlogSearchError."""
    from blog_search_mcp.server.format.web import posts_facts

    return posts_facts(find_posts(engine, LIST_POSTS.parse(given)))


def about(engine: Engine, _given: Mapping[str, Any]) -> dict[str, Any]:
    """Describe the index and whether posts have changed. Raises BlogSearchError."""
    from blog_search_mcp.server.format.web import index_facts

    return index_facts(engine.overview, engine.listing())


Answers: TypeAlias = Callable[[Engine, Mapping[str, Any]], dict[str, Any]]
ENDPOINTS: dict[str, Answers] = {
    "search": search,
    "passage": passage,
    "posts": posts,
    "index": about,
}


def api_routes(engine: Engine) -> list[Route]:
    """Return a route for each of ENDPOINTS."""

    def route(name: str, answer: Answers) -> Route:
        async def endpoint(request: Request) -> JSONResponse:
            question, body = partial(answer, engine), await request.body()
            return await run_sync(_respond, question, body, abandon_on_cancel=True)

        return Route(f"/api/{name}", endpoint, methods=["POST"])

    return [route(*each) for each in ENDPOINTS.items()]


def _respond(answer: Callable[[Mapping[str, Any]], dict[str, Any]], body: bytes) -> JSONResponse:
    """Answer, or refuse with a sentence."""
    try:
        return JSONResponse(answer(_parse_object(body)), headers=HEADERS)
    except BaseException as error:  # a panic of Rust is no Exception
        kinds = {UsageError: 400, NotInIndex: 404, BlogSearchError: 503, BaseException: 500}
        status = next(status for kind, status in kinds.items() if isinstance(error, kind))
        return refusal(status, describe_failure(error), HEADERS)


def _parse_object(body: bytes) -> dict[str, Any]:
    try:
        given = json.loads(body)
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        raise UsageError("The body must be a JSON object with the question's arguments.")
    return given
