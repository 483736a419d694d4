"""Newer posts on the same subject are found at ingest, kept, and named by the older one's hits."""

from __future__ import annotations

from blog_search_mcp.index.types import Filters, NewerPost
from tests.support.blog import Blog, MakeBlog

POSTS = {
    "old.md": "---\ntitle: Faster linking with rust-lld on nightly\ndate: 2024-05-17\n---\n"
    "Linking with rust-lld takes half the time.\n",
    "new.md": "---\ntitle: Faster linking with rust-lld on stable\ndate: 2025-09-01\n---\n"
    "Linking with rust-lld takes half the time. [Before](old.md).\n",
    **{f"{n}.md": f"# Garden {n}\n\nFlower {n} blooms in week {n}.\n" for n in range(40)},
}


def newer(made: Blog) -> dict[str, NewerPost]:
    hits = made.reader().search("linking rust-lld", Filters(), limit=3, offset=0).hits
    return {hit.post.source: hit.newer for hit in hits if hit.newer}


def test_a_hit_names_the_newer_post_until_that_is_gone(blog: MakeBlog) -> None:
    made = blog(POSTS)
    assert newer(made) == {"old.md": NewerPost("new.md", "2025-09-01")}
    (made.content / "new.md").unlink()
    made.ingest()
    assert newer(made) == {}
