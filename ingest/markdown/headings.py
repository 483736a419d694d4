"""A post's body comes in; its headings go out as a generator's id function wants to see them.

Headings in lists and quotations count too: they get ids, and a repeated id is numbered. What
only a generator's templates understand is not Markdown, so the bodies of its code blocks are
blanked first, without moving a line.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token

Kind = Literal["text", "code", "html", "image", "link", "break"]
"""What a part of a heading is; a `link` is one in angle brackets."""

_BLOCKS = MarkdownIt("commonmark").enable("table")
_BLOCKS.core.ruler.enableOnly(["normalize", "block"])
_INLINE = MarkdownIt("commonmark").enable("strikethrough")
_INLINE.disable("text_join")

_OPENING = re.compile(
    r"\{%-?\s*(?P<liquid>highlight|codeblock|code|comment|raw)\b[^%]*%\}"
    r"|\{\{<\s*(?P<hugo>highlight|code|comment)\b[^>{]*>\}\}",
)
_CLOSING = re.compile(r"\{%-?\s*end(?P<liquid>\w+)\s*-?%\}|\{\{<\s*/(?P<hugo>\w+)\s*>\}\}")
_NOT_LINE = re.compile("[^\n]")


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a heading's text."""

    kind: Kind
    text: str


@dataclass(frozen=True, slots=True)
class Heading:
    """One heading."""

    line: int
    """Of the body, from 0."""
    source: str
    """Its Markdown, without its marks."""
    parts: tuple[Part, ...]
    is_top: bool
    """Whether it stands in no list or quotation."""
    before: str
    """The line above it."""
    after: str
    """The line below it."""


def headings(body: str) -> list[Heading]:
    """Every heading of `body` in order."""
    lines = _without_quoted_code(body).split("\n")
    env: dict[str, Any] = {}
    tokens = _BLOCKS.parse("\n".join(lines), env)
    return [
        _heading(opening, content.content, lines, env)
        for opening, content in pairwise(tokens)
        if opening.type == "heading_open"
    ]


def parts_of(source: str, env: dict[str, Any] | None = None) -> tuple[Part, ...]:
    """The parts of a heading's Markdown; `env` holds the body's link definitions."""
    [inline] = _INLINE.parseInline(source, env if env is not None else {})
    return tuple(_parts(inline.children or ()))


def _without_quoted_code(body: str) -> str:
    """Blank what stands between tags; each kind of tag is paired with the next that closes it."""
    closings: dict[str, list[re.Match[str]]] = {}
    for closing in _CLOSING.finditer(body):
        closings.setdefault(_tag(closing), []).append(closing)
    pieces, at = [], 0
    for opening in _OPENING.finditer(body):
        later = closings.get(_tag(opening), [])
        place = bisect_left(later, opening.end(), key=re.Match.start)
        if opening.start() >= at and place < len(later):
            end = later[place].end()
            pieces += [body[at : opening.start()], _NOT_LINE.sub("", body[opening.start() : end])]
            at = end
    return "".join([*pieces, body[at:]])


def _tag(mark: re.Match[str]) -> str:
    return f"{{% {mark['liquid']}" if mark["liquid"] else f"{{{{< {mark['hugo']}"


def _heading(opening: Token, source: str, lines: Sequence[str], env: dict[str, Any]) -> Heading:
    first, end = opening.map or [0, 0]
    return Heading(
        line=first,
        source=source,
        parts=parts_of(source, env),
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
