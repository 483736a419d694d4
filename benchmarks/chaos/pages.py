"""Each post of a folder by itself: what it costs to read, and whether all of it can be read."""

from __future__ import annotations

import gc
import time
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from blog_search_mcp.index.analysis.tokenizer import fold, stem
from blog_search_mcp.index.content.read_file import read
from blog_search_mcp.index.content.walk import SourceFile, walk
from blog_search_mcp.index.lexical.documents import LexicalPost, terms_of
from blog_search_mcp.index.reader import Reader
from blog_search_mcp.index.types import Chunk, Passage
from blog_search_mcp.ingest import GC_THRESHOLD
from blog_search_mcp.ingest.chunking.chunker import chunks
from blog_search_mcp.ingest.documents.read_post import read_post
from blog_search_mcp.ingest.plan import SUFFIXES
from blog_search_mcp.server.format.truncate import ANSWER
from blog_search_mcp.server.tools.read_chunk import place_of, text_within

LARGE = 100_000
"""Bytes of a file from which on it is measured several times."""
TIMES = 3
"""The least counts: other programs on the machine can only make it more."""


@dataclass(frozen=True, slots=True)
class Page:
    """One post that is in the index."""

    source: str
    size: int
    """Bytes."""
    seconds: float
    """Of processor time to read, chunk and analyse it."""
    longest: int
    """Characters of its longest chunk."""
    is_whole: bool
    """Whether its chunks, each as read_chunk shows it, hold every character but blanks."""


def pages(content: Path, reader: Reader) -> list[Page]:
    """Every post below `content` that `reader` has."""
    before = gc.get_threshold()
    gc.set_threshold(GC_THRESHOLD)
    files = [file for file in walk(content, SUFFIXES).files if file.source in reader.manifest.posts]
    made = [_page(file, reader) for file in files]
    gc.set_threshold(*before)
    return made


def _page(file: SourceFile, reader: Reader) -> Page:
    body, passages = _read(file)
    shown = _shown(reader, file.source) if passages else []
    return Page(
        source=file.source,
        size=file.size,
        seconds=min(_seconds(file) for _ in range(TIMES if file.size > LARGE else 1)),
        longest=max((len(chunk.text) for chunk in passages), default=0),
        is_whole=_characters("".join(shown)) == _characters(body),
    )


def _seconds(file: SourceFile) -> float:
    stem.cache_clear()
    fold.cache_clear()
    started = time.process_time()
    _read(file)
    return time.process_time() - started


def _read(file: SourceFile) -> tuple[str, tuple[Chunk, ...]]:
    """The body and its chunks, as the ingest makes and analyses them."""
    parsed = read_post(file, read(file.path), date.today())
    passages = chunks(file.source, parsed.body, parsed.first_line, parsed.post.title)
    terms_of(LexicalPost(0, parsed.post, tuple(range(len(passages))), passages))
    return parsed.body, passages


def _shown(reader: Reader, source: str) -> list[str]:
    """Every chunk's text as read_chunk gives it, with its note if it had to be cut."""
    passage = reader.read(source, 0, 1_000_000)
    return [_alone(passage, chunk) for chunk in passage.chunks]


def _alone(passage: Passage, chunk: Chunk) -> str:
    alone = replace(passage, chunks=(chunk,), asked=chunk.index)
    return text_within(alone, ANSWER - len(place_of(alone)))


def _characters(text: str) -> str:
    return "".join(text.split())
