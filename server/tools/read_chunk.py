"""`read_chunk`: arguments come in, the passage and where it stands go out as two text blocks.

The first block is the author's text alone. Neighbours are joined to it in the order of the
post: by a line break where their lines adjoin, else by a blank line, as in the file.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from mcp.types import CallToolResult, TextContent

from blog_search_mcp.server.format.results import heading_path, link, one_line
from blog_search_mcp.server.format.truncate import ANSWER, beginning
from blog_search_mcp.server.tools.arguments import read_arguments

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from blog_search_mcp.index.types import Chunk, Passage
    from blog_search_mcp.server.engine import Searcher

NOTE = 400
"""Room kept for the line that says where a cut fell."""


def read_chunk(searcher: Searcher, given: Mapping[str, Any]) -> CallToolResult:
    """Read, cutting what is too long. Raises BlogSearchError."""
    asked = read_arguments(given)
    passage = searcher.read(asked.source, asked.chunk_index, asked.neighbors)
    place = place_of(passage)
    text = text_within(passage, ANSWER - len(place))
    return CallToolResult(content=[TextContent(text=text), TextContent(text=place)])


def text_within(passage: Passage, room: int) -> str:
    """Return the passage verbatim, or its beginning and a line that says how to read the rest."""
    chunks = passage.chunks
    text = joined(chunks)
    if len(text) <= room:
        return text
    room -= NOTE
    while chunks[0].index < passage.asked and len(joined(_up_to(chunks, passage.asked))) > room:
        chunks = chunks[1:]
    text = joined(chunks)
    shown = beginning(text, room)
    return f"{shown}\n\n{_cut_note(passage, chunks, len(shown), len(text))}"


def joined(chunks: Sequence[Chunk]) -> str:
    """Join the chunks' texts in order."""
    text = chunks[0].text
    for before, chunk in pairwise(chunks):
        adjoins = chunk.first_line <= before.last_line + 1
        text += ("\n" if adjoins else "\n\n") + chunk.text
    return text


def place_of(passage: Passage) -> str:
    """Say where the passage stands in its post: one fact a line."""
    post, first, last = passage.post, passage.chunks[0], passage.chunks[-1]
    asked = next(chunk for chunk in passage.chunks if chunk.index == passage.asked)
    with_neighbors = f", shown with {first.index} to {last.index}" if first is not last else ""
    facts = {
        "title": post.title,
        "source": post.source,
        "date": post.date,
        "url": link(post, asked),
        "heading": heading_path(asked.headings),
        "chunk": f"{asked.index + 1} of {passage.count}"
        f" (chunk_index {asked.index}{with_neighbors}), lines {first.first_line}-{last.last_line}",
        "heading before": passage.heading_before,
        "heading after": passage.heading_after,
        **{f"also in {language}": source for language, source in passage.translations},
        "notice": passage.notice,
    }
    return "\n".join(f"{name}: {one_line(value)}" for name, value in facts.items() if value)


def _up_to(chunks: Sequence[Chunk], index: int) -> Sequence[Chunk]:
    return [chunk for chunk in chunks if chunk.index <= index]


def _cut_note(passage: Passage, chunks: Sequence[Chunk], shown: int, whole: int) -> str:
    head = f"[Cut at {shown:,} of {whole:,} characters: "
    cut = _first_not_whole(chunks, shown)
    if cut is not chunks[0]:
        return f"{head}read on with read_chunk at chunk_index={cut.index} of the same source.]"
    after = cut.index + 1
    follows = f"; chunk_index={after} follows it" if after < passage.count else ""
    return f"{head}chunk {cut.index} goes on to line {cut.last_line} of the file{follows}.]"


def _first_not_whole(chunks: Sequence[Chunk], shown: int) -> Chunk:
    ends = (len(joined(chunks[: place + 1]).rstrip("\n")) for place in range(len(chunks)))
    return next(chunk for chunk, end in zip(chunks, ends, strict=True) if end > shown)
