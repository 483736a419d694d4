"""A post's passages come in; what they say of other posts goes out, one mention for each link.

Who links to a post says what it is about, often in the words in which readers ask for it. What
is said is the paragraph, list item or table row around the link, and with a heading that is a
link the paragraph below it. That one, and an item or a row that begins with its link, is a
pointer: it speaks of the other post alone, and for the post it stands in it would be a claim to
what is written elsewhere.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.common.utils import normalizeReference
from markdown_it.token import Token

from blog_search_mcp.index.store.link_targets import place
from blog_search_mcp.index.types import Chunk, Mention
from blog_search_mcp.ingest.markdown.blocks import Structure, structure
from blog_search_mcp.ingest.markdown.plain_text import MAX_BRACKETS, plain
from blog_search_mcp.ingest.markdown.preprocess import block_tokens

_INLINE = MarkdownIt("commonmark")

_DEFINITION = re.compile(r"^ {0,3}\[([^\[\]^][^\[\]\n]*)\]:[ \t]*<?([^\s<>]+)[^\n]*$", re.MULTILINE)
_REFERENCE = re.compile(
    r"\{\{[<%]\s*(?:rel)?ref\s+[\"'`]?([^\s\"'`]+)[\"'`]?\s*[%>]\}\}"
    r"|\{%-?\s*(?:post_url|link)\s+([^\s%]+)\s*-?%\}"
)
"""What Hugo and Jekyll write for the address of another file."""
_WIKI_LINK = re.compile(r"(?<!!)\[\[([^\[\]|\n]+?)(?:\\?\|([^\[\]\n]*))?\]\]")

_FIRST = re.compile(r"(?:\[[ xX]\] +)?[*_~]*\[")
_WHOLLY = re.compile(r"[*_]*\[[^\[\]]*\](?:\([^()]*\)|\[[^\[\]]*\])[*_]*")
"""What begins with a link, and what is nothing but one."""

_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)
_FILE = re.compile(r"\.(?!(?:mdx?|markdown|html?)$)[a-z][a-z0-9]{0,4}$", re.IGNORECASE)
"""The ending of something that is no page."""


@dataclass(frozen=True, slots=True)
class _Unit:
    kind: str
    """`heading`, `row`, `item` or `paragraph`."""
    source: str
    """Its Markdown, the cells of a row apart by line breaks."""


def mentions(body: str, passages: Sequence[Chunk], base_url: str = "") -> tuple[Mention, ...]:
    """What the chunks of one post, whose whole text is `body`, say of other posts.

    Links below `base_url`, where the blog is published, count as links inside it.
    """
    return mentions_in(structure(body), passages, base_url)


def mentions_in(
    parsed: Structure, passages: Sequence[Chunk], base_url: str, first_line: int = 1
) -> tuple[Mention, ...]:
    """As `mentions`, of a body that is parsed already and begins on its file's `first_line`."""
    body = parsed.body
    definitions = {normalizeReference(label): href for label, href in _DEFINITION.findall(body)}
    inside = _inside(base_url)
    link = re.compile(r"\[") if any(map(inside.match, definitions.values())) else _link(base_url)
    return tuple(
        Mention(chunk.index, address, text, is_pointer)
        for chunk in passages
        if link.search(chunk.text)
        for source, text, is_pointer in _said(list(_units(chunk, parsed, first_line)), link)
        for address in _addresses(source, chunk.source, definitions, base_url)
    )


@cache
def _inside(base_url: str) -> re.Pattern[str]:
    """What a target begins with that may lead inside the blog; most lead to another host."""
    host = re.escape(base_url.partition("://")[2]) or "(?!)"
    return re.compile(rf"\s*<?(?!#|https?://(?!{host})[\w.-]+(?![\w.-]))", re.I | re.A)


@cache
def _link(base_url: str) -> re.Pattern[str]:
    """What a passage holds that links inside the blog, if no definition does."""
    return re.compile(rf"\]\({_inside(base_url).pattern}|\[\[|\{{[{{%]", re.I | re.A)


def _said(units: Sequence[_Unit], link: re.Pattern[str]) -> Iterator[tuple[str, str, bool]]:
    """The Markdown of each unit with links in it, what it says, and whether it is a pointer.

    `link` finds what may be one; only an address in angle brackets is none of those.
    """
    for unit, below in pairwise([*units, _Unit("end", "")]):
        if "[" not in unit.source or not (link.search(unit.source) or "<" in unit.source):
            continue
        if unit.kind == "heading" and below.kind == "paragraph" and _WHOLLY.fullmatch(unit.source):
            yield unit.source, f"{plain(unit.source)}\n{plain(below.source)}", True
        else:
            text = " ".join(filter(None, map(plain, unit.source.split("\n\n"))))
            listed = unit.kind in ("item", "row")
            yield unit.source, text, listed and bool(_FIRST.match(unit.source))


def _units(chunk: Chunk, parsed: Structure, first_line: int) -> Iterator[_Unit]:
    cells: list[str] | None = None
    lists, heading = 0, False
    known = parsed.tokens_at(chunk.first_line - first_line, chunk.text)
    passage = _spelled_out(chunk.text)
    for token in block_tokens(passage, known if passage == chunk.text else None):
        if token.type == "inline" and cells is not None:
            cells.append(token.content)
        elif token.type == "inline":
            kind = "heading" if heading else "item" if lists else "paragraph"
            yield _Unit(kind, token.content)
        elif token.type == "tr_open":
            cells = []
        elif token.type == "tr_close" and cells is not None:
            yield _Unit("row", "\n\n".join(cells))
            cells = None
        lists += {"list_item_open": 1, "list_item_close": -1}.get(token.type, 0)
        heading = token.type == "heading_open"


def _spelled_out(passage: str) -> str:
    """Generators' and editors' ways to write a link as plain Markdown."""
    named = _REFERENCE.sub(lambda found: found[1] or found[2], _DEFINITION.sub("", passage))
    return _WIKI_LINK.sub(lambda link: f"[{link[2] or link[1]}](<{link[1].strip()}>)", named)


def _addresses(
    source: str, at: str, definitions: Mapping[str, str], base_url: str
) -> Iterator[str]:
    """Where the links of one unit lead inside the blog, each once."""
    if source.count("[") > MAX_BRACKETS:
        return
    known = {label: {"href": href, "title": ""} for label, href in definitions.items()}
    env: dict[str, Any] = {"references": known}
    tokens: list[Token] = []
    _INLINE.inline.parse(source, _INLINE, env, tokens)
    hrefs = (str(token.attrs["href"]) for token in tokens if token.type == "link_open")
    found = (_address(unquote(href), at, base_url) for href in hrefs)
    yield from dict.fromkeys(filter(None, found))


def _address(href: str, at: str, base_url: str) -> str:
    """The place a link leads to, `""` if it is none of the blog's."""
    path = re.split(r"[#?]", href, maxsplit=1)[0]
    if base_url and path.startswith(f"{base_url}/"):
        path = path[len(base_url) :]
    if not path or _ELSEWHERE.match(path) or _FILE.search(path):
        return ""
    return place(posixpath.normpath(posixpath.join("/", posixpath.dirname(at), path)))
