"""Parse CommonMark with tables and strikethrough; the one configuration of markdown-it.

Blocks are parsed without their inline content, which is parsed a paragraph at a time where its
words are needed. A body knows its link definitions. In a passage they are text, since it rarely
holds those of its own links and `[^1]: word` is a footnote; in MDX there is neither indented code
nor a block of HTML. Code between backticks is paired here, one paragraph at a time, because the
inline parser has no positions.
"""

import re
import sys
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any, Literal, TypeAlias

from markdown_it import MarkdownIt
from markdown_it.common.utils import normalizeReference
from markdown_it.token import Token as Token

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


_DEFINITION = re.compile(
    r"^ {0,3}\[(?!\^)([^\[\]\n]{1,999})\]:[ \t]*\n?[ \t]*<?([^\s<>]+)", re.MULTILINE
)


def find_definitions(markdown: str) -> dict[str, Any]:
    """Find the link definitions anywhere in a post, as `parse_inline` takes them."""
    found: dict[str, Any] = {}
    for label, target in _DEFINITION.findall(markdown):
        found.setdefault(normalizeReference(label), {"href": target, "title": ""})
    return found


Span: TypeAlias = tuple[int, int]
"""Character offsets, half open."""

_BACKTICKS = re.compile(r"`+")


def line_offsets(text: str) -> list[int]:
    """Where each line begins, and the end of the last."""
    offsets = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
    offsets[-1] = len(text)
    return offsets


def find_code(markdown: str, tokens: Sequence[Token], first_line: int = 0) -> list[Span]:
    """Find fences, indented code and code between backticks, in order.

    The lines of `tokens` are counted from `first_line`, on which `markdown` begins.
    """
    offsets = line_offsets(markdown)
    lines = [(token, *(token.map or (first_line, first_line))) for token in tokens]
    spans = [
        (offsets[first - first_line], offsets[min(end - first_line, len(offsets) - 1)])
        for token, first, end in lines
        if token.type in ("fence", "code_block")
    ]
    blocks = spans.copy()
    starts = sorted({0, *(offsets[first - first_line] for _, first, _ in lines)})
    for start, end in pairwise([*starts, len(markdown)]):
        if not is_inside(start, blocks):
            spans += find_inline_code(markdown, start, end)
    return sorted(spans)


def is_inside(place: int, spans: Sequence[Span]) -> bool:
    """Whether one of `spans`, which are sorted, holds the character at `place`."""
    at = bisect_right(spans, place, key=lambda span: span[0]) - 1
    return at >= 0 and place < spans[at][1]


def find_inline_code(source: str, start: int = 0, end: int = sys.maxsize) -> Iterator[Span]:
    """Find the spans of a paragraph between backticks that pair up, the backticks included.

    As in CommonMark: an escaped backtick opens nothing, and what is escaped in code is code.
    """
    runs = list(_BACKTICKS.finditer(source, start, end))
    closing: dict[int, int] = {}  # where each run finds the next of its length
    latest: dict[int, int] = {}
    for at, run in enumerate(runs):
        if len(run[0]) in latest:
            closing[latest[len(run[0])]] = at
        latest[len(run[0])] = at
    at = 0
    while at < len(runs):
        before = source[max(0, runs[at].start() - 20) : runs[at].start()]
        is_escaped = (len(before) - len(before.rstrip("\\"))) % 2 == 1
        close = None if is_escaped else closing.get(at)
        if close is not None:
            yield runs[at].start(), runs[close].end()
        at = at + 1 if close is None else close + 1
