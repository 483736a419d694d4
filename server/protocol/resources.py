"""Resources: pages of posts, and the text of a post or chunk.

A person picks these in a client, where a model calls tools; both get the same text. Pages are
cut at a post and not at a number, so a cursor stays good when the blog is ingested meanwhile.
"""

from __future__ import annotations

import base64
import binascii
import json
from typing import TYPE_CHECKING, Any

from mcp import MCPError
from mcp.types import (
    INVALID_PARAMS,
    ListResourcesResult,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from blog_search_mcp.index.errors import IndexMissing, NotInIndex
from blog_search_mcp.index.types import Filters
from blog_search_mcp.server.format.results import (
    TITLE_WIDTH,
    one_line,
    post_summary,
    shorten,
    to_json,
)
from blog_search_mcp.server.protocol.uris import (
    CHUNK_TEMPLATE,
    POST_TEMPLATE,
    POSTS_URI,
    ChunkAddress,
    PostAddress,
    parse_uri,
    uri_of_post,
    uri_of_posts,
)
from blog_search_mcp.server.tools.read_chunk import (
    CHUNK_INDEX_MOST,
    passage_texts,
)

if TYPE_CHECKING:
    from blog_search_mcp.index.types import Post
    from blog_search_mcp.server.engine import Searcher

PAGE = 100
"""Posts on a page, of `resources/list` and of `blog://posts`: about 20 KB of either."""

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


class UnknownResource(Exception):
    """No resource has this URI."""


def list_resources(searcher: Searcher, cursor: str | None) -> ListResourcesResult:
    """List a page of resources: on the first one the list of all posts, then the posts.

    Raises MCPError for a cursor that is none of ours, IndexProblem.
    """
    place = _read_cursor(cursor) if cursor is not None else None
    try:
        posts = searcher.listing().following(place, PAGE + 1)
    except IndexMissing:  # an empty blog; subscribers are notified when there is one
        posts = ()
    page = [_resource(post) for post in posts[:PAGE]]
    following = _write_cursor(posts[PAGE - 1]) if len(posts) > PAGE else None
    return ListResourcesResult(
        resources=page if cursor is not None else [POSTS, *page], next_cursor=following
    )


def read_resource(searcher: Searcher, uri: str) -> ReadResourceResult:
    """Read a list, a post or a chunk. Raises UnknownResource, IndexProblem."""
    try:
        match parse_uri(uri):
            case None:
                raise UnknownResource(uri)
            case PostAddress(source):
                return _passage(searcher, uri, source, 0, CHUNK_INDEX_MOST)
            case ChunkAddress(source, index):
                return _passage(searcher, uri, source, index, 0)
            case posts:
                text = to_json(_page(searcher, posts.offset))
                return _contents(uri, "application/json", text)
    except NotInIndex as error:
        raise UnknownResource(uri) from error


def check_resource(searcher: Searcher, uri: str) -> None:
    """Make sure that `uri` names something. Raises UnknownResource, IndexProblem."""
    read_resource(searcher, uri)


def _passage(
    searcher: Searcher, uri: str, source: str, index: int, neighbors: int
) -> ReadResourceResult:
    passage = searcher.read(source, index, neighbors)
    text, place = passage_texts(passage)
    return ReadResourceResult(
        contents=[
            TextResourceContents(uri=uri, mime_type="text/markdown", text=text),
            TextResourceContents(uri=uri, mime_type="text/plain", text=place),
        ]
    )


def _page(searcher: Searcher, offset: int) -> dict[str, Any]:
    posts = searcher.listing().posts(Filters(), "newest", PAGE, offset)
    end = offset + len(posts.page)
    more = {"next": uri_of_posts(end)} if posts.page and end < posts.total else {}
    return {"posts": [post_summary(post) for post in posts.page], "total": posts.total, **more}


def _contents(uri: str, mime_type: str, text: str) -> ReadResourceResult:
    contents = TextResourceContents(uri=uri, mime_type=mime_type, text=text)
    return ReadResourceResult(contents=[contents])


def _resource(post: Post) -> Resource:
    return Resource(
        uri=uri_of_post(post.source),
        name=post.source,
        title=shorten(one_line(post.title), TITLE_WIDTH),
        description=shorten(one_line(post.description), 2 * TITLE_WIDTH) or None,
        mime_type="text/markdown",
    )


def _write_cursor(post: Post) -> str:
    return base64.urlsafe_b64encode(json.dumps([post.date or "", post.source]).encode()).decode()


def _read_cursor(cursor: str) -> tuple[str, str]:
    try:
        place = json.loads(base64.b64decode(cursor, b"-_", validate=True))
    except (binascii.Error, ValueError, RecursionError):
        place = None
    match place:
        case [str(day), str(source)]:
            return day, source
    raise MCPError(INVALID_PARAMS, "Unknown cursor; use a nextCursor as it was given.")
