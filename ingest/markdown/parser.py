"""Parse CommonMark with tables and strikethrough; the one configuration of markdown-it.

Blocks are parsed without their inline content, which is parsed a paragraph at a time where its
words are needed. A body knows its link definitions. In a passage they are text, since it rarely
holds those of its own links and `[^1]: word` is a footnote; in MDX there is neither indented code
nor a block of HTML. Code between backticks is paired here, one paragraph at a time, because the
inline parser has no positions.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any, Literal, TypeAlias

from markdown_it import MarkdownIt
from markdown_it.common.utils import normalizeReference
from markdown_it.token import Token

MAX_NESTING = 20
"""Nested blocks and spans read, CommonMark presets' own limit; what lies deeper is dropped."""

Dialect: TypeAlias = Literal["body", "passage", "mdx"]


def _block_parser(*without: str) -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"maxNesting": MAX_NESTING}).enable("table")
    parser.disable(without)
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


_BLOCKS: dict[Dialect, MarkdownIt] = {
    "body": _block_parser(),
    "passage": _block_parser("reference"),
    "mdx": _block_parser("reference", "code", "html_block"),
}
_INLINE = MarkdownIt("commonmark", {"maxNesting": MAX_NESTING}).enable("strikethrough")
_INLINE.normalizeLink = str  # type: ignore[assignment, method-assign]  # targets stay as written


def parse_blocks(markdown: str, dialect: Dialect, env: dict[str, Any] | None = None) -> list[Token]:
    """Parse blocks; of a body, `env` receives the link definitions under `references`."""
    return _BLOCKS[dialect].parse(markdown, {} if env is None else env)


def parse_inline(source: str, references: Mapping[str, Any] | Collection[str] = ()) -> list[Token]:
    """Parse one paragraph; `references` are definitions by label, or labels without a target."""
    known = (
        references
        if isinstance(references, Mapping)
        else {normalizeReference(label): {"href": "", "title": ""} for label in references}
    )
    tokens: list[Token] = []
    _INLINE.inline.parse(source, _INLINE, {"references": known}, tokens)
    return tokens


Span: TypeAlias = tuple[int, int]
"""Character offsets, half open."""

_BACKTICKS = re.compile(r"`+")


class CodeSpans:
    """Where the code of a passage lies; code between backticks is found when first needed."""

    def __init__(self, markdown: str, tokens: Sequence[Token], first_line: int = 0) -> None:
        """The lines of `tokens` are counted from `first_line`, on which `markdown` begins."""
        self._markdown = markdown
        self._first_line = first_line
        self._tokens = tokens
        self._offsets = [0, *accumulate(len(line) + 1 for line in markdown.split("\n"))]
        self._blocks = [
            self._lines(token) for token in tokens if token.type in ("fence", "code_block")
        ]
        self._inline: list[Span] | None = None

    def in_block(self, place: int) -> bool:
        """Whether the character at `place` stands in a fence or in indented code."""
        return _inside(place, self._blocks)

    def in_line(self, place: int) -> bool:
        """Whether the character at `place` stands between backticks."""
        return _inside(place, self._between_backticks())

    def _lines(self, token: Token) -> Span:
        first, end = token.map or (self._first_line, self._first_line)
        last = len(self._offsets) - 1
        return self._offsets[first - self._first_line], self._offsets[
            min(end - self._first_line, last)
        ]

    def _between_backticks(self) -> list[Span]:
        if self._inline is None:
            starts = sorted({0, *(self._lines(token)[0] for token in self._tokens)})
            paragraphs = zip(starts, [*starts[1:], len(self._markdown)], strict=True)
            self._inline = [
                span
                for start, end in paragraphs
                if not _inside(start, self._blocks)
                for span in find_inline_code(self._markdown, start, end)
            ]
        return self._inline


def find_inline_code(source: str, start: int = 0, end: int = sys.maxsize) -> Iterator[Span]:
    """Find the spans of a paragraph between backticks that pair up, the backticks included.

    As in CommonMark: an escaped backtick opens nothing, and what is escaped in code is code.
    """
    runs = list(_BACKTICKS.finditer(source, start, end))
    closing = _closing(runs)
    at = 0
    while at < len(runs):
        close = None if _is_escaped(source, runs[at].start()) else closing.get(at)
        if close is not None:
            yield runs[at].start(), runs[close].end()
        at = at + 1 if close is None else close + 1


def _closing(runs: Sequence[re.Match[str]]) -> dict[int, int]:
    """Where each run of backticks finds the next of its length."""
    closing: dict[int, int] = {}
    latest: dict[int, int] = {}
    for at, run in enumerate(runs):
        length = run.end() - run.start()
        if length in latest:
            closing[latest[length]] = at
        latest[length] = at
    return closing


def _is_escaped(source: str, place: int) -> bool:
    before = source[max(0, place - 20) : place]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 1


def _inside(place: int, spans: Sequence[Span]) -> bool:
    at = bisect_right(spans, place, key=lambda span: span[0]) - 1
    return at >= 0 and place < spans[at][1]
