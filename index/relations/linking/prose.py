"""Find the words of a text that a link may be put on, where they stand in its Markdown.

No word of a heading, of code, of a link or picture, of HTML or of generator syntax is one of them.
Those of a quotation tell what the text is about, but are another's.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from blog_search_mcp.index.analysis.tokenizer import Term, terms
from blog_search_mcp.index.posts.markdown.parser import (
    Token,
    find_inline_code,
    is_inside,
    line_offsets,
    parse_blocks,
)
from blog_search_mcp.index.types import Chunk

MASK = "\0"
"""Stands for each character that is no prose, so that places stay."""

_MASKED = re.compile(
    r"""
      <a\b[^<>]*>.{0,1000}?</a\s*>
    | <!--.{0,1000}?-->
    | </?[A-Za-z][^<>]*>
    | <[^\s<>:@]++[:@][^\s<>]++>
    | \{\{.{0,1000}?\}\} | \{%.{0,1000}?%\} | \{[^{}\n]*\}
    | \$\$.*?\$\$
    | (?:https?://|www\.)[^\s<>()\u3000-\u30ff\uff00-\uffef]+
    | [^\s<>()]{1,64}@[^\s<>()]+                # RFC 5321, 4.5.3.1.1: 64 before the sign
    | ^[ \t]*(?:import|export)\s[^\n]*(?=[;{"']) [^\n]*$
    | ^[ \t]*(?::::*|!!!|\?\?\?)[^\n]*$
    | ^[ \t>]*(?:[-*+]|\d+[.)])(?=[ \t])
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
"""The end of a tag or shortcode is looked for near its beginning, or each would read a whole text
of beginnings."""
_BRACKETED = re.compile(r"!?\[[^\[\]]*\](?:\((?:[^()]|\([^()]*\))*\)|[ ]?\[[^\[\]]*\]|:[ \t]*\S+)?")
_NESTED = 4
"""Brackets in brackets that are masked: a picture in a link in a list of links."""

_CALLOUT = re.compile(r"[ \t>]*\[!")
"""Begins what looks like a quotation and is the author's, for GitHub and Obsidian."""
_SENTENCE_END = re.compile(r"[.!?](?=[\s\"'”’)*_]|$)|[。！？；｜|]|\n[ \t]*\n")
_UNLINKABLE = re.compile(r"[\0*_`\[\]<>|\\]|\n[ \t]*(?:\n|[>#:+*\-|])")
"""What words under a link may not hold: other markup, or the marks of another block."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """Words that stand together."""

    start: int
    end: int
    """Place in the text, half open."""
    terms: tuple[Term, ...]
    """With their places in the text; those before and behind what is masked too."""


@dataclass(frozen=True, slots=True)
class Prose:
    """A text and where in it links may be put."""

    text: str
    """Markdown, without front matter."""
    masked: str
    """As long as `text`, MASK for each character outside prose."""
    sentences: tuple[Sentence, ...]
    lines: tuple[int, ...]
    """By line of `text`, the line of the file."""
    offsets: tuple[int, ...]
    """Where each line of `text` begins, and its end."""
    quoted: tuple[tuple[int, int], ...] = ()
    """Where quotations stand, in order."""

    def line_of(self, place: int) -> int:
        """Return the line of the file that holds the character at `place`."""
        return self.lines[min(bisect_right(self.offsets, place), len(self.lines)) - 1]

    def is_linkable(self, start: int, end: int) -> bool:
        """Whether a link may be put on `text[start:end]`."""
        return _UNLINKABLE.search(self.masked, start, end) is None

    def is_quoted(self, place: int) -> bool:
        """Whether the character at `place` stands in a quotation."""
        return is_inside(place, self.quoted)


def find_prose(passages: Sequence[Chunk], language: str) -> Prose:
    """Read the passages of one text, in order; their terms are stemmed as those of `language`."""
    text, lines = _join(passages)
    offsets = line_offsets(text)
    tokens = parse_blocks(text, "body")
    sentences: list[Sentence] = []
    at = 0
    masked = []
    for start, end in _paragraphs(tokens, offsets):
        if start < at:
            continue
        piece = _mask(text[start:end])
        masked += [MASK * (start - at), piece]
        sentences += _sentences(piece, start, language)
        at = end
    masked.append(MASK * (len(text) - at))
    quoted = tuple(_quotations(tokens, text, offsets))
    return Prose(text, "".join(masked), tuple(sentences), lines, tuple(offsets), quoted)


def _join(passages: Sequence[Chunk]) -> tuple[str, tuple[int, ...]]:
    """Join passages to one text; return it with the file's line of each of its lines.

    Passages that share a line are parts of it; lines between passages are blank.
    """
    texts: dict[int, str] = {}
    for passage in passages:
        for number, line in enumerate(passage.text.split("\n"), passage.first_line):
            texts[number] = texts.get(number, "") + line
    if not texts:
        return "", (1,)
    lines = range(min(texts), max(texts) + 1)
    return "\n".join(texts.get(line, "") for line in lines), tuple(lines)


def _paragraphs(tokens: Sequence[Token], offsets: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield where each paragraph, item or row stands that is no heading."""
    row: Sequence[int] | None = None
    is_heading = False
    for token in tokens:
        if token.type in ("heading_open", "heading_close", "th_open", "th_close"):
            is_heading = token.nesting == 1
        elif token.type == "tr_open" and token.map and not is_heading:
            row = token.map
        elif token.type == "td_open" and row:
            yield offsets[row[0]], offsets[min(row[1], len(offsets) - 1)]
            row = None
        elif token.type == "inline" and token.map and not is_heading and token.level:
            first, last = token.map
            yield offsets[first], offsets[min(last, len(offsets) - 1)]


def _quotations(
    tokens: Sequence[Token], text: str, offsets: Sequence[int]
) -> Iterator[tuple[int, int]]:
    """Yield where each outermost quotation stands that is no callout."""
    end = 0
    for token in tokens:
        if token.type == "blockquote_open" and token.map and offsets[token.map[0]] >= end:
            start = offsets[token.map[0]]
            if not _CALLOUT.match(text, start):
                end = offsets[min(token.map[1], len(offsets) - 1)]
                yield start, end


def _mask(piece: str) -> str:
    """Mask what is no prose in a paragraph."""
    for start, end in list(find_inline_code(piece)):
        piece = piece[:start] + MASK * (end - start) + piece[end:]
    piece = _MASKED.sub(_hide, piece)
    for _ in range(_NESTED):
        piece, count = _BRACKETED.subn(_hide, piece)
        if not count:
            break
    return piece


def _hide(found: re.Match[str]) -> str:
    return MASK * len(found[0])


def _sentences(piece: str, offset: int, language: str) -> Iterator[Sentence]:
    ends = [found.end() for found in _SENTENCE_END.finditer(piece)]
    start = 0
    for end in (*ends, len(piece)):
        found = tuple(
            term._replace(start=term.start + start + offset, end=term.end + start + offset)
            for term in terms(piece[start:end], language)
        )
        if found:
            yield Sentence(offset + start, offset + end, found)
        start = end
