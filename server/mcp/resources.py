"""MCP resources: every post has a URI.

A person picks resources in a client, so a text is never shortened, unlike a tool's answer. A cursor
names a post and not a position, so it stays valid if the blog is ingested meanwhile. A URI names a
post of the index and never a file: a path with `..` names no post.
"""

from contextlib import suppress
from functools import partial
from typing import Any, TypeAlias
from urllib.parse import quote, unquote

from mcp import MCPError, types
from mcp.server import ServerRequestContext

from blog_search_mcp.index.errors import IndexMissing, NotInIndex
from blog_search_mcp.server.engine import Engine
from blog_search_mcp.server.format import results
from blog_search_mcp.server.mcp.read_chunk import CHUNK_INDEX_MOST, describe_place, join_chunks

Context: TypeAlias = ServerRequestContext[Any, Any]
POSTS_PER_PAGE = 100
"""Number of posts on a page. A page has about 20 KB."""
POST_URI = "blog://post/"
TEMPLATE = types.ResourceTemplate(
    uri_template=f"{POST_URI}{{+path}}",
    name="post",
    title="A post",
    description="A post's text by its source, the path below the content folder.",
    mime_type="text/markdown",
)


def list_resources(
    engine: Engine, _context: Context, params: types.PaginatedRequestParams | None
) -> types.ListResourcesResult:
    """List a page of posts, newest first.

    A cursor is the day and the source of the last post of the previous page. Raises IndexProblem,
    and MCPError for an unknown cursor.
    """
    cursor = params.cursor if params else None
    day, slash, source = (cursor or "").partition("/")
    if cursor is not None and not slash:
        raise MCPError(types.INVALID_PARAMS, "Unknown cursor; use a nextCursor as it was given.")
    try:
        posts = engine.reader().snapshot.catalog.posts_after(
            (day, source) if slash else None, POSTS_PER_PAGE + 1
        )
    except IndexMissing:  # nothing to list yet
        posts = ()
    page = [
        types.Resource(
            uri=f"{POST_URI}{quote(post.source)}",
            name=post.source,
            title=results.brief(post.title, results.TITLE_WIDTH),
            description=results.brief(post.description, 2 * results.TITLE_WIDTH) or None,
            mime_type="text/markdown",
        )
        for post in posts[:POSTS_PER_PAGE]
    ]
    last = posts[POSTS_PER_PAGE - 1] if len(posts) > POSTS_PER_PAGE else None
    following = f"{last.date or ''}/{last.source}" if last else None
    return types.ListResourcesResult(resources=page, next_cursor=following)


def read_resource(
    engine: Engine, context: Context, params: types.ReadResourceRequestParams
) -> types.ReadResourceResult:
    """Return a whole post and its place block. Raises IndexProblem; MCPError for an unknown URI."""
    uri = params.uri
    with suppress(NotInIndex):
        if uri[: len(POST_URI)].lower() == POST_URI and uri[len(POST_URI) :]:
            passage = engine.read(unquote(uri[len(POST_URI) :]), 0, CHUNK_INDEX_MOST)
            part, text = partial(types.TextResourceContents, uri=uri), join_chunks(passage.chunks)
            place = part(mime_type="text/plain", text=describe_place(passage))
            whole = part(mime_type="text/markdown", text=text)
            return types.ReadResourceResult(contents=[whole, place])
    # From this version on, the specification has no error code for an unknown resource.
    code = -32002 if context.protocol_version < "2026-07-28" else types.INVALID_PARAMS
    sentence = f"Unknown resource {uri[:200]!r}; see resources/list."
    raise MCPError(code, sentence, {"uri": uri})
