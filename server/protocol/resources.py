"""Resources: pages of posts, and the text of a post or chunk, each behind a URI.

A person picks these in a client, where a model calls tools, so a text is never cut. Pages are cut
at a post and not at a number, so a cursor stays good when the blog is ingested meanwhile.
What a URI names is a post of the index, never a file: a path with `..` names no post.
"""

from __future__ import annotations

import re
from typing import Any, TypeAlias
from urllib.parse import quote, unquote

from mcp import MCPError, types
from mcp.server import ServerRequestContext

from blog_search_mcp.index.errors import IndexMissing, NotInIndex
from blog_search_mcp.index.types import Filters, Post
from blog_search_mcp.server.engine import Engine
from blog_search_mcp.server.format import results
from blog_search_mcp.server.tools.base import brief
from blog_search_mcp.server.tools.read_chunk import CHUNK_INDEX_MOST, describe_place, join_chunks

Context: TypeAlias = ServerRequestContext[Any, Any]

PAGE = 100
"""Posts on a page, of `resources/list` and of `blog://posts`: about 20 KB of either."""
STATELESS_SINCE = "2026-07-28"
"""Versions are days, so that they compare as text."""
LEGACY_NOT_FOUND = -32002
"""Resource not found, before STATELESS_SINCE; from then on it is INVALID_PARAMS."""

POSTS_URI = "blog://posts"
POST_TEMPLATE = "blog://post/{+path}"
CHUNK_TEMPLATE = "blog://chunk/{+path}/{index}"
_URI = re.compile(
    r"(?i:blog)://(?:posts(?:\?offset=(?P<offset>NUMBER))?|post/(?P<post>.+)"
    r"|chunk/(?P<source>.+)/(?P<index>NUMBER))".replace("NUMBER", "0|[1-9][0-9]{0,5}"),
    re.DOTALL,
)
"""A number is written in the one way there is: each thing has one URI."""

POSTS = types.Resource(
    uri=POSTS_URI,
    name="posts",
    title="All posts",
    description=f"Source, title, date and tags of every post, newest first, {PAGE} on a page; "
    "next names the page after it.",
    mime_type="application/json",
)
TEMPLATES = [
    types.ResourceTemplate(
        uri_template=POST_TEMPLATE,
        name="post",
        title="A post",
        description="A post's text by its source, the path below the content folder.",
        mime_type="text/markdown",
    ),
    types.ResourceTemplate(
        uri_template=CHUNK_TEMPLATE,
        name="chunk",
        title="A passage of a post",
        description="One chunk of a post by its source and chunk_index, as in a hit.",
        mime_type="text/markdown",
    ),
]


def list_resources(
    engine: Engine,
    _context: Context,
    params: types.PaginatedRequestParams | None,
) -> types.ListResourcesResult:
    """List a page of resources: on the first one the list of all posts, then the posts.

    A cursor is the day and source of the last post of the page before. Raises MCPError for one
    that is none of ours, IndexProblem.
    """
    cursor = params.cursor if params else None
    day, slash, source = (cursor or "").partition("/")
    if cursor is not None and not slash:
        raise MCPError(types.INVALID_PARAMS, "Unknown cursor; use a nextCursor as it was given.")
    try:
        posts = engine.listing().following((day, source) if slash else None, PAGE + 1)
    except IndexMissing:  # an empty blog; subscribers are notified when there is one
        posts = ()
    page, last = [_describe_post(post) for post in posts[:PAGE]], posts[PAGE - 1 : PAGE]
    return types.ListResourcesResult(
        resources=page if slash else [POSTS, *page],
        next_cursor=f"{last[0].date or ''}/{last[0].source}" if len(posts) > PAGE else None,
    )


def _describe_post(post: Post) -> types.Resource:
    return types.Resource(
        uri=f"blog://post/{quote(post.source)}",
        name=post.source,
        title=brief(post.title, results.TITLE_WIDTH),
        description=brief(post.description, 2 * results.TITLE_WIDTH) or None,
        mime_type="text/markdown",
    )


def read_resource(
    engine: Engine, context: Context, params: types.ReadResourceRequestParams
) -> types.ReadResourceResult:
    """Read a list, a post or a chunk. Raises MCPError for another URI, IndexProblem."""
    named = _URI.fullmatch(params.uri)
    try:
        if named is not None:
            return types.ReadResourceResult(contents=_contents(engine, params.uri, named))
    except NotInIndex:
        pass
    code = LEGACY_NOT_FOUND if context.protocol_version < STATELESS_SINCE else types.INVALID_PARAMS
    sentence = f"Unknown resource {params.uri[:200]!r}; see resources/list."
    raise MCPError(code, sentence, {"uri": params.uri})


def _contents(
    engine: Engine, uri: str, named: re.Match[str]
) -> list[types.TextResourceContents | types.BlobResourceContents]:
    if named["post"]:
        passage = engine.read(unquote(named["post"]), 0, CHUNK_INDEX_MOST)
    elif named["source"]:
        passage = engine.read(unquote(named["source"]), int(named["index"]), 0)
    else:
        text = _list_posts(engine, int(named["offset"] or 0))
        return [types.TextResourceContents(uri=uri, mime_type="application/json", text=text)]
    text, place = join_chunks(passage.chunks), describe_place(passage)
    return [
        types.TextResourceContents(uri=uri, mime_type="text/markdown", text=text),
        types.TextResourceContents(uri=uri, mime_type="text/plain", text=place),
    ]


def _list_posts(engine: Engine, offset: int) -> str:
    posts = engine.listing().list_posts(Filters(), "newest", PAGE, offset)
    facts = {"posts": [*map(results.post_summary, posts.page)], "total": posts.total}
    more = {"next": f"{POSTS_URI}?offset={posts.next_offset}"} if posts.next_offset else {}
    return results.to_json({**facts, **more})
