"""What `search_blog` says, as it goes over the wire: an Answer comes in, JSON facts go out.

The same facts go out twice, as structured content and as compact text, because clients
show a model only one of the two. `read_chunk` has no model here on purpose: a client that
finds structured content drops the text blocks, and the passage is the text.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from unicodedata import east_asian_width

from pydantic import BaseModel

if TYPE_CHECKING:
    from blog_search_mcp.index.types import Answer, Chunk, Hit, Post

TITLE_WIDTH = 80
HEADING_WIDTH = 60
"""Columns; what is longer is shortened, since five hits must stay below 2.5 KB."""
HIT_BYTES = 475
"""What a hit may take of that; a larger one gives up the outer headings, then the end of its
heading, of its title and last of its preview, never of what a client calls or cites."""


class Result(BaseModel):
    """One hit; what its post does not have is left out."""

    source: str
    chunk_index: int
    score: float
    preview: str
    title: str
    url: str | None = None
    heading: str | None = None
    date: str | None = None
    lines: str
    neighbors: int | None = None
    """Set where the hit is two passages of one section: read the chunk with so many."""
    translations: dict[str, str] | None = None


class Results(BaseModel):
    """One page of hits and where the next one begins."""

    results: list[Result]
    confidence: str
    total: int
    offset: int
    has_more: bool
    next_offset: int | None
    notice: str | None = None


def results_of(answer: Answer, notice: str | None) -> Results:
    """Make wire models of the page; `notice` is what the reader must know, if anything."""
    end = answer.offset + len(answer.hits)
    has_more = bool(answer.hits) and end < answer.total
    return Results(
        results=[_fitted(_result(hit)) for hit in answer.hits],
        confidence=answer.confidence,
        total=answer.total,
        offset=answer.offset,
        has_more=has_more,
        next_offset=end if has_more else None,
        notice=notice,
    )


def facts(results: Results) -> dict[str, Any]:
    """Return plain JSON values; absent facts of a hit and an absent notice are left out."""
    plain = results.model_dump(exclude_none=True)
    return {**plain, "next_offset": results.next_offset}


def compact(plain: dict[str, Any]) -> str:
    """Write JSON without spaces; Chinese stays itself, one character a letter."""
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":"))


def _result(hit: Hit) -> Result:
    shown = [hit.chunk] if hit.beside is None else [hit.chunk, hit.beside]
    lines = [line for chunk in shown for line in (chunk.first_line, chunk.last_line)]
    return Result(
        source=hit.post.source,
        chunk_index=hit.chunk.index,
        score=round(hit.score, 3),
        preview=hit.preview,
        title=shortened(hit.post.title, TITLE_WIDTH),
        heading=heading_path(hit.chunk.headings, hit.post.title, HEADING_WIDTH) or None,
        date=hit.post.date,
        url=link(hit.post, hit.chunk),
        lines=f"{min(lines)}-{max(lines)}",
        neighbors=None if hit.beside is None else 1,
        translations=dict(hit.translations) or None,
    )


def _fitted(result: Result) -> Result:
    """Shorten what explains the hit until it keeps within HIT_BYTES or nothing more may go."""
    least = {"heading": 24, "title": 40, "preview": columns(result.preview) - 40}
    size = _size(result)
    for name, width in least.items():
        if size <= HIT_BYTES:
            break
        text = getattr(result, name) or ""
        excess = size + len("…".encode()) - 1 - HIT_BYTES
        if columns(text) > width:
            left = max(columns(text) - excess, width)
            shorter = _inner(text, left) if name == "heading" else shortened(text, left)
            result = result.model_copy(update={name: shorter})
            size = _size(result)
    return result


def _size(result: Result) -> int:
    """Bytes of the hit as JSON."""
    return len(compact(result.model_dump(exclude_none=True)).encode())


def _inner(heading: str, width: int) -> str:
    return heading_path(tuple(heading.split(" > ")), width=width)


def link(post: Post, chunk: Chunk) -> str | None:
    """Where a reader finds the chunk on the published blog, `None` if that is not known."""
    if post.url is None or not chunk.anchor:
        return post.url
    return f"{post.url}#{chunk.anchor}"


def heading_path(headings: tuple[str, ...], below: str = "", width: int | None = None) -> str:
    """Join headings, outermost first; one that only repeats the title `below` is left out.

    Within `width` columns the innermost heading matters most, so outer ones go first.
    """
    inner = headings[1:] if headings[:1] == (below,) else headings
    path = " > ".join(inner)
    if width is None or columns(path) <= width:
        return path
    for place in range(1, len(inner)):
        rest = " > ".join(["…", *inner[place:]])
        if columns(rest) <= width:
            return rest
    return shortened(inner[-1], width)


def one_line(text: str) -> str:
    """Put `text` on one line: what follows a break of the author's would read as ours."""
    return " ".join(text.split())


def shortened(text: str, width: int) -> str:
    """Shorten `text` to at most `width` columns, with `…` where its end is missing."""
    if columns(text) <= width:
        return text
    text = text[:width]
    while columns(text) >= width:
        text = text[:-1].rstrip()
    return text + "…"


def columns(text: str) -> int:
    """Count columns as a terminal does: a Han character takes two, and more bytes."""
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)


TAGS = 8
"""Tags shown of a post."""
TAG_WIDTH = 40


def facts_of(post: Post) -> dict[str, Any]:
    """Name the post, its date, its first tags and its link."""
    facts = {
        "source": post.source,
        "title": shortened(one_line(post.title), TITLE_WIDTH),
        "date": post.date,
        "tags": [shortened(one_line(tag), TAG_WIDTH) for tag in post.tags[:TAGS]],
        "url": post.url,
    }
    return {name: value for name, value in facts.items() if value}
