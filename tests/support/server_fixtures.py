"""A searcher of three chunks in two posts, whose every answer is known in advance."""

from __future__ import annotations

from pathlib import Path

from blog_search_mcp.index.errors import IndexMissing, NotInIndex, UnknownPost
from blog_search_mcp.index.reader import Index
from blog_search_mcp.index.relations.corpus import Corpus
from blog_search_mcp.index.store.listing import Listing
from blog_search_mcp.index.store.statistics import Overview
from blog_search_mcp.index.types import Answer, Chunk, Filters, Hit, Outline, Part, Passage, Post
from blog_search_mcp.server.engine import Engine

CACHE = Post(
    source="inference/kv-cache.md",
    title="What is a KV cache?",
    date="2025-03-04",
    tags=("inference",),
)
NOTES = Post(source="notes.md", title="鍵值快取筆記")

CHUNKS = {
    CACHE.source: (
        Chunk(
            source=CACHE.source,
            index=0,
            text="A *KV cache* keeps keys\nand values.",
            plain="A KV cache keeps keys and values.",
            headings=("What is a KV cache?",),
            first_line=6,
            last_line=7,
        ),
        Chunk(
            source=CACHE.source,
            index=1,
            text="## Memory\n\n```py\nsize = 2 * layers\n```",
            plain="size = 2 * layers",
            headings=("What is a KV cache?", "Memory"),
            first_line=9,
            last_line=13,
        ),
    ),
    NOTES.source: (
        Chunk(
            source=NOTES.source,
            index=0,
            text="快取會保留鍵與值。",
            plain="快取會保留鍵與值。",
            headings=(),
            first_line=1,
            last_line=1,
        ),
    ),
}
POSTS = {post.source: post for post in (CACHE, NOTES)}


class FixedSearcher(Engine):
    """Every chunk is a hit, in a fixed order, unless the query is `nothing` or `crash`."""

    def __init__(self) -> None:
        super().__init__(self._open_none, Path("there is none"))
        self.asked: list[tuple[str, Filters, int, int]] = []

    @staticmethod
    def _open_none() -> Index:
        raise IndexMissing("There is no index yet.")

    def search(self, query: str, filters: Filters, *, limit: int, offset: int) -> Answer:
        self.asked.append((query, filters, limit, offset))
        if query == "crash":
            raise RuntimeError("the password is swordfish")
        found = () if query == "nothing" else ALL_HITS
        return Answer(hits=found[offset : offset + limit], total=len(found), offset=offset)

    def outline(self, source: str) -> Outline:
        if source not in POSTS:
            raise UnknownPost(source, nearest=(CACHE.source,))
        parts = (
            Part(chunk.index, chunk.headings, chunk.first_line, chunk.last_line)
            for chunk in CHUNKS[source]
        )
        return Outline(POSTS[source], tuple(parts))

    def listing(self) -> Listing:
        raise IndexMissing("There is no index yet.")

    def corpus(self) -> Corpus:
        raise IndexMissing("There is no index yet.")

    def read(self, source: str, chunk_index: int, neighbors: int) -> Passage:
        if source not in POSTS:
            raise UnknownPost(source, nearest=(CACHE.source,))
        chunks = CHUNKS[source]
        if chunk_index >= len(chunks):
            valid = f"its chunk_index goes from 0 to {len(chunks) - 1}"
            raise NotInIndex(f"{source} has no chunk {chunk_index}: {valid}.")
        return Passage(
            post=POSTS[source],
            chunks=chunks[max(0, chunk_index - neighbors) : chunk_index + neighbors + 1],
            asked=chunk_index,
            count=len(chunks),
            heading_before="What is a KV cache?" if chunk_index else None,
            heading_after="Memory" if len(chunks) > 1 and not chunk_index else None,
        )

    @property
    def overview(self) -> Overview:
        return OVERVIEW


OVERVIEW = Overview(
    generation=7,
    created="2026-01-15T10:00:00+00:00",
    embedder="fake bag-of-words",
    posts=2,
    chunks=3,
    sections=(("inference", 1),),
    tags=(("inference", 1),),
    first_day="2025-03-04",
    last_day="2025-03-04",
)


def hit(chunk: Chunk, score: float) -> Hit:
    return Hit(post=POSTS[chunk.source], chunk=chunk, score=score, preview=chunk.plain)


ALL_HITS = (
    hit(CHUNKS[CACHE.source][0], 0.81249),
    hit(CHUNKS[NOTES.source][0], 0.5),
    hit(CHUNKS[CACHE.source][1], 0.1),
)
