"""Find the words of a text that a link may be put on, where they stand in its Markdown.

No word of a heading, of a quotation, of code, of a link or picture, of HTML or of generator syntax
is one of them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from blog_search_mcp.index.analysis.tokenizer import Term, terms
from blog_search_mcp.index.posts.markdown.parser import (
    find_inline_code,
    line_offsets,
    parse_blocks,
)
from blog_search_mcp.index.types import Chunk

MASK = "\0"
"""Stands for each character that is no prose, so that places stay."""

_APART = {"heading_open", "blockquote_open", "fence", "code_block", "html_block"}
"""Blocks in which no link is put."""
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

_PARAGRAPH_END = re.compile(r"\n[ \t]*\n")
_SENTENCE_END = re.compile(rf"[.!?](?=[\s\"'”’)*_]|$)|[。！？；｜|]|{_PARAGRAPH_END.pattern}")
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
    """As long as `text`, MASK or a line break for each character outside prose."""
    sentences: tuple[Sentence, ...]
    first_line: int
    """Line of the file that `text` begins with."""
    offsets: tuple[int, ...]
    """Where each line of `text` begins, and its end."""

    def line_of(self, place: int) -> int:
        """Return the line of the file that holds the character at `place`."""
        return self.first_line + min(bisect_right(self.offsets, place), len(self.offsets) - 1) - 1

    def is_linkable(self, start: int, end: int) -> bool:
        """Whether a link may be put on `text[start:end]`."""
        return _UNLINKABLE.search(self.masked, start, end) is None


def find_prose(passages: Sequence[Chunk], language: str) -> Prose:
    """Read the passages of one text, in order; their terms are stemmed as those of `language`.

    Passages that share a line are parts of it; lines between passages are blank.
    """
    lines: dict[int, str] = {}
    for passage in passages:
        for number, line in enumerate(passage.text.split("\n"), passage.first_line):
            lines[number] = lines.get(number, "") + line
    first = min(lines, default=1)
    text = "\n".join(lines.get(number, "") for number in range(first, max(lines, default=1) + 1))
    offsets = line_offsets(text)
    masked = text
    for token in parse_blocks(text, "body"):
        if token.type in _APART and token.map:
            start, end = (offsets[min(line, len(offsets) - 1)] for line in token.map)
            masked = masked[:start] + "\n" * (end - start) + masked[end:]
    bounds = [0, *(match.end() for match in _PARAGRAPH_END.finditer(masked)), len(masked)]
    masked = "".join(_mask(masked[start:end]) for start, end in pairwise(bounds))
    return Prose(text, masked, tuple(_find_sentences(masked, language)), first, tuple(offsets))


def _mask(paragraph: str) -> str:
    """Mask what is no prose in a paragraph."""
    for start, end in list(find_inline_code(paragraph)):
        paragraph = paragraph[:start] + MASK * (end - start) + paragraph[end:]
    for pattern in (_MASKED, *[_BRACKETED] * _NESTED):
        paragraph = pattern.sub(lambda match: MASK * len(match[0]), paragraph)
    return paragraph


def _find_sentences(text: str, language: str) -> Iterator[Sentence]:
    bounds = [0, *(match.end() for match in _SENTENCE_END.finditer(text)), len(text)]
    for start, end in pairwise(bounds):
        moved = (
            term._replace(start=term.start + start, end=term.end + start)
            for term in terms(text[start:end], language)
        )
        if words := tuple(moved):
            yield Sentence(start, end, words)
