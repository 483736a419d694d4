"""Posts and chunks in SQLite: what comes back, and what each filter lets through."""

from __future__ import annotations

from pathlib import Path

import pytest

from blog_search_mcp.index.store.catalog import Catalog, open_catalog
from blog_search_mcp.index.store.catalog_writer import open_writer
from blog_search_mcp.index.store.disk import GenerationFiles
from blog_search_mcp.index.store.manifest import IndexedPost, PendingPost
from blog_search_mcp.index.types import Chunk, Filters, Link, Post

POSTS = (
    Post("root.md", "At the root"),
    Post(
        "a/one.md", "One", "2024-03-01", ("Go", "Search"), "First.", "one", "en", "https://e.org/1/"
    ),
    Post("a/deep/two.md", "Two", "2024-03-02", ("go",)),
    Post("ab/three.md", "Three", "2024-03-03", ("golang",)),
    Post("a0/four.md", "Four", None, ("STRASSE",)),
    Post("a.md", "Five", "2023-12-31"),
    Post(
        source="推論/快取.md",
        title="快取",
        date="2024-03-02",
        tags=("推論", "straße"),
        language="zh-tw",
        series="推論",
        part=2,
        aliases=("/old/cache/", "/cache"),
        canonical_url="https://e.net/cache",
    ),
)


def chunk_of(post: Post, number: int) -> Chunk:
    text = f"*Chunk* {number} of {post.title}\n\nwith 中文"
    plain = text.replace("*", "")
    place = ("H 1", "次"), 5, 7, "次", ("內", "In")
    return Chunk(post.source, number, text, plain, *place, coverage=number / 2)


def chunks_of(post: Post) -> tuple[Chunk, ...]:
    return tuple(chunk_of(post, number) for number in range(3))


def pending(post: Post, chunks: tuple[Chunk, ...]) -> PendingPost:
    indexed = IndexedPost(digest="", chunks=len(chunks))
    links = (Link("../b.md#two", "the second", 7),) if post.tags else ()
    return PendingPost(post, chunks, indexed, links, ("first", "次") if links else ())


@pytest.fixture
def files(tmp_path: Path) -> GenerationFiles:
    files = folder(tmp_path / "first")
    with open_writer(files, None) as writer:
        for post in POSTS:
            writer.add(pending(post, chunks_of(post)))
    return files


def folder(path: Path) -> GenerationFiles:
    path.mkdir()
    return GenerationFiles(path)


def following(files: GenerationFiles) -> GenerationFiles:
    """The files of a next generation."""
    return folder(files.folder.with_name("following"))


@pytest.fixture
def catalog(files: GenerationFiles) -> Catalog:
    return open_catalog(files)


def passing(catalog: Catalog, filters: Filters) -> set[str]:
    ids = catalog.matching_posts(filters)
    assert ids is not None
    return {post.source for post in catalog.posts(ids).values()}


@pytest.mark.parametrize("post", POSTS, ids=lambda post: post.source)
def test_a_post_and_its_chunks_come_back_whole(post: Post, catalog: Catalog) -> None:
    number, found = catalog.require_post(post.source)
    assert found == post
    chunks = catalog.chunks_of(number)
    assert list(chunks.values()) == list(chunks_of(post))
    assert catalog.chunks(chunks) == chunks


@pytest.mark.parametrize(
    ("section", "sources"),
    [
        ("a/", {"a/one.md", "a/deep/two.md"}),
        ("/a/deep", {"a/deep/two.md"}),
        ("推論", {"推論/快取.md"}),
        ("A", set()),
        ("a/d", set()),
    ],
)
def test_a_section_is_a_folder_and_all_below_it(
    section: str, sources: set[str], catalog: Catalog
) -> None:
    assert passing(catalog, Filters(section=section)) == sources


@pytest.mark.parametrize(
    ("tag", "sources"),
    [
        ("GO", {"a/one.md", "a/deep/two.md"}),
        ("strasse", {"a0/four.md", "推論/快取.md"}),
        ("g", set()),
    ],
)
def test_a_tag_is_whole_and_without_case(tag: str, sources: set[str], catalog: Catalog) -> None:
    assert passing(catalog, Filters(tag=tag)) == sources


@pytest.mark.parametrize(
    ("after", "before", "sources"),
    [
        ("2024-03-02", None, {"a/deep/two.md", "ab/three.md", "推論/快取.md"}),
        ("2024-03-01", "2024-03-01", {"a/one.md"}),
    ],
)
def test_days_are_inclusive_and_a_post_without_one_does_not_pass(
    after: str | None, before: str | None, sources: set[str], catalog: Catalog
) -> None:
    assert passing(catalog, Filters(after=after, before=before)) == sources


def test_a_removed_post_is_gone_from_every_table_and_its_ids_are_never_used_again(
    files: GenerationFiles,
) -> None:
    last, after = POSTS[-1], following(files)
    with open_writer(after, files) as writer:
        removed_id, removed_chunks = writer.remove(last.source)
        added_id, added_chunks = writer.add(pending(last, chunks_of(last)[:1]))
    assert len(removed_chunks) == 3
    assert added_id > removed_id
    assert min(added_chunks) > max(removed_chunks)
    catalog = open_catalog(after)
    assert catalog.chunks(removed_chunks) == {}
    assert passing(catalog, Filters(tag="推論")) == {last.source}


def test_texts_come_from_both_files_until_they_are_written_anew(files: GenerationFiles) -> None:
    after, changed = following(files), Post("a/one.md", "Two")
    with open_writer(after, files) as writer:
        writer.remove(changed.source)
        writer.add(pending(changed, chunks_of(changed)))
    before = everything(after)
    assert set(before.values()) == {
        chunk for post in (*POSTS, changed) if post != POSTS[1] for chunk in chunks_of(post)
    }
    shared, third = files.texts.read_bytes(), folder(files.folder.with_name("third"))
    with open_writer(third, after) as writer:
        writer.complete()
    assert everything(third) == before
    assert files.texts.read_bytes() == shared
    assert set(third.folder.iterdir()) == {third.catalog, third.texts}


def everything(files: GenerationFiles) -> dict[int, Chunk]:
    catalog = open_catalog(files)
    return catalog.chunks(range(100))


def test_links_and_anchors_come_back_by_post(catalog: Catalog) -> None:
    tagged = [post.source for post in POSTS if post.tags]
    ids = [catalog.require_post(source)[0] for source in tagged]
    assert catalog.links() == dict.fromkeys(ids, (Link("../b.md#two", "the second", 7),))
    assert catalog.anchors() == dict.fromkeys(ids, ("first", "次"))
