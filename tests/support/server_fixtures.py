"""An engine over two posts, with answers that are known in advance."""

from pathlib import Path
from typing import Any

from blog_search_mcp.index.store.statistics import Overview
from blog_search_mcp.index.text.query import analyze_query
from blog_search_mcp.index.types import Answer, Chunk, Filters, Hit, Post
from blog_search_mcp.server.engine import Engine
from tests.support.fakes import FakeEmbedder


def _hit(source: str, title: str, text: str, score: float) -> Hit:
    chunk = Chunk(source, 0, text, text, (), 6, 7)
    return Hit(post=Post(source, title), chunk=chunk, score=score, preview=text)


ALL_HITS = (
    _hit("inference/kv-cache.md", "What is a KV cache?", "A KV cache keeps keys.", 0.81249),
    _hit("notes.md", "鍵值快取筆記", "快取會保留鍵與值。", 0.5),
    _hit("soup.md", "Onion soup", "Boil an onion.", 0.1),
)
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


class FixedSearcher(Engine):
    """Engine that finds ALL_HITS for any query, except that `crash` raises an error."""

    def __init__(self) -> None:
        super().__init__(Path("there is none"), lambda _identity: FakeEmbedder())

    def search(self, query: str, filters: Filters, **page: Any) -> Answer:  # noqa: ARG002
        if query == "crash":
            raise RuntimeError("the password is swordfish")
        offset = page["offset"]
        hits = ALL_HITS[offset : offset + page["limit"]]
        return Answer(analyze_query(query), hits, len(ALL_HITS), offset)

    @property
    def overview(self) -> Overview:
        return OVERVIEW
