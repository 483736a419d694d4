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
    from index.types import Answer, Hit

TITLE_WIDTH = 80
HEADING_WIDTH = 60
"""Columns; what is longer is shortened, since five hits must stay below 2.5 KB."""


class Result(BaseModel):
    """One hit; what its post does not have is left out."""

    source: str
    chunk_index: int
    score: float
    preview: str
    title: str
    heading: str | None = None
    date: str | None = None
    lines: str


class Results(BaseModel):
    """One page of hits and where the next one begins."""

    results: list[Result]
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
        results=[_result(hit) for hit in answer.hits],
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
    return Result(
        source=hit.post.source,
        chunk_index=hit.chunk.index,
        score=round(hit.score, 3),
        preview=hit.preview,
        title=shortened(hit.post.title, TITLE_WIDTH),
        heading=heading_path(hit.chunk.headings, hit.post.title, HEADING_WIDTH) or None,
        date=hit.post.date,
        lines=f"{hit.chunk.first_line}-{hit.chunk.last_line}",
    )


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
