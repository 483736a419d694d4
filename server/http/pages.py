"""Routes of the search page at `/` and of `/health`.

The page's files are read once, so that page, style and script are of one version even while the
package is being updated. They hold no post, so they need no token; the page asks for it.
"""

from __future__ import annotations

from pathlib import Path

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from blog_search_mcp.index.errors import BlogSearchError
from blog_search_mcp.server.engine import Engine

FOLDER = Path(__file__).parent / "page"
ADDRESSES = {"index.html": "/"}
"""By file, where it is given if not at `/page/`."""
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "trusted-types passages; require-trusted-types-for 'script'"
)
"""Nothing is loaded from elsewhere, nothing that a post says can run or load anything, and only
what `passages`, the page's one policy, lets through can become markup."""
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}


def page_routes() -> list[Route]:
    """Return one route for each file of the page."""
    return [
        Route(
            ADDRESSES.get(path.name, f"/page/{path.name}"),
            Response(path.read_bytes(), headers=HEADERS, media_type=TYPES[path.suffix]),
            methods=["GET"],
        )
        for path in sorted(FOLDER.iterdir())
        if path.suffix in TYPES
    ]


HEALTH = "/health"


def health_route(engine: Engine) -> Route:
    """Return the route that answers 200 with the live generation, 503 without one."""

    def health(_request: Request) -> JSONResponse:
        try:
            overview = engine.overview
        except BlogSearchError:
            return JSONResponse({"status": "no index", "generation": None, "posts": None}, 503)
        facts = {"status": "ok", "generation": overview.generation, "posts": overview.posts}
        return JSONResponse(facts)

    return Route(HEALTH, health, methods=["GET"])
