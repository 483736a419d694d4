"""`/health`: whether questions can be answered, for whatever watches the process.

Nobody is asked for a token here, so it says nothing of the machine nor of any post.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import JSONResponse
from starlette.routing import Route

from index.errors import BlogSearchError

if TYPE_CHECKING:
    from starlette.requests import Request

    from server.searcher import Searcher

HEALTH = "/health"


def health_route(searcher: Searcher) -> Route:
    """Make the route: 200 with the generation that answers, 503 without one."""

    def health(_request: Request) -> JSONResponse:
        try:
            held = searcher.overview
        except BlogSearchError:
            return JSONResponse({"status": "no index", "generation": None, "posts": None}, 503)
        facts = {"status": "ok", "generation": held.generation, "posts": held.posts}
        return JSONResponse(facts)

    return Route(HEALTH, health, methods=["GET"])
