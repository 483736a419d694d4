"""A post on its way into the index: what `ingest` makes of a file and `index` writes."""

from __future__ import annotations

from dataclasses import dataclass

from index.manifest import IndexedPost
from index.types import Chunk, Mention, Post


@dataclass(frozen=True, slots=True)
class NewPost:
    """A post to put in, with what the manifest will remember of it."""

    post: Post
    chunks: tuple[Chunk, ...]
    readable: tuple[float, ...]
    """For each chunk how well the embedder reads it, in [0, 1]."""
    mentions: tuple[Mention, ...]
    """What it says of other posts."""
    indexed: IndexedPost
