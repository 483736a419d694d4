"""The body of a post in Markdown or MDX: its blocks, headings, links and words."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

from blog_search_mcp.index.posts.markdown.inline import (
    Links,
    find_links,
    strip_editor_syntax,
    strip_markup,
)
from blog_search_mcp.index.posts.markdown.parser import (
    CODE,
    FENCE,
    Token,
    line_offsets,
    parse_blocks,
    parse_inline,
    parse_passage,
)

LONGEST_TAG = 60
"""Characters; a longer run of words without spaces is text that lacks them."""

_TAG = re.compile(r"#(?<![^\s（，。、]#)(?<!\]: #)(?=[\w/-]*[^\W\d_])(\w[\w/-]*)(?![\w/#-])")
_COLOUR = re.compile(r"(?=.*\d)(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})|([0-9a-f])\1{2,5}", re.I)

_DIVISIBLE = {"bullet_list", "ordered_list", "list_item", "blockquote", "table", "thead", "tbody"}
"""Blocks that may be cut between their children; everything else is cut nowhere or by sentence."""

_INDENTED = re.compile(r"(?:[ \t]*\n)*( +)\S")
_MARKS = re.compile(r"`{3,}|~{3,}")


@dataclass(frozen=True, slots=True)
class Block:
    """One block and the span of the body it covers, up to the block that follows."""

    kind: str
    """`heading`, `paragraph`, `fence`, `table`, `tr`, …; only a `paragraph` is cut by sentence."""
    start: int
    end: int
    """Character offsets into the body, half open."""
    level: int = 0
    """1 to 6 for a heading, else 0."""
    heading: str = ""
    """A heading's words without markup."""
    children: tuple[Block, ...] = ()
    """Where the block may be cut; empty if it may not be, or only by sentence or line."""


LONGEST_HEADING = 300
"""Characters of a heading's markup; a longer one (a paragraph right above `---`) is text, which
is not repeated above every passage below it."""


@dataclass(frozen=True, slots=True)
class Heading:
    """One heading as a site generator's id function reads it."""

    line: int
    """Of the body, from 0."""
    source: str
    """Its markup, without the marks that make it a heading."""
    tokens: tuple[Token, ...]
    """Its text, parsed."""
    is_top: bool
    """Whether it stands in no list or quotation."""
    before: str
    """The line above it."""
    after: str
    """The line below it."""


class _Node(NamedTuple):
    """A block among the tokens."""

    start: int
    end: int
    """Places of its tokens, half open."""
    line: int
    """The line on which it begins, from 0."""


class Body:
    """A post's text, parsed once, when something of it is first needed."""

    def __init__(self, text: str) -> None:
        """`text` is Markdown whose lines end with LF."""
        self.text = text

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """The top-level blocks, which tile the text."""
        blocks = self._tile(self._nodes, 0, len(self.text))
        is_blank = not self.text.strip()
        return blocks if blocks or is_blank else (Block("paragraph", 0, len(self.text)),)

    @cached_property
    def title(self) -> str:
        """The words of the first level-1 heading that has any."""
        words = (
            self.strip_markup(content.content)
            for opening, content in pairwise(self._tokens)
            if opening.type == "heading_open" and opening.tag == "h1"
        )
        return next(filter(None, words), "")

    @property
    def hashtags(self) -> tuple[str, ...]:
        """The `#tags` among the words, without `#`, in order and without repeats."""
        if not _TAG.search(self.text):
            return ()
        texts = (
            strip_editor_syntax(token.content)
            for paragraph in self._tokens
            if paragraph.type == "inline" and _TAG.search(paragraph.content)
            for token in parse_passage(paragraph.content)
            if token.type == "inline"
        )
        words = (CODE.sub("`", text) for text in texts)
        found = dict.fromkeys(tag for text in words for tag in _TAG.findall(text))
        return tuple(t for t in found if len(t) <= LONGEST_TAG and not _COLOUR.fullmatch(t))

    @cached_property
    def headings(self) -> tuple[Heading, ...]:
        """Every heading, also those in lists and quotations."""
        lines = ["", *self.text.split("\n"), ""]
        spans = [(opening, *(opening.map or (0, 0))) for opening in self._tokens]
        return tuple(
            Heading(
                line=first,
                source=content.content,
                tokens=tuple(parse_inline(content.content, self._parsed[1])),
                is_top=opening.level == 0,
                before=lines[first],
                after=lines[end + 1],
            )
            for (opening, first, end), content in zip(spans, self._tokens[1:], strict=False)
            if opening.type == "heading_open"
        )

    @cached_property
    def links(self) -> Links:
        """Every link, and the ids of elements of HTML."""
        return find_links(*self._parsed)

    def plain_text(self, start: int, end: int) -> str:
        """The words of `text[start:end]`.

        What begins inside a list is read as if its first line were not indented: four spaces
        would make it code. What begins inside code is code.
        """
        passage, first = self.text[start:end], bisect_left(self._starts, start)
        if self._starts[first : first + 1] == [start]:
            return strip_markup(passage, self._labels, self._list_tokens(first, start, end))
        block = self._find_leaf(self.blocks, start)
        if block and block.kind == "fence":
            marks = _MARKS.search(self.text, block.start, start)
            passage = f"{marks[0] if marks else FENCE}\n{passage}"
        elif start and (indented := _INDENTED.match(passage)):
            passage = re.sub(rf"^ {{1,{len(indented[1])}}}", "", passage, flags=re.MULTILINE)
        return strip_markup(passage, self._labels)

    def strip_markup(self, markup: str) -> str:
        """The words of a piece of Markdown."""
        return strip_markup(markup, self._labels)

    @cached_property
    def _parsed(self) -> tuple[Sequence[Token], Mapping[str, Any]]:
        env: dict[str, Any] = {}
        tokens = parse_blocks(self.text, "body", env)
        return tokens, env.get("references", {})

    @cached_property
    def _labels(self) -> frozenset[str]:
        """Those of the links that the text defines."""
        return frozenset(self._parsed[1])

    @property
    def _tokens(self) -> Sequence[Token]:
        return self._parsed[0]

    @cached_property
    def _offsets(self) -> list[int]:
        return line_offsets(self.text)

    @cached_property
    def _nodes(self) -> list[_Node]:
        """The top-level blocks among the tokens."""
        return list(self._find_nodes(0, len(self._tokens)))

    @cached_property
    def _starts(self) -> list[int]:
        """Where the first line of each top-level block begins."""
        return [self._offsets[node.line] for node in self._nodes]

    def _find_nodes(self, at: int, end: int) -> Iterator[_Node]:
        """Find the outermost blocks among these tokens that have lines of their own."""
        tokens = self._tokens
        while at < end:
            start, level = at, tokens[at].level
            if tokens[at].nesting == 1:
                at += 1
                while tokens[at].level != level:
                    at += 1
            at += 1
            lines = tokens[start].map
            if lines is not None:
                yield _Node(start, at, lines[0])

    def _tile(self, nodes: Sequence[_Node], start: int, end: int) -> tuple[Block, ...]:
        """Share the span out among `nodes`: each block runs until the next one begins."""
        if not nodes:
            return ()
        begins = [start, *(self._offsets[node.line] for node in nodes[1:]), end]
        spans = zip(nodes, pairwise(begins), strict=True)
        return tuple(self._make_block(node, *span) for node, span in spans)

    def _make_block(self, node: _Node, start: int, end: int) -> Block:
        opening = self._tokens[node.start]
        kind = opening.type.removesuffix("_open")
        if kind == "heading":
            source = self._tokens[node.start + 1].content
            if len(source) > LONGEST_HEADING:
                return Block("paragraph", start, end)
            return Block(kind, start, end, int(opening.tag[1]), self.strip_markup(source))
        if kind not in _DIVISIBLE:
            return Block(kind, start, end)
        inner = list(self._find_nodes(node.start + 1, node.end - 1))
        return Block(kind, start, end, children=self._tile(inner, start, end))

    def _list_tokens(self, first: int, start: int, end: int) -> Sequence[Token]:
        """Return the tokens of a span from the top-level block `first` on.

        Empty if it ends inside a block, or may hold definitions of links, which are none of a
        body's blocks but one of a passage's.
        """
        last = bisect_left(self._starts, end)
        following = self._starts[last] if last < len(self._starts) else len(self.text)
        is_cut = bool(self.text[end:following].strip())
        if is_cut or (self._labels and "]:" in self.text[start:end]):
            return ()
        return self._tokens[self._nodes[first].start : self._nodes[last - 1].end]

    def _find_leaf(self, blocks: Sequence[Block], place: int) -> Block | None:
        """Return the smallest block that begins before `place` and ends behind it."""
        inside = next((block for block in blocks if block.start < place < block.end), None)
        return (self._find_leaf(inside.children, place) or inside) if inside else None
