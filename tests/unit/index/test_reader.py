"""Search and reading end to end: what holds whatever the ranking's numbers are."""

from __future__ import annotations

import pytest

from blog_search_mcp.index.errors import EmbedderError
from blog_search_mcp.index.reader import PAGE_BYTES, fill_page
from blog_search_mcp.index.types import Answer, Filters
from blog_search_mcp.ingest.posts.chunks import PASSAGE_LIMITS
from tests.support.blog import Blog, MakeBlog
from tests.support.fakes import FakeEmbedder

pytestmark = pytest.mark.usefixtures("round_model")

LONG = "and so on " * (PASSAGE_LIMITS.most // 4) + "and so on."

EVERYTHING = Filters()

POSTS = {
    "inference/kv.md": (
        "---\ntitle: What is a KV cache?\ndate: 2025-03-04\ntags: [inference]\n---\n"
        f"A KV cache keeps keys and values {LONG}\n\n"
        f"## Paging\n\nBlocks of the cache are like a zebra {LONG}\n\n"
        f"## Errors\n\n`CUDA_ERROR_OUT_OF_MEMORY` means that none is left {LONG}\n"
    ),
    "inference/batch.md": (
        "---\ntitle: Batching\ndate: 2025-06-01\ntags: [Inference, speed]\n---\n"
        "Requests share one pass through the cache.\n"
    ),
    "food/soup.md": (
        "---\ntitle: Onion soup\ndate: 2024-01-02\n---\nBoil an onion; keep the rest in a cache.\n"
    ),
    "快取.md": "---\ntitle: 鍵值快取\n---\n模型會把鍵與值保留在快取之中，不必重算注意力。\n",
}


@pytest.fixture
def made(kept_blog: MakeBlog) -> Blog:
    return kept_blog(POSTS)


def ask(
    blog: Blog, query: str, limit: int = 10, offset: int = 0, filters: Filters = EVERYTHING
) -> Answer:
    return blog.reader().search(query, filters, limit=limit, offset=offset)


def sources(answer: Answer) -> list[str]:
    return [hit.post.source for hit in answer.hits]


@pytest.mark.parametrize(
    ("query", "source", "chunk"),
    [
        ("zebra", "inference/kv.md", 1),
        ("CUDA_ERROR_OUT_OF_MEMORY", "inference/kv.md", 2),
        ("cuda_error_out_of_memory", "inference/kv.md", 2),
        ("onion", "food/soup.md", 0),
        ("onions", "food/soup.md", 0),
        ("注意力", "快取.md", 0),
        ("batching", "inference/batch.md", 0),
    ],
)
def test_a_word_of_one_chunk_finds_that_chunk(
    query: str, source: str, chunk: int, made: Blog
) -> None:
    best = ask(made, query).hits[0]
    assert (best.post.source, best.chunk.index) == (source, chunk)


@pytest.mark.parametrize("query", ["xylophone", "!!!", "\ud83e", "\x00", "？", " "])
def test_what_no_leg_knows_finds_nothing_and_fails_nowhere(query: str, made: Blog) -> None:
    made.embedder = FakeEmbedder(failure=EmbedderError("Nobody answers."))
    answer = ask(made, query)
    assert (answer.hits, answer.total, answer.offset) == ((), 0, 0)
    assert (answer.confidence, answer.certainty) == ("low", 0.0)


@pytest.mark.parametrize(
    ("sizes", "asked", "start", "page"),
    [
        ([PAGE_BYTES], 0, 0, range(1)),
        ([1, PAGE_BYTES + 1, 1], 1, 1, range(1, 2)),
        ([1, 1, 1], 1, 1, range(3)),
        ([PAGE_BYTES // 3] * 5, 2, 2, range(1, 4)),
        ([PAGE_BYTES // 2] * 3, 1, 1, range(1, 3)),
        ([PAGE_BYTES // 2] * 3, 2, 2, range(1, 3)),
        ([1, 1, 1, PAGE_BYTES], 2, 2, range(3)),
        ([PAGE_BYTES, 1, 1, 1], 1, 1, range(1, 4)),
        ([PAGE_BYTES // 2] * 4, 2, 1, range(1, 3)),
        ([PAGE_BYTES // 2] * 4, 3, 1, range(2, 4)),
    ],
    ids=[
        "alone",
        "too long",
        "all",
        "both sides",
        "next first",
        "last",
        "before",
        "behind",
        "section",
        "long section",
    ],
)
def test_a_page_grows_by_whole_chunks_behind_and_before(
    sizes: list[int], asked: int, start: int, page: range
) -> None:
    assert fill_page(sizes, asked, start) == page
