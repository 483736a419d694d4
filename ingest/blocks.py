"""A post's body as a tree of Markdown blocks: text in, nested character spans out.

The parser (markdown-it-py) decides what is a heading, a fence or a table row;
here its line ranges become spans that tile the body: what belongs to no token
(reference definitions, blank lines) goes to the block before it, so that no
character can be lost by a later step.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate, pairwise

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from ingest.templated_code import fenced

_PARSER = MarkdownIt("commonmark").enable("table").disable(["inline", "text_join"])

_DIVISIBLE = {"bullet_list", "ordered_list", "list_item", "blockquote", "table", "thead", "tbody"}
"""Blocks that may be cut between their children; everything else is cut nowhere or by sentence."""

LONGEST_HEADING = 300
"""Characters of a heading's Markdown; a longer one (a paragraph right above `---`) is text, which
is not repeated above every passage below it."""


@dataclass(frozen=True, slots=True)
class Block:
    """One block and the span of the body it covers, up to the block that follows."""

    kind: str
    """markdown-it's name: `heading`, `paragraph`, `fence`, `table`, `tr`, …"""
    start: int
    end: int
    """Character offsets into the body, half open."""
    level: int = 0
    """1 to 6 for a heading, else 0."""
    heading: str = ""
    """A heading's own Markdown, without its marks."""
    children: tuple[Block, ...] = ()
    """Where the block may be cut; empty if it may not be, or only by sentence."""


def blocks(body: str) -> tuple[Block, ...]:
    """The top-level blocks of `body`, which tile it from its first to its last character."""
    offsets = [0, *accumulate(len(line) + 1 for line in body.split("\n"))]
    offsets[-1] = len(body)
    nodes = _mapped(SyntaxTreeNode(_PARSER.parse(fenced(body))).children)
    if not nodes and body.strip():
        return (Block("paragraph", 0, len(body)),)
    return _tile(nodes, 0, len(body), offsets)


def _mapped(nodes: list[SyntaxTreeNode]) -> list[SyntaxTreeNode]:
    return [node for node in nodes if node.map is not None]


def _tile(
    nodes: list[SyntaxTreeNode], start: int, end: int, offsets: list[int]
) -> tuple[Block, ...]:
    """Blocks of `nodes` that share out the span: each runs until the next one begins."""
    if not nodes:
        return ()
    begins = [start, *(offsets[_first_line(node)] for node in nodes[1:]), end]
    return tuple(
        _block(node, span[0], span[1], offsets)
        for node, span in zip(nodes, pairwise(begins), strict=True)
    )


def _first_line(node: SyntaxTreeNode) -> int:
    lines = node.map
    assert lines is not None
    return lines[0]


def _block(node: SyntaxTreeNode, start: int, end: int, offsets: list[int]) -> Block:
    if node.type == "heading":
        words = node.children[0].content
        if len(words) > LONGEST_HEADING:
            return Block("paragraph", start, end)
        return Block("heading", start, end, int(node.tag[1]), words)
    inner = _mapped(node.children) if node.type in _DIVISIBLE else []
    return Block(node.type, start, end, children=_tile(inner, start, end, offsets))
