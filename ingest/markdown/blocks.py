"""The tree of a body's blocks.

The parser decides what is a heading, a fence or a table row; here its line ranges become spans
that tile the body: what belongs to no token (link definitions, blank lines) goes to the block
before it, so that no character can be lost by a later step.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from markdown_it.token import Token

from blog_search_mcp.ingest.documents.base import Block
from blog_search_mcp.ingest.markdown.plain_text import strip_markup

_DIVISIBLE = {"bullet_list", "ordered_list", "list_item", "blockquote", "table", "thead", "tbody"}
"""Blocks that may be cut between their children; everything else is cut nowhere or by sentence."""

LONGEST_HEADING = 300
"""Characters of a heading's Markdown; a longer one (a paragraph right above `---`) is text, which
is not repeated above every passage below it."""

_OPENING = re.compile(r"^ *(?P<marks>[^\n`~]{0,40}?(?:`{3,}|~{3,}))", re.MULTILINE)
_ANY_FENCE = "~" * 24
"""Opens code between template tags, which have no fence to repeat."""


@dataclass(frozen=True, slots=True)
class Node:
    """A block among the tokens."""

    start: int
    end: int
    """Places of its tokens, half open."""
    line: int
    """The line on which it begins, from 0."""


def line_offsets(text: str) -> list[int]:
    """Where each line begins, and the end of the last."""
    offsets = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
    offsets[-1] = len(text)
    return offsets


def find_nodes(tokens: Sequence[Token], at: int, end: int) -> Iterator[Node]:
    """Find the outermost blocks among these tokens that have lines of their own."""
    while at < end:
        start, level = at, tokens[at].level
        if tokens[at].nesting == 1:
            at += 1
            while tokens[at].level != level:
                at += 1
        at += 1
        lines = tokens[start].map
        if lines is not None:
            yield Node(start, at, lines[0])


class BlockTree:
    """Builds the blocks of one body from its tokens."""

    def __init__(self, text: str, tokens: Sequence[Token], offsets: Sequence[int]) -> None:
        self._text = text
        self._tokens = tokens
        self._offsets = offsets

    def tile(self, nodes: Sequence[Node], start: int, end: int) -> tuple[Block, ...]:
        """Share the span out among `nodes`: each block runs until the next one begins."""
        if not nodes:
            return ()
        begins = [start, *(self._offsets[node.line] for node in nodes[1:]), end]
        spans = zip(nodes, pairwise(begins), strict=True)
        return tuple(self._block(node, *span) for node, span in spans)

    def _block(self, node: Node, start: int, end: int) -> Block:
        opening = self._tokens[node.start]
        kind = opening.type.removesuffix("_open")
        if kind == "heading":
            source = self._tokens[node.start + 1].content
            if len(source) > LONGEST_HEADING:
                return Block("paragraph", start, end)
            return Block(kind, start, end, int(opening.tag[1]), strip_markup(source))
        if kind == "fence":
            marks = _OPENING.search(self._text, start, end)
            return Block(kind, start, end, opening=f"{marks['marks'] if marks else _ANY_FENCE}\n")
        if kind not in _DIVISIBLE:
            return Block(kind, start, end)
        inner = list(find_nodes(self._tokens, node.start + 1, node.end - 1))
        return Block(kind, start, end, children=self.tile(inner, start, end))
