"""Resources: the posts, each behind a URI.

A person picks these in a client, where a model calls tools, so a text is never cut. Pages are cut
at a post and not at a number, so a cursor stays good when the blog is ingested meanwhile.
What a URI names is a post of the index, never a file: a path with `..` names no post.
"""

from __future__ import annotations

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
from blog_search_mcp.server.tool import brief

Context: TypeAlias = ServerRequestContext[Any, Any]

POSTS_PER_PAGE = 100
"""Posts on a page: about 20 KB."""

POST_URI = "blog://post/"
TEMPLATE = types.ResourceTemplate(
    uri_template=f"{POST_URI}{{+path}}",
    name="post",
    title="A post",
    description="A post's text by its source, the path below the content folder.",
    mime_type="text/markdown",
)


def list_resources(
    engine: Engine,
    _context: Context,
    params: types.PaginatedRequestParams | None,
) -> types.ListResourcesResult:
    """List a page of posts, the newest first.

    A cursor is the day and source of the last post of the page before. Raises MCPError for one
    that is none of ours, IndexProblem.
    """
    cursor = params.cursor if params else None
    day, slash, source = (cursor or "").partition("/")
    if cursor is not None and not slash:
        raise MCPError(types.INVALID_PARAMS, "Unknown cursor; use a nextCursor as it was given.")
    try:
        posts = engine.reader().snapshot.catalog.following(
            (day, source) if slash else None, POSTS_PER_PAGE + 1
        )
    except IndexMissing:  # an empty blog
        posts = ()
    page = [
        types.Resource(
            uri=f"{POST_URI}{quote(post.source)}",
            name=post.source,
            title=brief(post.title, results.TITLE_WIDTH),
            description=brief(post.description, 2 * results.TITLE_WIDTH) or None,
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
    """Read a whole post, then where it stands. Raises MCPError for another URI, IndexProblem."""
    uri = params.uri
    with suppress(NotInIndex):
        if uri[: len(POST_URI)].lower() == POST_URI and uri[len(POST_URI) :]:
            passage = engine.read(unquote(uri[len(POST_URI) :]), 0, CHUNK_INDEX_MOST)
            part, text = partial(types.TextResourceContents, uri=uri), join_chunks(passage.chunks)
            place = part(mime_type="text/plain", text=describe_place(passage))
            whole = part(mime_type="text/markdown", text=text)
            return types.ReadResourceResult(contents=[whole, place])
    # Versions are days; this one has no code of its own for what is not found.
    code = -32002 if context.protocol_version < "2026-07-28" else types.INVALID_PARAMS
    sentence = f"Unknown resource {uri[:200]!r}; see resources/list."
    raise MCPError(code, sentence, {"uri": uri})
