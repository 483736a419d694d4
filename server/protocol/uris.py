"""Read and write the URIs of resources.

Percent-encoding is undone before anything is looked up, and what is looked up is a post of
the index, never a file: a path with `..` names no post.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import quote, unquote

POSTS_URI = "blog://posts"
POST_TEMPLATE = "blog://post/{+path}"
CHUNK_TEMPLATE = "blog://chunk/{+path}/{index}"

_DIGITS = 6
"""Of a chunk's index, and of an offset: a blog has fewer than a million of either."""


@dataclass(frozen=True, slots=True)
class PostsAddress:
    """The list of all posts, from `offset` on."""

    offset: int = 0


@dataclass(frozen=True, slots=True)
class PostAddress:
    """A whole post."""

    source: str


@dataclass(frozen=True, slots=True)
class ChunkAddress:
    """One chunk of a post."""

    source: str
    index: int


Address: TypeAlias = PostsAddress | PostAddress | ChunkAddress


def parse_uri(uri: str) -> Address | None:
    """Read a URI, `None` if it can name nothing of a blog."""
    scheme, _, rest = uri.partition("://")
    kind, _, path = rest.partition("/")
    if scheme.casefold() != "blog":
        return None
    if kind == "post" and path:
        return PostAddress(unquote(path))
    if kind == "chunk":
        return _chunk(path)
    return _posts(rest)


def uri_of_post(source: str) -> str:
    """Write the URI of a post."""
    return f"blog://post/{quote(source)}"


def uri_of_posts(offset: int) -> str:
    """Write the URI of the list from `offset` on."""
    return f"{POSTS_URI}?offset={offset}" if offset else POSTS_URI


def _chunk(path: str) -> ChunkAddress | None:
    source, _, index = path.rpartition("/")
    number = _number(index)
    return ChunkAddress(unquote(source), number) if source and number is not None else None


def _posts(rest: str) -> PostsAddress | None:
    name, asked, offset = rest.partition("?offset=")
    number = _number(offset) if asked else 0
    return PostsAddress(number) if name == "posts" and number is not None else None


def _number(text: str) -> int | None:
    """Read a whole number written in the one way there is, so that each thing has one URI."""
    if not (text.isascii() and text.isdecimal() and len(text) <= _DIGITS):
        return None
    return int(text) if text == str(int(text)) else None
