"""The catalog as rows of posts, and made anew of them."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from blog_search_mcp.index.errors import IndexBroken
from blog_search_mcp.index.milvus.catalog import (
    dump_post,
    dump_relations,
    load_posts,
    load_relations,
    open_in_memory,
)
from blog_search_mcp.index.store.catalog import Catalog
from blog_search_mcp.index.store.catalog_writer import CatalogWriter
from blog_search_mcp.index.store.disk import GenerationFiles
from blog_search_mcp.index.store.manifest import IndexedPost, PendingPost
from blog_search_mcp.index.store.translations import find_translations
from blog_search_mcp.index.types import Chunk, Link, Post

INDEXED = IndexedPost(digest="", size=0, mtime_ns=0, chunks=2)
POST = Post("a.md", "長い", "2025-01-01", ("Soup", "湯"), language="zh", aliases=("/old/",))
CHUNKS = (
    Chunk("a.md", 0, "short", "short", ("A", "B"), 1, 2, "b", ("C",)),
    Chunk("a.md", 1, "長" * 30_000, "plain", (), 3, 9),
)


@pytest.fixture
def written() -> sqlite3.Connection:
    connection = open_in_memory()
    writer = CatalogWriter(connection, GenerationFiles(Path()), is_new=True)
    links = (Link("/b/", "to b", 3),)
    writer.add(PendingPost(POST, CHUNKS, (0.5, 1.0), INDEXED, links, ("b",)))
    writer.add(PendingPost(Post("b.md", "B"), CHUNKS[:1], (1.0,), INDEXED))
    writer.write_translations(find_translations(writer.catalog.every_post()))
    writer.remove("b.md")
    writer.commit()
    return connection


def test_a_post_comes_back_with_the_texts_that_no_field_takes(written: sqlite3.Connection) -> None:
    connection = open_in_memory()
    load_posts(connection, [dump_post(written, 1)])
    load_relations(connection, dump_relations(written))
    one, other = Catalog(written), Catalog(connection, lambda _: {1: ("short", "short")})
    assert other.every_post() == one.every_post() == {1: POST}
    assert other.links() == one.links()
    assert other.anchors() == one.anchors()
    assert other.vocabulary_coverage(1) == (0.5, 1.0)
    assert other.chunks([2]) == {2: CHUNKS[1]}
    assert other.chunks([1]) == {1: CHUNKS[0]}


def test_ids_are_never_used_twice(written: sqlite3.Connection) -> None:
    connection = open_in_memory()
    load_posts(connection, [dump_post(written, 1)])
    load_relations(connection, dump_relations(written))
    writer = CatalogWriter(connection, GenerationFiles(Path()), is_new=True)
    assert writer.add(PendingPost(Post("c.md", "C"), CHUNKS[:1], (1.0,), INDEXED)) == (3, (4,))


@pytest.mark.parametrize("torn", ["", "{", "[]", '{"posts": [[1, 2]]}', '{"posts": 7}'])
def test_what_is_none_of_ours_is_refused(torn: str) -> None:
    with pytest.raises(IndexBroken):
        load_posts(open_in_memory(), [torn])
    with pytest.raises(IndexBroken):
        load_relations(open_in_memory(), torn)
