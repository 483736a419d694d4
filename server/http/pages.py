"""Routes of the search page at `/`, of its API and of `/health`.

The page's files are read once, so they are of one version even during an update of the package.
"""

from collections.abc import Mapping
from pathlib import Path

from anyio.to_thread import run_sync
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from blog_search_mcp.index.errors import BlogSearchError, NotInIndex, UsageError
from blog_search_mcp.server.engine import Engine
from blog_search_mcp.server.format.results import explain_failure

FOLDER = Path(__file__).parent / "page"
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "trusted-types passages; require-trusted-types-for 'script'"
)
"""Content security policy of the page: nothing is loaded from elsewhere, no text of a post can run
or load anything, and only `passages`, the page's trusted-types policy, makes markup."""
SAFE = {"X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "same-origin"}
PAGE_HEADERS = {
    **SAFE,
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-cache",
}
STATUSES = {UsageError: 400, NotInIndex: 404, BlogSearchError: 503, BaseException: 500}


def refusal(status: int, sentence: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """Return the response `{"error": sentence}`."""
    return JSONResponse({"error": sentence}, status, headers=headers)


def open_routes(engine: Engine) -> list[Route]:
    """Return the routes that need no token: each file of the page, and `/health`."""

    def health(_request: Request) -> JSONResponse:
        """Answer 200 with the live generation, 503 without one."""
        try:
            overview = engine.overview
        except BlogSearchError:
            return JSONResponse({"status": "no index", "generation": None, "posts": None}, 503)
        facts = {"status": "ok", "generation": overview.generation, "posts": overview.posts}
        return JSONResponse(facts)

    return [Route("/health", health, methods=["GET"]), *map(_file_route, sorted(FOLDER.iterdir()))]


def _file_route(path: Path) -> Route:
    address = "/" if path.name == "index.html" else f"/page/{path.name}"
    file = Response(path.read_bytes(), headers=PAGE_HEADERS, media_type=TYPES[path.suffix])
    return Route(address, file, methods=["GET"])


def api_route(engine: Engine) -> Route:
    """Return the route of the API: `/api/QUESTION`.

    Every question is a POST. Browsers send an Origin with it, so that the guards can refuse other
    sites, and a proxy that logs URLs does not log queries.
    """

    async def endpoint(request: Request) -> JSONResponse:
        question, body = request.path_params["question"], await request.body()
        return await run_sync(_respond, engine, question, body, abandon_on_cancel=True)

    return Route("/api/{question}", endpoint, methods=["POST"])


def _respond(engine: Engine, question: str, body: bytes) -> JSONResponse:
    from blog_search_mcp.server.http.api import answer

    headers = {**SAFE, "Cache-Control": "no-store"}
    try:
        return JSONResponse(answer(engine, question, body), headers=headers)
    except BaseException as error:  # a panic of Rust is no Exception
        status = next(status for kind, status in STATUSES.items() if isinstance(error, kind))
        return refusal(status, explain_failure(error), headers)
