"""A Markdown body, parsed once: its blocks, headings, links, hashtags and words.

The words of a passage are those it has by itself, whatever stands around it: only where that is
the same are the tokens of the whole body used for it, and else the passage is parsed again.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

from markdown_it.token import Token

from blog_search_mcp.ingest.documents.base import Block, Heading
from blog_search_mcp.ingest.markdown.blocks import BlockTree, Node, find_nodes, line_offsets
from blog_search_mcp.ingest.markdown.headings import read_headings
from blog_search_mcp.ingest.markdown.links import find_hashtags, find_links
from blog_search_mcp.ingest.markdown.parser import parse_blocks
from blog_search_mcp.ingest.markdown.plain_text import strip_markup
from blog_search_mcp.ingest.markdown.preprocess import fence_tagged_code


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
