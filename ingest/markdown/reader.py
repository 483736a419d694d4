"""Markdown and MDX posts with front matter."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any

from markdown_it.token import Token

from blog_search_mcp.ingest.documents.base import Block, Document, Heading
from blog_search_mcp.ingest.documents.decode import Decoded, decode
from blog_search_mcp.ingest.documents.frontmatter import split_front_matter
from blog_search_mcp.ingest.documents.metadata import describe_post, read_title
from blog_search_mcp.ingest.markdown.headings import read_headings
from blog_search_mcp.ingest.markdown.parser import parse_blocks, parse_inline
from blog_search_mcp.ingest.markdown.plain_text import (
    MAX_BRACKETS,
    strip_editor_syntax,
    strip_markup,
)
from blog_search_mcp.ingest.markdown.preprocess import fence_tagged_code, parse_passage


def find_links(tokens: Sequence[Token], references: Mapping[str, Any]) -> tuple[str, ...]:
    """Find the targets of links as written, in order and without repeats.

    `references` are the body's link definitions. Pictures are no links.
    """
    return tuple(dict.fromkeys(filter(None, _targets(tokens, references))))


def _targets(tokens: Sequence[Token], references: Mapping[str, Any]) -> Iterator[str]:
    for paragraph in tokens:
        source = paragraph.content
        if paragraph.type != "inline" or not ("[" in source or "<" in source):
            continue
        if source.count("[") > MAX_BRACKETS:
            continue
        for token in parse_inline(source, references):
            if token.type == "link_open":
                yield str(token.attrs["href"])


MAX_LENGTH = 60
"""Characters; a longer run of words without spaces is text that lacks them."""

_TAG = re.compile(r"#(?<![^\s（，。、]#)(?<!\]: #)(?=[\w/-]*[^\W\d_])([\w/-]+)(?![\w/#-])")
_COLOUR = re.compile(r"(?=.*\d)(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})|([0-9a-f])\1{2,5}", re.I)


def find_hashtags(body: str, tokens: Callable[[], Sequence[Token]]) -> tuple[str, ...]:
    """Find the tags in order, without repeats; `tokens` parses `body`, if it may hold any."""
    if not _TAG.search(body):
        return ()
    paragraphs = (token.content for token in tokens() if token.type == "inline")
    words = (
        strip_editor_syntax(token.content, hide_code=True)
        for paragraph in paragraphs
        if _TAG.search(paragraph)
        for token in parse_passage(paragraph)
        if token.type == "inline"
    )
    found = (tag for text in words for tag in _TAG.findall(text) if _is_tag(tag))
    return tuple(dict.fromkeys(found))


def _is_tag(tag: str) -> bool:
    return len(tag) <= MAX_LENGTH and not _COLOUR.fullmatch(tag)


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


class MarkdownBody:
    """A `Body` (`ingest.documents.base`) of Markdown; parsed at first use."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """The top-level blocks, which tile the text."""
        tree = BlockTree(self.text, self._tokens, self._offsets)
        blocks = tree.tile(self._nodes, 0, len(self.text))
        is_blank = not self.text.strip()
        return blocks if blocks or is_blank else (Block("paragraph", 0, len(self.text)),)

    @cached_property
    def title(self) -> str:
        """The words of the first level-1 heading that has any."""
        words = (
            strip_markup(content.content)
            for opening, content in pairwise(self._tokens)
            if opening.type == "heading_open" and opening.tag == "h1"
        )
        return next(filter(None, words), "")

    @property
    def hashtags(self) -> tuple[str, ...]:
        """The `#tags` among the words."""
        return find_hashtags(self.text, lambda: self._tokens)

    @property
    def headings(self) -> tuple[Heading, ...]:
        """Every heading that a generator renders."""
        return read_headings(self.text, self._tokens, self._parsed[1])

    @property
    def links(self) -> tuple[str, ...]:
        """Targets of ordinary links."""
        return find_links(self._tokens, self._parsed[1])

    def plain_text(self, start: int, end: int) -> str:
        """The words of `text[start:end]`."""
        return strip_markup(self.text[start:end], self._tokens_of(start, end))

    def strip_markup(self, markup: str) -> str:
        """The words of a piece of Markdown."""
        return strip_markup(markup)

    @cached_property
    def _markdown(self) -> str:
        return fence_tagged_code(self.text)

    @cached_property
    def _parsed(self) -> tuple[Sequence[Token], Mapping[str, Any]]:
        env: dict[str, Any] = {}
        tokens = parse_blocks(self._markdown, "body", env)
        return tokens, env.get("references", {})

    @property
    def _tokens(self) -> Sequence[Token]:
        return self._parsed[0]

    @cached_property
    def _offsets(self) -> list[int]:
        return line_offsets(self.text)

    @cached_property
    def _nodes(self) -> list[Node]:
        return list(find_nodes(self._tokens, 0, len(self._tokens)))

    @cached_property
    def _starts(self) -> list[int]:
        """Where the first line of each top-level block begins."""
        return [self._offsets[node.line] for node in self._nodes]

    def _tokens_of(self, start: int, end: int) -> Sequence[Token] | None:
        """The tokens of a span of whole top-level blocks, else `None`."""
        if self._markdown != self.text or "\r" in self.text:
            return None
        first, last = bisect_left(self._starts, start), bisect_left(self._starts, end)
        if first >= last or self._starts[first] != start:
            return None
        following = self._starts[last] if last < len(self._starts) else len(self.text)
        if self.text[end:following].strip():
            return None
        return self._tokens[self._nodes[first].start : self._nodes[last - 1].end]


class MarkdownReader:
    """Reads Markdown and MDX."""

    def read(self, data: bytes, source: str) -> Document:
        """Decode, split off the front matter and describe the post. Raises UnreadablePost."""
        decoded = decode(data)
        front = split_front_matter(decoded.text)
        body = MarkdownBody(front.body)
        heading = "" if read_title(front.fields) else body.title
        return Document(
            post=describe_post(front.fields, source, heading, body.hashtags),
            fields=front.fields,
            body=body,
            first_line=front.first_line,
            problems=(*_list_problems(decoded), *filter(None, (front.problem,))),
        )


def _list_problems(decoded: Decoded) -> tuple[str, ...]:
    problems = []
    if not decoded.encoding.startswith("utf"):
        problems.append(f"it is not UTF-8 and was read as {decoded.encoding}")
    if decoded.repaired:
        problems.append(f"{decoded.repaired} of its characters could not be read")
    return tuple(problems)
