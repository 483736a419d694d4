"""A post's body as a tree of Markdown blocks: text in, nested character spans out.

The parser (markdown-it-py) decides what is a heading, a fence or a table row;
here its line ranges become spans that tile the body: what belongs to no token
(reference definitions, blank lines) goes to the block before it, so that no
character can be lost by a later step.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

_FENCE = "~" * 24
"""Longer than any fence in the code it encloses."""

_MARK = re.compile(
    r"^[ \t>]*(?:[-*+][ \t]+|\d+[.)][ \t]+)?(?P<fence>`{3,}(?=[^`\n]*$)|~{3,})(?P<info>[^\n]*)$"
    r"|^(?P<indent> {0,3})(?:\{%-? *(?P<end>end)?(?P<liquid>highlight|codeblock)\b[^{}\n]*%\}"
    r"|\{\{[<%] *(?P<close>/ *)?(?P<hugo>highlight|mermaid)\b[^\n]*[>%]\}\})[ \t]*$",
    re.MULTILINE,
)
_NAMES = ("highlight", "codeblock", "mermaid")
_CLOSING = re.compile(r"endhighlight|endcodeblock|/ *(?:highlight|mermaid)")


def fenced(markdown: str) -> str:
    """Write code between tags that stand alone on their lines as a fence.

    What stands in a fence already is left as it is, and so is a tag that is never closed.
    """
    if not any(word in markdown for word in _NAMES) or not _CLOSING.search(markdown):
        return markdown
    marks = list(_MARK.finditer(markdown))
    last = {_name(mark): mark.start() for mark in marks if _is_closing(mark)}
    pieces, written, inside = [], 0, ""
    for mark in marks:
        if not (_ends(mark, inside) if inside else _begins(mark, last)):
            continue
        if name := _name(mark):
            pieces += [markdown[written : mark.start()], mark["indent"], _FENCE]
            written = mark.end()
        inside = "" if inside else name or mark["fence"]
    return "".join([*pieces, markdown[written:]])


def _name(mark: re.Match[str]) -> str:
    return mark["liquid"] or mark["hugo"] or ""


def _is_closing(mark: re.Match[str]) -> bool:
    return bool(mark["end"] or mark["close"])


def _begins(mark: re.Match[str], last: Mapping[str, int]) -> bool:
    if mark["fence"]:
        return True
    return not _is_closing(mark) and last.get(_name(mark), -1) > mark.start()


def _ends(mark: re.Match[str], inside: str) -> bool:
    if mark["fence"]:
        return mark["fence"].startswith(inside) and not mark["info"].strip()
    return _is_closing(mark) and _name(mark) == inside


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


@dataclass(frozen=True, slots=True)
class Structure:
    """A parsed body."""

    body: str
    blocks: tuple[Block, ...]
    """The top-level ones, which tile it from its first to its last character."""
    offsets: list[int]
    """Where each line begins, and the end of the last."""
    tokens: Sequence[Token]
    """Those of `body`; none if it was not read as it stands."""
    starts: list[int]
    """Where the first line of each top-level block begins."""
    places: list[int]
    """The place of each of them in `tokens`, and the end of the last."""

    def tokens_of(self, start: int, end: int) -> Sequence[Token] | None:
        """The tokens of `body[start:end]` if it is whole top-level blocks, else `None`.

        Their lines are counted from the beginning of `body`.
        """
        first = bisect_left(self.starts, start)
        last = bisect_left(self.starts, end)
        if first >= last or self.starts[first] != start:
            return None
        following = self.starts[last] if last < len(self.starts) else len(self.body)
        if self.body[end:following].strip():
            return None
        return self.tokens[self.places[first] : self.places[last]]

    def tokens_at(self, line: int, text: str) -> Sequence[Token] | None:
        """As `tokens_of`, of `text` as it begins on a line, from 0."""
        start = self.offsets[line] if 0 <= line < len(self.offsets) else -1
        if start < 0 or not self.body.startswith(text, start):
            return None
        return self.tokens_of(start, start + len(text))


def structure(body: str) -> Structure:
    """Parse `body`."""
    offsets = [0, *accumulate(len(line) + 1 for line in body.split("\n"))]
    offsets[-1] = len(body)
    markdown = fenced(body)
    tokens = _PARSER.parse(markdown)
    nodes = list(_nodes(tokens, 0, len(tokens)))
    tree = _tile(tokens, nodes, 0, len(body), offsets)
    if not nodes and body.strip():
        tree = (Block("paragraph", 0, len(body)),)
    if markdown != body or "\r" in body:
        return Structure(body, tree, offsets, (), [], [])
    starts = [offsets[node.line] for node in nodes]
    return Structure(body, tree, offsets, tokens, starts, [*(n.start for n in nodes), len(tokens)])


def blocks(body: str) -> tuple[Block, ...]:
    """The top-level blocks of `body`, which tile it from its first to its last character."""
    return structure(body).blocks


@dataclass(frozen=True, slots=True)
class _Node:
    """A block among the tokens."""

    start: int
    end: int
    """Places of its tokens, half open."""
    line: int
    """From which on it stands."""


def _nodes(tokens: Sequence[Token], at: int, end: int) -> Iterator[_Node]:
    """The outermost blocks among these tokens that have lines of their own."""
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


def _tile(
    tokens: Sequence[Token], nodes: Sequence[_Node], start: int, end: int, offsets: list[int]
) -> tuple[Block, ...]:
    """Blocks of `nodes` that share out the span: each runs until the next one begins."""
    if not nodes:
        return ()
    begins = [start, *(offsets[node.line] for node in nodes[1:]), end]
    return tuple(
        _block(tokens, node, span[0], span[1], offsets)
        for node, span in zip(nodes, pairwise(begins), strict=True)
    )


def _block(tokens: Sequence[Token], node: _Node, start: int, end: int, offsets: list[int]) -> Block:
    opening = tokens[node.start]
    kind = opening.type.removesuffix("_open")
    if kind == "heading":
        words = tokens[node.start + 1].content
        if len(words) > LONGEST_HEADING:
            return Block("paragraph", start, end)
        return Block("heading", start, end, int(opening.tag[1]), words)
    if kind not in _DIVISIBLE:
        return Block(kind, start, end)
    inner = list(_nodes(tokens, node.start + 1, node.end - 1))
    return Block(kind, start, end, children=_tile(tokens, inner, start, end, offsets))
