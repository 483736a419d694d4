"""A body's headings as a site generator's id function reads them.

Headings in lists and quotations count too: they get ids, and a repeated id is numbered. What
stands in code between template tags is none.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from markdown_it.token import Token

from blog_search_mcp.ingest.documents.base import Heading, Part
from blog_search_mcp.ingest.markdown.parser import parse_inline

_OPENING = re.compile(
    r"\{%-?\s*(?P<liquid>highlight|codeblock|code|comment|raw)\b[^%]*%\}"
    r"|\{\{<\s*(?P<hugo>highlight|code|comment)\b[^>{]*>\}\}",
)
_CLOSING = re.compile(r"\{%-?\s*end(?P<liquid>\w+)\s*-?%\}|\{\{<\s*/(?P<hugo>\w+)\s*>\}\}")


def read_headings(
    body: str, tokens: Sequence[Token], references: Mapping[str, Any]
) -> tuple[Heading, ...]:
    """Read every heading among the tokens of `body`; `references` are its link definitions."""
    lines = body.split("\n")
    hidden = _find_quoted_lines(body)
    return tuple(
        _read_heading(opening, content.content, lines, references)
        for opening, content in pairwise(tokens)
        if opening.type == "heading_open" and (opening.map or [0])[0] not in hidden
    )


def parts_of(source: str, references: Mapping[str, Any] | None = None) -> tuple[Part, ...]:
    """Split a heading's Markdown into its parts."""
    return tuple(_parts(parse_inline(source, references or {})))


def _find_quoted_lines(body: str) -> set[int]:
    """Find the lines between tags that quote; each tag is paired with the next that closes it."""
    closings: dict[str, list[int]] = {}
    for closing in _CLOSING.finditer(body):
        closings.setdefault(_tag(closing), []).append(closing.start())
    lines, at = set[int](), 0
    for opening in _OPENING.finditer(body) if closings else ():
        later = closings.get(_tag(opening), [])
        place = bisect_left(later, opening.end())
        if opening.start() >= at and place < len(later):
            at = later[place]
            first = body.count("\n", 0, opening.start())
            lines.update(range(first, first + body.count("\n", opening.start(), at) + 1))
    return lines


def _tag(mark: re.Match[str]) -> str:
    return f"{{% {mark['liquid']}" if mark["liquid"] else f"{{{{< {mark['hugo']}"


def _read_heading(
    opening: Token, source: str, lines: Sequence[str], references: Mapping[str, Any]
) -> Heading:
    first, end = opening.map or [0, 0]
    return Heading(
        line=first,
        source=source,
        parts=parts_of(source, references),
        is_top=opening.level == 0,
        before=lines[first - 1] if first else "",
        after=lines[end] if end < len(lines) else "",
    )


def _parts(tokens: Sequence[Token]) -> Iterator[Part]:
    in_angle_brackets = False
    for token in tokens:
        if token.type in ("link_open", "link_close"):
            in_angle_brackets = token.type == "link_open" and token.markup == "autolink"
        elif token.type == "image":
            alt = "".join(part.text for part in _parts(token.children or ()))
            yield Part("image", alt)
        elif token.type in ("softbreak", "hardbreak"):
            yield Part("break", "")
        elif token.type == "html_inline":
            yield Part("html", token.content)
        elif token.type == "code_inline":
            yield Part("code", token.content)
        elif token.content:
            yield Part("link" if in_angle_brackets else "text", token.content)
