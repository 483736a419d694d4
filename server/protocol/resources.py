"""Resources: pages of posts, and the text of a post or chunk, each behind a URI.

A person picks these in a client, where a model calls tools, so a text is never cut. Pages are cut
at a post and not at a number, so a cursor stays good when the blog is ingested meanwhile.
What a URI names is a post of the index, never a file: a path with `..` names no post.
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote, unquote

from mcp import MCPError
from mcp.server import ServerRequestContext
from mcp.types import (
    INVALID_PARAMS,
    BlobResourceContents,
    ListResourcesResult,
    ListResourceTemplatesResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from blog_search_mcp.index.errors import IndexMissing, NotInIndex
from blog_search_mcp.index.types import Filters, Post
from blog_search_mcp.server.engine import Engine
from blog_search_mcp.server.format.results import (
    TITLE_WIDTH,
    one_line,
    post_summary,
    replace_surrogates,
    shorten,
    to_json,
)
from blog_search_mcp.server.protocol.errors import invalid_params
from blog_search_mcp.server.tools.read_chunk import CHUNK_INDEX_MOST, describe_place, join_chunks

PAGE = 100
"""Posts on a page, of `resources/list` and of `blog://posts`: about 20 KB of either."""
STATELESS_SINCE = "2026-07-28"
"""Versions are days, so that they compare as text."""
LEGACY_NOT_FOUND = -32002
"""Resource not found, before STATELESS_SINCE; from then on it is INVALID_PARAMS."""

POSTS_URI = "blog://posts"
POST_TEMPLATE = "blog://post/{+path}"
CHUNK_TEMPLATE = "blog://chunk/{+path}/{index}"
_NUMBER = r"0|[1-9][0-9]{0,5}"
"""A chunk's index or an offset, written in the one way there is: each thing has one URI, and a
blog has fewer than a million of either."""
_URI = re.compile(
    rf"(?i:blog)://(?:posts(?:\?offset=(?P<offset>{_NUMBER}))?|post/(?P<post>.+)"
    rf"|chunk/(?P<source>.+)/(?P<index>{_NUMBER}))",
    re.DOTALL,
)

POSTS = Resource(
    uri=POSTS_URI,
    name="posts",
    title="All posts",
    description=f"Source, title, date and tags of every post, newest first, {PAGE} on a page; "
    "next names the page after it.",
    mime_type="application/json",
)
TEMPLATES = [
    ResourceTemplate(
        uri_template=POST_TEMPLATE,
        name="post",
        title="A post",
        description="A post's text by its source, the path below the content folder.",
        mime_type="text/markdown",
    ),
    ResourceTemplate(
        uri_template=CHUNK_TEMPLATE,
        name="chunk",
        title="A passage of a post",
        description="One chunk of a post by its source and chunk_index, as in a hit.",
        mime_type="text/markdown",
    ),
]


def list_resources(
    engine: Engine, _context: ServerRequestContext[Any], params: PaginatedRequestParams | None
) -> ListResourcesResult:
    """List a page of resources: on the first one the list of all posts, then the posts.

    Raises MCPError for a cursor that is none of ours, IndexProblem.
    """
    cursor = params.cursor if params else None
    place = None if cursor is None else _read_cursor(cursor)
    try:
        posts = engine.listing().following(place, PAGE + 1)
    except IndexMissing:  # an empty blog; subscribers are notified when there is one
        posts = ()
    page = [
        Resource(
            uri=f"blog://post/{quote(post.source)}",
            name=post.source,
            title=shorten(one_line(post.title), TITLE_WIDTH),
            description=shorten(one_line(post.description), 2 * TITLE_WIDTH) or None,
            mime_type="text/markdown",
        )
        for post in posts[:PAGE]
    ]
    return ListResourcesResult(
        resources=page if place else [POSTS, *page],
        next_cursor=_write_cursor(posts[PAGE - 1]) if len(posts) > PAGE else None,
    )


def list_templates(*_request: Any) -> ListResourceTemplatesResult:
    """List the templates, all on one page."""
    return ListResourceTemplatesResult(resource_templates=TEMPLATES)


def read_resource(
    engine: Engine, context: ServerRequestContext[Any], params: ReadResourceRequestParams
) -> ReadResourceResult:
    """Read a list, a post or a chunk. Raises MCPError for another URI, IndexProblem."""
    named = _URI.fullmatch(params.uri)
    try:
        if named is not None:
            return ReadResourceResult(contents=_contents(engine, params.uri, named))
    except NotInIndex:
        pass
    code = LEGACY_NOT_FOUND if context.protocol_version < STATELESS_SINCE else INVALID_PARAMS
    sentence = f"Unknown resource {params.uri[:200]!r}; see resources/list."
    uri = replace_surrogates(params.uri)
    raise MCPError(code, replace_surrogates(sentence), {"uri": uri})


def _contents(
    engine: Engine, uri: str, named: re.Match[str]
) -> list[TextResourceContents | BlobResourceContents]:
    if named["post"]:
        passage = engine.read(unquote(named["post"]), 0, CHUNK_INDEX_MOST)
    elif named["source"]:
        passage = engine.read(unquote(named["source"]), int(named["index"]), 0)
    else:
        text = to_json(_page(engine, int(named["offset"] or 0)))
        return [TextResourceContents(uri=uri, mime_type="application/json", text=text)]
    text, place = join_chunks(passage.chunks), describe_place(passage)
    return [
        TextResourceContents(uri=uri, mime_type="text/markdown", text=text),
        TextResourceContents(uri=uri, mime_type="text/plain", text=place),
    ]


def _page(engine: Engine, offset: int) -> dict[str, Any]:
    posts = engine.listing().posts(Filters(), "newest", PAGE, offset)
    more = {"next": f"{POSTS_URI}?offset={posts.next_offset}"} if posts.next_offset else {}
    return {"posts": [post_summary(post) for post in posts.page], "total": posts.total, **more}


def _write_cursor(post: Post) -> str:
    return f"{post.date or ''}/{post.source}"


def _read_cursor(cursor: str) -> tuple[str, str]:
    day, slash, source = replace_surrogates(cursor).partition("/")
    if not slash:
        raise invalid_params("Unknown cursor; use a nextCursor as it was given.")
    return day, source
