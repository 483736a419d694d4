"""A passage longer than one answer can show, as several that are not: text in, slices out.

A fence, a table or an inlined image is cut nowhere as long as `read_chunk` can show it whole.
What is longer is cut between blocks, else between lines, else where a reader would pause, so
that every character of a post can be read. What its words are taken from is nearly always the
slice itself; but code goes on being code after a cut, and what is long by an inlined file alone
keeps all its words together, in its first slice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from blog_search_mcp.ingest.chunking.sentences import MOST_MARKS, after_marks, sentence_ends
from blog_search_mcp.ingest.markdown.blocks import Block, blocks

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_OPENING = re.compile(r"^ *(?P<marks>[^\n`~]{0,40}?(?:`{3,}|~{3,}))", re.MULTILINE)
_ANY_FENCE = "~" * 24
"""For code between template tags, which has no fence to repeat."""


@dataclass(frozen=True, slots=True)
class Slice:
    """A piece of a passage."""

    text: str
    words: str
    """Markdown whose words are the slice's."""


def slices(text: str, longest: int, most: int) -> list[Slice]:
    """Slices of at most `longest` characters each, whose texts joined are `text`.

    A line of at most `most` word pieces (`ingest.chunking.token_count`) is one that an embedder
    reads whole.
    """
    made = (
        piece
        for leaf in _leaves(blocks(text) or (Block("paragraph", 0, len(text)),))
        for piece in _of_leaf(leaf, text[leaf.start : leaf.end], longest, most)
    )
    return _gathered(made, longest)


def _leaves(tree: Sequence[Block]) -> Iterator[Block]:
    for block in tree:
        yield from _leaves(block.children) if block.children else (block,)


def _of_leaf(leaf: Block, text: str, longest: int, most: int) -> list[Slice]:
    if len(text) <= longest:
        return [Slice(text, text)]
    lines = [piece for line in _LINE.findall(text) for piece in _of_line(line, longest, most)]
    if leaf.kind != "fence":
        return _gathered(lines, longest)
    marks = _OPENING.search(text)
    opening = f"{marks['marks'] if marks else _ANY_FENCE}\n"
    if not marks:
        lines[0] = replace(lines[0], words=opening)
    first, *others = _gathered(lines, longest)
    return [first, *(replace(other, words=opening + other.words) for other in others)]


def _of_line(line: str, longest: int, most: int) -> Iterator[Slice]:
    if len(line) <= longest:
        yield Slice(line, line)
        return
    for start, end in pairwise([0, *sentence_ends(line, most)]):
        yield from _anywhere(line[start:end], longest)


def _anywhere(text: str, longest: int) -> Iterator[Slice]:
    """Cut what holds few words for its length: all of them are its first visible slice's."""
    start, words = 0, text
    while start < len(text):
        end = after_marks(text, min(start + longest - MOST_MARKS, len(text)), len(text))
        is_blank = not text[start:end].strip()
        yield Slice(text[start:end], "" if is_blank else words)
        start, words = end, words if is_blank else ""


def _gathered(pieces: Iterable[Slice], longest: int) -> list[Slice]:
    """Neighbours as one slice wherever they fit."""
    groups: list[list[Slice]] = []
    length = 0
    for piece in pieces:
        length += len(piece.text)
        if not groups or length > longest:
            groups.append([])
            length = len(piece.text)
        groups[-1].append(piece)
    return [
        Slice("".join(piece.text for piece in group), "".join(piece.words for piece in group))
        for group in groups
    ]
