"""The facts of a hit and of a page of hits: the one place where they are made.

The wire, Markdown, the terminal and the search page all show these. A model pays for each byte,
so what goes to one is shortened by `fit_page`; a person is shown it whole.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any
from unicodedata import east_asian_width

from blog_search_mcp.index.commands import complete_commands
from blog_search_mcp.index.errors import (
    BlogSearchError,
    NotInIndex,
    UsageError,
    describe_exhaustion,
)
from blog_search_mcp.index.types import Answer, Chunk, Hit, PlaceInSeries, Post

log = logging.getLogger(__name__)

_COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))

LONGEST_QUOTE = 80
"""Characters of a refused value that a message quotes."""


def to_json(value: Any) -> str:
    """Write compact JSON; Chinese stays itself, one character a letter."""
    return _COMPACT.encode(value)


def replace_surrogates(text: str) -> str:
    """Replace each lone surrogate, which UTF-8 cannot carry, by `?`."""
    return text.encode("utf-8", "replace").decode("utf-8")


def quote(value: object) -> str:
    """Quote a refused value, shortened to LONGEST_QUOTE characters."""
    text = replace_surrogates(repr(value))
    return text if len(text) <= LONGEST_QUOTE else text[:LONGEST_QUOTE] + "…"


def one_line(text: str) -> str:
    """Put `text` on one line: what follows a break of the author's would read as ours."""
    return " ".join(text.split())


def count_columns(text: str) -> int:
    """Count columns as a terminal does: a Han character takes two, and more bytes."""
    if text.isascii():
        return len(text)
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)


def shorten(text: str, width: int) -> str:
    """Shorten `text` to at most `width` columns, with `…` where its end is missing."""
    if count_columns(text) <= width:
        return text
    text = text[: max(width, 0)]
    while text and count_columns(text) >= width:
        text = text[:-1].rstrip()
    return text + "…"


TITLE_WIDTH = 80
HEADING_WIDTH = 60
SERIES_WIDTH = 40
"""Columns; what is longer is shortened, since five hits must stay below 2.5 KB."""
HIT_BYTES = 475
"""What a hit may take of that; a larger one gives up the outer headings, then the end of its
heading, of its title and last of its preview, never of what a client calls or cites."""
TAGS = 8
"""Tags shown of a post in a list."""
TAG_WIDTH = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class HitFacts:
    """What is shown of one hit."""

    source: str
    chunk_index: int
    score: float
    preview: str
    title: str
    url: str | None = None
    """With the anchor of the passage."""
    heading: str | None = None
    date: str | None = None
    lines: str
    """First and last line of the file."""
    translations: Mapping[str, str] = field(default_factory=dict)
    """Source of each translation by its language."""
    series: Mapping[str, str | int] = field(default_factory=dict)
    """The name of the post's series, its part there and the source of the next part."""


@dataclass(frozen=True, slots=True)
class PageFacts:
    """One page of hits and where the next one begins."""

    results: tuple[HitFacts, ...]
    confidence: str
    total: int
    offset: int
    has_more: bool
    next_offset: int | None
    notice: str | None = None


def page_of(answer: Answer, notice: str | None) -> PageFacts:
    """Gather the facts of a page; `notice` is what the reader must know, if anything."""
    end = answer.offset + len(answer.hits)
    has_more = bool(answer.hits) and end < answer.total
    return PageFacts(
        results=tuple(hit_facts(hit) for hit in answer.hits),
        confidence=answer.confidence,
        total=answer.total,
        offset=answer.offset,
        has_more=has_more,
        next_offset=end if has_more else None,
        notice=notice,
    )


def hit_facts(hit: Hit) -> HitFacts:
    """Gather the facts of a hit, in full."""
    return HitFacts(
        source=hit.post.source,
        chunk_index=hit.chunk.index,
        score=hit.score,
        preview=hit.preview,
        title=hit.post.title,
        lines=f"{hit.chunk.first_line}-{hit.chunk.last_line}",
        url=link_to(hit.post, hit.chunk),
        heading=heading_path(hit.chunk.headings, hit.post.title) or None,
        date=hit.post.date,
        translations=dict(hit.translations),
        series=place_facts(hit.series),
    )


def place_facts(place: PlaceInSeries | None) -> dict[str, str | int]:
    """Name the series, the part and the source of the next one, if there is one."""
    if place is None:
        return {}
    following = {"next": place.next} if place.next else {}
    return {"name": shorten(one_line(place.name), SERIES_WIDTH), "part": place.part, **following}


def describe_place(series: Mapping[str, str | int]) -> str | None:
    """Write what `place_facts` gathered, `None` if that is nothing."""
    if not series:
        return None
    following = f", next: {series['next']}" if "next" in series else ""
    return f"part {series['part']} of {series['name']}{following}"


def wire_facts(page: PageFacts) -> dict[str, Any]:
    """Return plain JSON values; absent facts of a hit and an absent notice are left out."""
    facts = _values(page) | {"results": [_wire_hit(hit) for hit in page.results]}
    return facts if page.notice else {name: facts[name] for name in facts if name != "notice"}


def page_from_wire(facts: Mapping[str, Any]) -> PageFacts:
    """Read back what `wire_facts` wrote."""
    return PageFacts(**{**facts, "results": tuple(HitFacts(**hit) for hit in facts["results"])})


def _wire_hit(hit: HitFacts) -> dict[str, Any]:
    facts = _values(hit) | {"score": round(hit.score, 3)}
    return {name: value for name, value in facts.items() if value is not None and value != {}}


def _values(facts: HitFacts | PageFacts) -> dict[str, Any]:
    """Return the fields by name. `asdict` would copy what they hold, for a millisecond a search."""
    return {each.name: getattr(facts, each.name) for each in fields(facts)}


def fit_page(page: PageFacts) -> PageFacts:
    """Shorten each hit for a model."""
    return replace(page, results=tuple(_fit(hit) for hit in page.results))


def _fit(hit: HitFacts) -> HitFacts:
    """Shorten what explains the hit until it keeps within HIT_BYTES or nothing more may go."""
    hit = replace(
        hit,
        title=shorten(hit.title, TITLE_WIDTH),
        heading=_shorten_path(hit.heading, HEADING_WIDTH) if hit.heading else None,
    )
    if _excess(hit) <= 0:
        return hit
    hit = replace(hit, heading=_cut(hit, hit.heading, 24, _shorten_path))
    hit = replace(hit, title=_cut(hit, hit.title, 40, shorten) or "")
    least = count_columns(hit.preview) - 40
    return replace(hit, preview=_cut(hit, hit.preview, least, shorten) or "")


def _cut(hit: HitFacts, text: str | None, least: int, cut: Callable[[str, int], str]) -> str | None:
    """Cut one of the hit's texts by as much as the hit is too large, to `least` columns at most."""
    excess = _excess(hit)
    if not text or excess <= 0 or count_columns(text) <= least:
        return text
    room = count_columns(text) - excess - len("…".encode()) + 1
    return cut(text, max(room, least))


def _excess(hit: HitFacts) -> int:
    """Count the bytes by which a hit is too large."""
    return len(to_json(_wire_hit(hit)).encode()) - HIT_BYTES


def _shorten_path(path: str, width: int) -> str:
    return heading_path(tuple(path.split(" > ")), width=width)


def link_to(post: Post, chunk: Chunk) -> str | None:
    """Return the chunk's URL on the published blog, `None` if that is not known."""
    if post.url is None or not chunk.anchor:
        return post.url
    return f"{post.url}#{chunk.anchor}"


def heading_path(headings: tuple[str, ...], below: str = "", width: int | None = None) -> str:
    """Join headings, outermost first; one that only repeats the title `below` is left out.

    Within `width` columns the innermost heading matters most, so outer ones go first.
    """
    inner = headings[1:] if headings[:1] == (below,) else headings
    path = " > ".join(inner)
    if width is None or count_columns(path) <= width:
        return path
    for place in range(1, len(inner)):
        rest = " > ".join(["…", *inner[place:]])
        if count_columns(rest) <= width:
            return rest
    return shorten(inner[-1], width)


def post_summary(post: Post) -> dict[str, Any]:
    """Name the post, its date, its first tags and its link."""
    facts = {
        "source": post.source,
        "title": shorten(one_line(post.title), TITLE_WIDTH),
        "date": post.date,
        "tags": [shorten(one_line(tag), TAG_WIDTH) for tag in post.tags[:TAGS]],
        "url": post.url,
    }
    return {name: value for name, value in facts.items() if value}


def describe_failure(error: BaseException) -> str:
    """Return what a client may read of a failure; one that is no error of ours is logged.

    What asks the process to end is raised again.
    """
    if isinstance(error, KeyboardInterrupt | SystemExit):
        raise error
    if isinstance(error, UsageError | NotInIndex):  # quotes what the client itself sent
        return replace_surrogates(error.for_clients)
    if isinstance(error, BlogSearchError):
        return replace_surrogates(complete_commands(error.for_clients))
    if exhausted := describe_exhaustion(error):
        log.error("%s", exhausted)
        return exhausted
    log.error("A request failed.", exc_info=error)
    return "Internal error; the server's log has the details."
