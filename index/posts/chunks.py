"""Cut a post's body into chunks: contiguous passages of about one size.

Passages are packed inside a section: small subsections share one, a large one is divided, and none
reaches into a section beside it unless both lie whole in the same one. No fence, table row or other
block is cut but a paragraph that is too long by itself, which is cut between sentences, and what
one answer could not show (`index.posts.cuts`). Where else to cut depends on the text alone,
so that a paragraph put into a long section leaves the passages further on as they were.
"""

from __future__ import annotations

import zlib
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import takewhile
from typing import TYPE_CHECKING

from blog_search_mcp.index.embedders.base import count_tokens, exceeds
from blog_search_mcp.index.posts.cuts import sentence_ends, split_oversize
from blog_search_mcp.index.posts.markdown.blocks import Block
from blog_search_mcp.index.types import Chunk

if TYPE_CHECKING:
    from blog_search_mcp.index.posts.markdown.body import Body


@dataclass(frozen=True, slots=True)
class Section:
    """Blocks under one heading."""

    headings: tuple[str, ...]
    """The path of headings, outermost first, without markup; the post's title is not in it."""
    heading: Block | None
    """The heading itself; `None` for the post."""
    content: tuple[Block, ...]
    """The blocks before the first section inside."""
    inside: tuple[Section, ...]


def build_sections(blocks: Sequence[Block], title: str) -> Section:
    """Make the post one section, which holds every block exactly once, in order."""
    return _section(None, blocks, (), title)


def _section(
    heading: Block | None, blocks: Sequence[Block], path: tuple[str, ...], title: str
) -> Section:
    first = next((i for i, block in enumerate(blocks) if block.level), len(blocks))
    inside = []
    start = first
    while start < len(blocks):
        end = _end(blocks, start)
        name = blocks[start].heading
        inner = (*path, name) if name and name != title else path
        inside.append(_section(blocks[start], blocks[start + 1 : end], inner, title))
        start = end
    return Section(path, heading, tuple(blocks[:first]), tuple(inside))


def _end(blocks: Sequence[Block], start: int) -> int:
    """Where the section ends whose heading is at `start`: at the next one as high or higher."""
    level = blocks[start].level
    later = range(start + 1, len(blocks))
    return next((i for i in later if 0 < blocks[i].level <= level), len(blocks))


CUT_ODDS = 2
"""One piece in this many begins at a place where the run before it may end."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes in word pieces (`index.embedders.base`)."""

    least: int
    """From which on a run may end where the text suggests it."""
    most: int
    """Which a run does not exceed, unless one piece alone does."""
    scrap: int
    """Under which the last run joins the one before it."""
    packs_sections: bool = True
    """Whether small sections beside each other share a passage."""


def pack_pieces(pieces: Sequence[str], limits: Limits) -> list[range]:
    """Return the places of each run's pieces; every place is in exactly one run, in order."""
    gathered: list[range] = []
    sizes: list[int] = []
    for place, piece in enumerate(pieces):
        own = count_tokens(piece)
        if gathered and not _ends(sizes[-1], piece, own, limits):
            gathered[-1] = range(gathered[-1].start, place + 1)
            sizes[-1] += own
        else:
            gathered.append(range(place, place + 1))
            sizes.append(own)
    if len(gathered) > 1 and sizes[-1] < limits.scrap:
        gathered[-2:] = [range(gathered[-2].start, gathered[-1].stop)]
    return gathered


def _ends(gathered: int, following: str, own: int, limits: Limits) -> bool:
    if gathered + own > limits.most:
        return True
    favoured = zlib.crc32(following.encode("utf-8", "replace")) % CUT_ODDS == 0
    return gathered >= limits.least and favoured


def split_windows(plain: str, most: int) -> list[str]:
    """Split plain text into embedding windows of about `most` word pieces; none is blank."""
    limits = Limits(least=most // 2, most=most, scrap=most // 5)
    lines = [part for line in plain.split("\n") for part in _parts(line, most)]
    gathered = ["\n".join(lines[place] for place in run) for run in pack_pieces(lines, limits)]
    return [window for window in gathered if window.strip()]


def _parts(line: str, most: int) -> list[str]:
    if not exceeds(line, most):
        return [line]
    ends = sentence_ends(line, most)
    return [line[start:end] for start, end in zip([0, *ends], ends, strict=False)]


PASSAGE = Limits(least=360, most=800, scrap=120)
"""A passage is a page of about 3,000 English letters or 700 Chinese characters. With half of
that, questions over a Chinese blog lose .02 of nDCG@10 while headings of an English one gain .04;
with half as much again most kinds lose .01 to .02 (docs/quality.md, `chunk_most`)."""

LONGEST = 20_000
"""Characters of a chunk: `read_chunk` answers with at most 25,000, of which it needs some for
the chunk's place. Of 10,400 chunks of four blogs two are longer."""

LONGEST_OPENING = 2_000
"""Characters of headings before a chunk's own text; what is beyond counts as text."""


@dataclass(frozen=True, slots=True)
class _Span:
    start: int
    end: int
    headings: tuple[str, ...]
    opens: int
    """Where the span's own text begins, behind the headings it starts with."""
    words: str | None = None
    """Markdown its words are taken from; `None` for its own text."""

    @property
    def is_bare(self) -> bool:
        """Whether it is headings alone."""
        return self.opens == self.end


def chunk_body(
    source: str, body: Body, first_line: int, title: str, limits: Limits = PASSAGE
) -> tuple[Chunk, ...]:
    """Cut one post into chunks, in order.

    `first_line` is the file's line, from 1, on which the body begins; a heading that only repeats
    the post's `title` is in no chunk's path. Every non-blank line lies in a chunk, chunks do not
    overlap, and the same body always gives the same chunks.
    """
    cutter = _Cutter(body, limits)
    spans = cutter.split_long(cutter.find_passages(build_sections(body.blocks, title)))
    visible = [span for span in spans if body.text[span.start : span.end].strip()]
    return tuple(_chunks(source, body, first_line, visible))


@dataclass(frozen=True, slots=True)
class _Cutter:
    """Cuts one body into passages within limits."""

    body: Body
    limits: Limits

    def find_passages(self, section: Section) -> list[_Span]:
        """The section's passages: small sections inside it packed together, large ones divided."""
        passages: list[_Span] = []
        small = self._own_spans(section)
        for inner in section.inside:
            whole = _whole(inner)
            if self.limits.packs_sections and not self._is_large(whole.start, whole.end):
                small.append(whole)
                continue
            before, divided = self._pack(small), self.find_passages(inner)
            small = []
            if before and before[-1].is_bare:
                divided[0] = _join(before.pop(), divided[0])
            passages += [*before, *divided]
        return passages + self._pack(small)

    def split_long(self, spans: Iterable[_Span]) -> Iterator[_Span]:
        """The spans, each as several if it is longer than a chunk may be."""
        for span in spans:
            if span.end - span.start <= LONGEST:
                yield span
                continue
            opening = span.opens - span.start
            opens = span.opens if opening <= LONGEST_OPENING else span.start
            start, end, longest = span.start, opens, LONGEST - LONGEST_OPENING
            for piece in split_oversize(self.body, opens, span.end, longest, self.limits.most):
                end += len(piece.text)
                yield replace(span, start=start, end=end, words=piece.words)
                start = end

    def _is_large(self, start: int, end: int) -> bool:
        return exceeds(self.body.text[start:end], self.limits.most)

    def _own_spans(self, section: Section) -> list[_Span]:
        """The section's heading and the smallest pieces of its own text."""
        if section.heading is None and not section.content:
            return []
        start = (section.heading or section.content[0]).start
        opens = section.heading.end if section.heading else start
        spans = []
        for end in [e for block in section.content for e in self._piece_ends(block)] or [opens]:
            spans.append(_Span(start, end, section.headings, max(start, opens)))
            start = end
        return spans

    def _piece_ends(self, block: Block) -> Iterator[int]:
        is_large = self._is_large(block.start, block.end)
        if is_large and block.children:
            for child in block.children:
                yield from self._piece_ends(child)
        elif is_large and block.kind == "paragraph":
            text = self.body.text[block.start : block.end]
            yield from (block.start + end for end in sentence_ends(text, self.limits.most))
        else:
            yield block.end

    def _pack(self, spans: Sequence[_Span]) -> list[_Span]:
        if len(spans) > 1 and spans[0].is_bare:
            spans = [_join(spans[0], spans[1]), *spans[2:]]
        packed = pack_pieces([self.body.text[s.start : s.end] for s in spans], self.limits)
        return [reduce(_join, (spans[place] for place in run)) for run in packed]


def _whole(section: Section) -> _Span:
    assert section.heading is not None
    return _Span(section.heading.start, _end_of(section), section.headings, section.heading.end)


def _end_of(section: Section) -> int:
    if section.inside:
        return _end_of(section.inside[-1])
    last = section.content[-1] if section.content else section.heading
    return last.end if last else 0


def _join(left: _Span, right: _Span) -> _Span:
    """Both as one passage, under the headings they share; no heading's words get lost."""
    pairs = zip(left.headings, right.headings, strict=False)
    shared = tuple(a for a, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    if shared != left.headings:
        return _Span(left.start, right.end, shared, left.start)
    if left.is_bare:
        return _Span(left.start, right.end, right.headings, right.opens)
    return _Span(left.start, right.end, shared, left.opens)


def _chunks(source: str, body: Body, first_line: int, spans: Sequence[_Span]) -> Iterator[Chunk]:
    line, counted = first_line, 0
    headings = [block for block in body.blocks if block.heading]
    starts = [block.start for block in headings]
    for number, span in enumerate(spans):
        text, start = _trim(body.text, span)
        line, counted = line + body.text.count("\n", counted, start), start
        opens = max(start, span.opens)
        inner = headings[bisect_left(starts, opens) : bisect_left(starts, span.end)]
        yield Chunk(
            source=source,
            index=number,
            text=text,
            plain=_plain_text(body, opens, span),
            headings=span.headings,
            first_line=line,
            last_line=line + text.count("\n"),
            inner_headings=tuple(block.heading for block in inner),
        )


def _trim(body: str, span: _Span) -> tuple[str, int]:
    """The span's text without blank lines around it, and where it starts."""
    text = body[span.start : span.end].rstrip()
    blank = len(text) - len(text.lstrip())
    start = body.rfind("\n", span.start, span.start + blank) + 1 or span.start
    return body[start : span.start + len(text)], start


def _plain_text(body: Body, start: int, span: _Span) -> str:
    if span.words is not None:
        return body.strip_markup(span.words)
    return body.plain_text(start, span.end)
