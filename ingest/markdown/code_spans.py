"""Markdown and its block tokens come in; where its code lies goes out.

What a site generator adds is looked for outside code alone. Blocks of code are markdown-it's own
finding; code between backticks is paired here, inside one paragraph at a time, since the inline
parser knows no positions.
"""

import re
import sys
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import TypeAlias

from markdown_it.token import Token

Span: TypeAlias = tuple[int, int]
"""Character offsets, half open."""

_BACKTICKS = re.compile(r"`+")


class Code:
    """Where the code of a passage lies; that between backticks is looked for when first asked."""

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
        """Tell whether the character at `place` stands in a fence or in indented code."""
        return _inside(place, self._blocks)

    def in_line(self, place: int) -> bool:
        """Tell whether the character at `place` stands between backticks."""
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
                for span in inline_code(self._markdown, start, end)
            ]
        return self._inline


def inline_code(source: str, start: int = 0, end: int = sys.maxsize) -> Iterator[Span]:
    """Spans of one paragraph between runs of backticks that pair up, the backticks included.

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
