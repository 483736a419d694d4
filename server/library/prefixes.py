"""Sources of several blogs: each begins with the blog's name and a slash."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from blog_search_mcp.index.errors import NotInIndex, UnknownChunk, UnknownPost
from blog_search_mcp.index.types import Chunk, Filters, Hit, Outline, Passage, PlaceInSeries, Post

Others = tuple[tuple[str, str], ...]
"""Language and source of each translation."""


def with_name(name: str, source: str) -> str:
    """Return the source as the library gives it; the only blog has no name."""
    return f"{name}/{source}" if name else source


def split_source(source: str, names: Iterable[str]) -> tuple[str, str] | None:
    """Split a source of the library into the blog's name and its own; `None` for another."""
    name, slash, own = source.partition("/")
    return (name, own) if slash and name in names else None


def narrow(filters: Filters, names: Iterable[str]) -> tuple[tuple[str, ...], Filters]:
    """Return the blogs that a section lets through, none if it names none, and their filters."""
    if filters.section is None:
        return tuple(names), filters
    name, _, section = filters.section.strip("/").partition("/")
    return ((name,) if name in names else ()), replace(filters, section=section or None)


def prefix_post(name: str, post: Post) -> Post:
    """Return the post with its source as the library gives it."""
    return replace(post, source=with_name(name, post.source))


def prefix_hit(name: str, hit: Hit) -> Hit:
    """Return the hit with its sources as the library gives them."""
    return replace(
        hit,
        post=prefix_post(name, hit.post),
        chunk=_prefix_chunk(name, hit.chunk),
        translations=_prefix_others(name, hit.translations),
        series=_prefix_place(name, hit.series),
        newer=hit.newer and replace(hit.newer, source=with_name(name, hit.newer.source)),
    )


def prefix_passage(name: str, passage: Passage) -> Passage:
    """Return the passage with its sources as the library gives them."""
    return replace(
        passage,
        post=prefix_post(name, passage.post),
        chunks=tuple(_prefix_chunk(name, chunk) for chunk in passage.chunks),
        translations=_prefix_others(name, passage.translations),
    )


def prefix_outline(name: str, outline: Outline) -> Outline:
    """Return the outline with its sources as the library gives them."""
    return replace(
        outline,
        post=prefix_post(name, outline.post),
        translations=_prefix_others(name, outline.translations),
    )


def prefix_failure(name: str, error: NotInIndex) -> NotInIndex:
    """Return the error with its sources as the library gives them."""
    match error:
        case UnknownPost():
            nearest = tuple(with_name(name, source) for source in error.nearest)
            return UnknownPost(with_name(name, error.source), nearest)
        case UnknownChunk():
            return UnknownChunk(with_name(name, error.source), error.chunk_index, error.count)
    return error


def _prefix_chunk(name: str, chunk: Chunk) -> Chunk:
    return replace(chunk, source=with_name(name, chunk.source))


def _prefix_place(name: str, place: PlaceInSeries | None) -> PlaceInSeries | None:
    if place is None or place.next is None:
        return place
    return replace(place, next=with_name(name, place.next))


def _prefix_others(name: str, others: Others) -> Others:
    return tuple((language, with_name(name, source)) for language, source in others)
