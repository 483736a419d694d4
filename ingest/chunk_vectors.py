"""New posts in, vectors for their chunks out, and by name the passages that have none.

A chunk is embedded window by window, unless the embedder cannot read it at all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from index.builder import NewPost, NewVectors
from index.cache import open_cache
from index.embedding_text import embedding_text
from index.types import Chunk
from ingest.embed import embed
from ingest.windows import windows

if TYPE_CHECKING:
    from index.embedder.base import Embedder
    from ingest.progress import Progress


@dataclass(frozen=True, slots=True)
class WithoutVector:
    """A chunk with a window that the embedder failed on; its words are in the index."""

    source: str
    first_line: int
    last_line: int
    heading: str
    """The innermost above it; empty if there is none."""
    reason: str


@dataclass(frozen=True, slots=True)
class ChunkVectors:
    """What embedding came to."""

    posts: tuple[NewPost, ...]
    """The new posts, with their windows without a vector counted."""
    new: NewVectors
    computed: int
    """Texts the embedder was asked for."""
    without: tuple[WithoutVector, ...]
    warnings: tuple[str, ...]
    """What became of a cache that failed."""


@dataclass(frozen=True, slots=True)
class _Window:
    row: int
    """Of its chunk, counted through all new posts."""
    chunk: Chunk
    text: str


def chunk_vectors(
    cache: Path, added: Sequence[NewPost], embedder: Embedder, progress: Progress
) -> ChunkVectors:
    """Embed what the cache does not know. Raises EmbedderError; what came before it is kept."""
    windowed = list(_windows(added))
    with open_cache(cache, embedder.identity) as opened:
        found = embed([window.text for window in windowed], embedder, opened, progress)
    having = [window for window in windowed if window.text in found.vectors]
    rows = np.asarray([window.row for window in having], dtype=np.int64)
    empty = np.zeros((0, embedder.identity.dimension), dtype=np.float32)
    vectors = np.stack([found.vectors[window.text] for window in having]) if having else empty
    lacking = [window for window in windowed if window.text in found.refused]
    return ChunkVectors(
        posts=_counted(added, lacking),
        new=NewVectors(rows, vectors),
        computed=found.computed,
        without=tuple(
            _named(window.chunk, found.refused[window.text])
            for window in {window.row: window for window in lacking}.values()
        ),
        warnings=found.warnings,
    )


def _windows(added: Sequence[NewPost]) -> Iterator[_Window]:
    """The windows of every chunk that the embedder can read."""
    chunks = (
        (new.post, *pair) for new in added for pair in zip(new.chunks, new.readable, strict=True)
    )
    for row, (post, chunk, readable) in enumerate(chunks):
        if readable > 0.0:
            for window in windows(chunk.plain):
                yield _Window(row, chunk, embedding_text(post, chunk, window))


def _counted(added: Sequence[NewPost], lacking: Sequence[_Window]) -> tuple[NewPost, ...]:
    counts = Counter(window.chunk.source for window in lacking)
    return tuple(
        replace(new, indexed=new.indexed.model_copy(update={"unembedded": counts[new.post.source]}))
        for new in added
    )


def _named(chunk: Chunk, reason: str) -> WithoutVector:
    heading = chunk.headings[-1] if chunk.headings else ""
    return WithoutVector(chunk.source, chunk.first_line, chunk.last_line, heading, reason)
