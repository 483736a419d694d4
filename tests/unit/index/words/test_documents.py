"""What of a post is in the lexical index, and under which of its names."""

from __future__ import annotations

from blog_search_mcp.index.types import Chunk, Post
from blog_search_mcp.index.words.documents import terms_of


def test_a_post_is_named_by_its_file_slug_and_tags_and_described() -> None:
    post = Post(
        "guides/kv-moth/index.md",
        "Zebra",
        tags=("Große Themen", "llm"),
        description="A walrus",
        slug="kv",
        language="en",
    )
    chunks = tuple(
        Chunk(post.source, n, body, body, ("Zebra", *path), 1, 1, (), inner)
        for n, (body, path, inner) in enumerate(
            [("moth", (), ("Toad",)), ("kelp", ("Newt",), ()), ("", ("Newt",), ())]
        )
    )
    found = terms_of(post, chunks)
    names = ["kvmoth", "kv", "moth", "kv", "grosse", "themen", "llm"]
    label = ["zebra"] * 3 + names * 2
    assert found.whole.split() == [
        *label,
        "a",
        "walrus",
        *["zebra", "newt"] * 2,
        "toad",
        "moth",
        "kelp",
    ]
    assert [chunk.split() for chunk in found.chunks] == [
        [*label, "zebra", "zebra", "toad", "moth", "a", "walrus"],
        [*label, *["zebra", "newt"] * 2, "kelp"],
        [*label, *["zebra", "newt"] * 2],
    ]


def test_a_file_is_named_without_its_ending_and_language() -> None:
    post = Post("a/zebra.zh-tw.md", "")
    assert terms_of(post, ()).whole == "zebra zebra"
