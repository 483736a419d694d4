"""Cut a post's body into chunks: contiguous passages of about one size.

A block is divided into pieces, pieces are packed into runs, and a run becomes the span of a chunk.
Small subsections share a chunk, also with the end of the text above them. A large one is divided.
Siblings share a chunk only if it holds both whole, or if one is a bare heading. Large blocks are
cut between their children, long paragraphs between sentences, words or characters, and pieces over
MAX_PIECE_BYTES between lines or anywhere. Boundaries are content-defined: once a run has some size,
the next piece's checksum decides, so a new paragraph moves only the boundaries near it.
"""

import re
import zlib
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise, takewhile

from blog_search_mcp.index.embedders.embedder import count_pieces, has_more_pieces
from blog_search_mcp.index.text.display import write_sentence_end_pattern
from blog_search_mcp.index.types import Chunk
from blog_search_mcp.ingest.posts.markdown.body import Block, Body

MAX_CHUNK_BYTES = 20_000
"""Maximum size of a chunk in bytes of UTF-8. A byte is at most one token, and an answer of
`read_chunk` has at most 25,000 tokens. Some of them describe the chunk's place."""
MAX_PIECE_BYTES = MAX_CHUNK_BYTES - 2_000
"""Maximum size of a piece in bytes; 2,000 bytes are left for the headings joined to it."""
_LINE = (re.compile(r"[^\n]*\n|[^\n]+"), re.compile(rf"(?s).{{1,{MAX_PIECE_BYTES // 4}}}"))
"""Patterns of a line, and of a part of a line that is too long (a character has up to 4 bytes)."""
_CUT_END = write_sentence_end_pattern(".!?;", "。！？；…")
_SENTENCE = re.compile(rf".+?(?:{_CUT_END}|\n|\Z)\s*", re.DOTALL)
_PROSE = (_SENTENCE, re.compile(r"\S+\s*|\s+"))


def _count_bytes(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


def _find_ends(
    text: str, kinds: Sequence[re.Pattern[str]], measure: Callable[[str], int], most: int
) -> list[int]:
    """Divide `text` into the longest parts that measure at most `most`; return their ends.

    `kinds` are patterns of a piece, the largest kind first. A piece that is too large is divided by
    the next pattern; if there is none, into parts of `most` characters.
    """
    ends: list[int] = []
    start = size = 0
    for end in _small_ends(text, (0, len(text)), kinds, measure, most):
        part = measure(text[start:end])
        if ends and size + part <= most:
            ends[-1], size = end, size + part
        else:
            ends.append(end)
            size = part
        start = end
    return ends


def _small_ends(
    text: str,
    span: tuple[int, int],
    kinds: Sequence[re.Pattern[str]],
    measure: Callable[[str], int],
    most: int,
) -> Iterator[int]:
    for part in kinds[0].finditer(text, *span):
        if measure(part[0]) <= most:
            yield part.end()
        elif kinds[1:]:
            yield from _small_ends(text, part.span(), kinds[1:], measure, most)
        else:
            yield from (*range(part.start() + most, part.end(), most), part.end())


CUT_ODDS = 2
"""One piece in CUT_ODDS, chosen by its checksum, may begin a run while the run before has room."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of runs; sizes are in word pieces (`index.embedders.embedder`)."""

    least: int
    """Size from which a run ends before it is full, if the next piece's checksum says so."""
    most: int
    """Maximum size of a run, unless a single piece is larger or a small last run joins it."""
    min_last: int
    """Minimum size of the last run; a smaller one joins the run before, up to MAX_CHUNK_BYTES."""
    packs_sections: bool = True
    """Whether small neighboring sections share a chunk."""


PASSAGE_LIMITS = Limits(least=360, most=800, min_last=120)
"""Limits of a chunk: about 3,000 English letters or 700 Chinese characters. With half of each limit
nDCG@10 falls by .02 for questions over a Chinese blog, and rises by .04 for English headings. With
1.5 times each limit it falls by .01 to .02."""


def pack_pieces(pieces: Sequence[str], limits: Limits) -> list[range]:
    """Pack pieces into runs, in order; return the range of piece indexes of each run."""
    runs: list[range] = []
    size = length = 0
    for place, piece in enumerate(pieces):
        more, data = count_pieces(piece), piece.encode("utf-8", "replace")
        is_full = size + more > limits.most or length + len(data) > MAX_CHUNK_BYTES
        is_favored = zlib.crc32(data) % CUT_ODDS == 0
        if not runs or is_full or (size >= limits.least and is_favored):
            runs.append(range(place, place))
            size = length = 0
        runs[-1] = range(runs[-1].start, place + 1)
        size, length = size + more, length + len(data)
    is_scrap = len(runs) > 1 and size < limits.min_last
    if is_scrap and sum(map(_count_bytes, pieces[runs[-2].start :])) <= MAX_CHUNK_BYTES:
        runs[-2:] = [range(runs[-2].start, runs[-1].stop)]
    return runs


def split_windows(plain: str, most: int) -> list[str]:
    """Split plain text into embedding windows of about `most` word pieces; none is blank."""
    limits = Limits(least=most // 2, most=most, min_last=most // 5)
    lines = []
    for line in plain.split("\n"):
        is_long = has_more_pieces(line, most)
        ends = _find_ends(line, _PROSE, count_pieces, most) if is_long else [len(line)]
        lines += [line[start:end] for start, end in pairwise([0, *ends])]
    gathered = ["\n".join(lines[place] for place in run) for run in pack_pieces(lines, limits)]
    return [window for window in gathered if window.strip()]


@dataclass(frozen=True, slots=True)
class _Span:
    start: int
    end: int
    headings: tuple[str, ...]
    text_start: int
    """Offset of the first text after the headings that the span starts with."""

    @property
    def is_bare(self) -> bool:
        """Whether the span holds only headings."""
        return self.text_start == self.end


def chunk_body(
    source: str, body: Body, first_line: int, title: str, limits: Limits = PASSAGE_LIMITS
) -> tuple[Chunk, ...]:
    """Cut one post into chunks, in order.

    `first_line` is the line of the file, from 1, on which the body begins. A heading equal to the
    post's `title` is left out of the chunks' `headings`. Every non-blank line lies in a chunk,
    chunks do not overlap, and the same body always gives the same chunks.
    """
    spans = _Cutter(body, limits, title).cut(None, body.blocks, ())
    visible = [span for span in spans if body.text[span.start : span.end].strip()]
    return tuple(_make_chunks(source, body, first_line, visible))


@dataclass(frozen=True, slots=True)
class _Cutter:
    """A body to be cut, and the limits of its chunks."""

    body: Body
    limits: Limits
    title: str

    def cut(
        self, heading: Block | None, blocks: Sequence[Block], path: tuple[str, ...]
    ) -> list[_Span]:
        """Cut a section: pack the small sections inside it together, and divide the large ones.

        `blocks` are the blocks below `heading`; `path` is `heading` and the headings above it.
        """
        first = next((i for i, block in enumerate(blocks) if block.level), len(blocks))
        passages: list[_Span] = []
        small = self._own_spans(heading, blocks[:first], path)
        for inner, inside in _list_sections(blocks[first:]):
            name, end = inner.heading, (inside or [inner])[-1].end
            below = (*path, name) if name and name != self.title else path
            is_large = has_more_pieces(self.body.text[inner.start : end], self.limits.most)
            if self.limits.packs_sections and not is_large and self._fits(inner.start, end):
                small.append(_Span(inner.start, end, below, inner.end))
                continue
            before, divided = self._pack(small), self.cut(inner, inside, below)
            small = []
            if before and before[-1].is_bare and self._fits(before[-1].start, divided[0].end):
                divided[0] = _join(before.pop(), divided[0])
            passages += [*before, *divided]
        return passages + self._pack(small)

    def _own_spans(
        self, heading: Block | None, content: Sequence[Block], path: tuple[str, ...]
    ) -> list[_Span]:
        """Return the spans of a section's heading and pieces, up to its first subsection."""
        opens = heading.end if heading else 0
        ends = [end for block in content for end in self._piece_ends(block)]
        begins = [heading.start if heading else 0, *ends]
        ends = ends or [opens] * bool(heading)
        return [_Span(*span, path, max(span[0], opens)) for span in zip(begins, ends, strict=False)]

    def _piece_ends(self, block: Block) -> Iterator[int]:
        text = self.body.text[block.start : block.end]
        is_large = has_more_pieces(text, self.limits.most)
        if is_large and block.children:
            for child in block.children:
                yield from self._piece_ends(child)
            return
        is_prose = is_large and block.kind == "paragraph"
        ends = _find_ends(text, _PROSE, count_pieces, self.limits.most) if is_prose else [len(text)]
        for start, end in pairwise([0, *ends]):
            piece_ends = _find_ends(text[start:end], _LINE, _count_bytes, MAX_PIECE_BYTES)
            yield from (block.start + start + piece_end for piece_end in piece_ends)

    def _fits(self, start: int, end: int) -> bool:
        return _count_bytes(self.body.text[start:end]) <= MAX_CHUNK_BYTES

    def _pack(self, spans: Sequence[_Span]) -> list[_Span]:
        if len(spans) > 1 and spans[0].is_bare and self._fits(spans[0].start, spans[1].end):
            spans = [_join(spans[0], spans[1]), *spans[2:]]
        packed = pack_pieces([self.body.text[s.start : s.end] for s in spans], self.limits)
        return [reduce(_join, (spans[place] for place in run)) for run in packed]


def _list_sections(blocks: Sequence[Block]) -> Iterator[tuple[Block, Sequence[Block]]]:
    """Yield each outermost heading with the blocks up to the next heading of its level or above."""
    start = 0
    while start < len(blocks):
        later = range(start + 1, len(blocks))
        end = next((i for i in later if 0 < blocks[i].level <= blocks[start].level), len(blocks))
        yield blocks[start], blocks[start + 1 : end]
        start = end


def _join(left: _Span, right: _Span) -> _Span:
    """Join neighbors under shared headings; others become text, except below a bare `left`."""
    pairs = zip(left.headings, right.headings, strict=False)
    shared = tuple(a for a, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    if shared != left.headings:
        return _Span(left.start, right.end, shared, left.start)
    if left.is_bare:
        return _Span(left.start, right.end, right.headings, right.text_start)
    return _Span(left.start, right.end, shared, left.text_start)


def _make_chunks(
    source: str, body: Body, first_line: int, spans: Sequence[_Span]
) -> Iterator[Chunk]:
    headings = [block for block in body.blocks if block.heading]
    starts = [block.start for block in headings]
    for number, span in enumerate(spans):
        text = body.text[span.start : span.end].rstrip()
        indent = text[: len(text) - len(text.lstrip())].rpartition("\n")[2]
        text = indent + text.lstrip()
        start = body.text.index(text, span.start)
        line = first_line + body.line_at(start)
        opens = max(start, span.text_start)
        inner = headings[bisect_left(starts, span.text_start) : bisect_left(starts, span.end)]
        yield Chunk(
            source=source,
            index=number,
            text=text,
            plain=body.plain_text(opens, span.end),
            headings=span.headings,
            first_line=line,
            last_line=line + text.count("\n"),
            inner_headings=tuple(block.heading for block in inner),
            lead=body.lead(start),
        )
