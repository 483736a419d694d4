"""Split what is too long: a paragraph for one passage, a passage for one answer.

A paragraph is cut between sentences, else between words, else (a word of a megabyte) between
characters, never between a character and the marks that belong to it.

A fence, a table or an inlined image is cut nowhere as long as `read_chunk` can return it whole.
What is longer is cut between blocks, else between lines, else where a reader would pause, so
that every character of a post can be read. What its words are taken from is nearly always the
piece itself; but code goes on being code after a cut, and what is long by an inlined file alone
keeps all its words together, in its first piece.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise, takewhile
from typing import TYPE_CHECKING

from blog_search_mcp.index.embedders.base import count_tokens, exceeds
from blog_search_mcp.index.posts.markdown.blocks import Block

if TYPE_CHECKING:
    from blog_search_mcp.index.posts.markdown.body import Body

_SENTENCE = re.compile(
    r".+?(?:[。！？；…]+[」』”’）]*|(?<![.!?;])[.!?;]+[\"')\]]*(?=\s)|\n|\Z)\s*", re.DOTALL
)
"""A run of marks is tried from its first one alone: from each, a line of dots takes minutes."""

_WORD = re.compile(r"\S+\s*|\s+")
_JOINERS = {"\u200d", "\ufe0e", "\ufe0f"}
"""Zero-width joiner and variation selectors: they belong to the character before them."""

MOST_MARKS = 30
"""Marks that belong to one character (Unicode's Stream-Safe Text Format, UAX 15); of more, each is
looked at again from every cut."""


def sentence_ends(text: str, most: int) -> list[int]:
    """Cut `text` into parts of at most `most` word pieces; return their ends.

    Whole sentences are gathered up to `most`, so that a cut comes as late as it may.
    """
    ends: list[int] = []
    gathered = most
    start = 0
    for end in _small_ends(text, most):
        pieces = count_tokens(text[start:end])
        if ends and gathered + pieces <= most:
            ends[-1], gathered = end, gathered + pieces
        else:
            ends.append(end)
            gathered = pieces
        start = end
    return ends


def _small_ends(text: str, most: int) -> Iterator[int]:
    for sentence in _SENTENCE.finditer(text):
        if not exceeds(sentence[0], most):
            yield sentence.end()
            continue
        for word in _WORD.finditer(text, *sentence.span()):
            yield from _ends_in_word(text, word.start(), word.end(), most)


def _ends_in_word(text: str, start: int, end: int, most: int) -> Iterator[int]:
    """The word's end if it fits, else that of each slice of `most` characters."""
    if exceeds(text[start:end], most):
        cut = start + most
        while cut < end:
            cut = _after_marks(text, cut, end)
            yield cut
            cut += most
    yield end


def _after_marks(text: str, cut: int, end: int) -> int:
    """Return the first place from `cut` to `end` that parts no character from its marks."""
    end = min(end, cut + MOST_MARKS)
    while cut < end and _belongs_to_previous(text[cut]):
        cut += 1
    return cut


def _belongs_to_previous(character: str) -> bool:
    return character in _JOINERS or unicodedata.category(character).startswith("M")


_LINE = re.compile(r"[^\n]*\n|[^\n]+")


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a passage."""

    text: str
    words: str
    """Markup whose words are the piece's."""


def split_oversize(body: Body, start: int, end: int, longest: int, most: int) -> list[Piece]:
    """Split a span into pieces of at most `longest` characters each, whose texts joined are it.

    A line of at most `most` word pieces (`index.embedders.base`) is one that an embedder
    reads whole.
    """
    made = (
        piece
        for leaf in _leaves(body.blocks, start, end)
        for piece in _split_leaf(leaf, body.text[leaf.start : leaf.end], longest, most)
    )
    return _gather(made, longest)


def _leaves(tree: Sequence[Block], start: int, end: int) -> Iterator[Block]:
    """The smallest blocks of a span, cut at its ends."""
    first = bisect_right(tree, start, key=lambda block: block.end)
    for block in takewhile(lambda block: block.start < end, islice(tree, first, None)):
        if block.children:
            yield from _leaves(block.children, start, end)
        else:
            yield replace(block, start=max(block.start, start), end=min(block.end, end))


def _split_leaf(leaf: Block, text: str, longest: int, most: int) -> list[Piece]:
    if len(text) <= longest:
        return [Piece(text, text)]
    lines = [piece for line in _LINE.findall(text) for piece in _split_line(line, longest, most)]
    if not leaf.opening:
        return _gather(lines, longest)
    if leaf.opening.rstrip() not in text:
        lines[0] = replace(lines[0], words=leaf.opening)
    first, *others = _gather(lines, longest)
    return [first, *(replace(other, words=leaf.opening + other.words) for other in others)]


def _split_line(line: str, longest: int, most: int) -> Iterator[Piece]:
    if len(line) <= longest:
        yield Piece(line, line)
        return
    for start, end in pairwise([0, *sentence_ends(line, most)]):
        yield from _split_anywhere(line[start:end], longest)


def _split_anywhere(text: str, longest: int) -> Iterator[Piece]:
    """Cut what holds few words for its length: all of them are its first visible piece's."""
    start, words = 0, text
    while start < len(text):
        end = _after_marks(text, min(start + longest - MOST_MARKS, len(text)), len(text))
        is_blank = not text[start:end].strip()
        yield Piece(text[start:end], "" if is_blank else words)
        start, words = end, words if is_blank else ""


def _gather(pieces: Iterable[Piece], longest: int) -> list[Piece]:
    """Join neighbours wherever they fit."""
    groups: list[list[Piece]] = []
    length = 0
    for piece in pieces:
        length += len(piece.text)
        if not groups or length > longest:
            groups.append([])
            length = len(piece.text)
        groups[-1].append(piece)
    return [
        Piece("".join(piece.text for piece in group), "".join(piece.words for piece in group))
        for group in groups
    ]
