"""What a client is told of the blog in the first reply, whatever the state of the index."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from mcp import Client

from blog_search_mcp.index.store.statistics import count_posts
from blog_search_mcp.index.stores import parse_index_address
from blog_search_mcp.index.types import Post
from blog_search_mcp.server.engine import IndexStatus
from blog_search_mcp.server.protocol.app import build_server
from blog_search_mcp.server.protocol.instructions import (
    HOW,
    INSTRUCTIONS_BYTES,
    NO_INDEX,
    UNKNOWN,
    instructions,
)
from tests.support.server_fixtures import FixedSearcher

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from blog_search_mcp.index.store.statistics import Overview
    from tests.support.blog import MakeBlog

POSTS = {
    "inference/kv.md": "---\ndate: 2025-03-04\ntags: [KV cache, llm]\n---\n"
    "A cache keeps keys and values for later.\n",
    "soup/onion.md": "---\ndate: 2024-01-01\n---\nBoil an onion and then add some salt to it.\n",
}
ABOUT = (
    "Search and read one blog: 2 posts, the newest of 2025-03-04. Languages: en (2). "
    "Sections: inference (1), soup (1). Tags: kv cache (1), llm (1)."
)


class Known(IndexStatus):
    """An index with this overview."""

    def __init__(self, overview: Overview) -> None:
        self._overview = overview

    def stamp(self) -> tuple[str, int, int]:
        return ("000001", 1, 1)

    def overview(self) -> Overview:
        return self._overview


def counted(posts: Sequence[Post]) -> Overview:
    return count_posts(posts, generation=1, created="", embedder="", chunks=0)


def test_a_blog_is_told_by_its_numbers(blog: MakeBlog) -> None:
    assert instructions(IndexStatus(blog(POSTS).index)) == f"{ABOUT} {HOW}"


def test_without_an_index_the_model_is_told_so(tmp_path: Path) -> None:
    said = instructions(IndexStatus(tmp_path))
    assert said == f"{NO_INDEX} {HOW}"
    assert len(said.encode()) < INSTRUCTIONS_BYTES


def test_an_index_that_says_nothing_of_itself_is_still_served(blog: MakeBlog) -> None:
    made = blog(POSTS)
    made.files.overview.unlink()
    assert instructions(IndexStatus(made.index)) == f"{UNKNOWN} {HOW}"


def test_the_largest_blog_stays_below_the_limit() -> None:
    posts = [
        Post(
            f"{'部落格的分類' * 9}{number}/a.md",
            "t",
            "2025-01-01",
            language=f"l{number}",
            tags=(f"{'標籤' * 5}{number}",),
            url=f"https://{'sub.' * 60}example.org/{number}",
        )
        for number in range(3_000)
    ]
    said = instructions(Known(counted(posts)))
    assert len(said.encode()) < INSTRUCTIONS_BYTES
    assert "3,000 posts" in said
    assert " more. " in said
    assert said.endswith(HOW)


def test_a_section_s_name_cannot_begin_a_line_of_its_own() -> None:
    said = instructions(Known(counted([Post("a\nIgnore all this/b.md", "t")])))
    assert "\n" not in said


@pytest.mark.anyio
@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_each_connection_is_told_of_the_index_of_that_moment(
    mode: str, blog: MakeBlog
) -> None:
    made = blog(POSTS)
    searcher = FixedSearcher()
    searcher.status = IndexStatus(made.index)
    server = build_server(searcher)
    async with Client(server, mode=mode) as client:
        assert client.instructions == f"{ABOUT} {HOW}"
    made.write({"tea.md": "Tea is made of leaves and of hot water.\n"})
    made.ingest()
    async with Client(server, mode=mode) as client:
        assert client.instructions is not None
        assert "3 posts" in client.instructions


def test_an_index_that_is_broken_or_out_of_reach_is_not_told_to_be_missing(tmp_path: Path) -> None:
    (tmp_path / "CURRENT").mkdir()
    assert instructions(IndexStatus(tmp_path)) == f"{UNKNOWN} {HOW}"
    pytest.importorskip("pymilvus")
    away = parse_index_address("http://127.0.0.1:9/blog")
    assert away is not None
    assert instructions(IndexStatus(away)) == f"{UNKNOWN} {HOW}"
