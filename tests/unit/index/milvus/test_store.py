"""An index on a Milvus server, as everything but search uses it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from blog_search_mcp.index.errors import (
    CollectionGone,
    IndexBroken,
    IndexBusy,
    IndexMissing,
    IndexUnreachable,
)
from blog_search_mcp.index.milvus import generation_writer, store
from blog_search_mcp.index.milvus.client import Milvus
from blog_search_mcp.index.milvus.schema import (
    CHUNKS_FIELDS,
    POSTS_FIELDS,
    TEXT,
    CollectionNames,
    Field,
    Row,
)
from blog_search_mcp.index.milvus.store import MilvusStore
from blog_search_mcp.index.posts.last_ingest import read_last_ingest
from blog_search_mcp.index.stores import IndexAddress, open_store, parse_index_address
from blog_search_mcp.index.types import Filters
from blog_search_mcp.ingest import embedding
from tests.support.blog import Blog
from tests.support.ports import free_port

NAMES = CollectionNames("blog")
POSTS = {
    f"{n}.md": f"---\ndate: 2025-01-{n:02d}\ntags: [soup]\n---\n# Soup {n}\n\nBoil {n} onions.\n"
    for n in range(1, 9)
}


def address_of(milvus: Milvus) -> IndexAddress | None:
    return parse_index_address(f"{milvus.address}/blog")


@pytest.fixture
def made(milvus: Milvus, tmp_path: Path) -> Blog:
    blog = Blog(tmp_path / "content", tmp_path, address=address_of(milvus))
    blog.write(POSTS)
    blog.ingest()
    return blog


def sources(blog: Blog, query: str) -> list[str]:
    answer = blog.reader().search(query, Filters(), limit=5, offset=0)
    return [hit.post.source for hit in answer.hits]


def beside(blog: Blog, folder: Path) -> Blog:
    """The same posts in a folder's index."""
    made = Blog(blog.content, folder)
    made.ingest()
    return made


def test_what_was_ingested_is_found_and_read(made: Blog, tmp_path: Path) -> None:
    local = beside(made, tmp_path / "index")
    assert sources(made, "boil 7 onions") == sources(local, "boil 7 onions")
    assert made.reader().read("7.md", 0, 0) == local.reader().read("7.md", 0, 0)
    assert made.reader().overview.tags == local.reader().overview.tags == (("soup", 8),)
    assert made.manifest.posts.keys() == POSTS.keys()
    made.store.verify(made.manifest)


def test_an_edit_writes_its_own_rows_alone(made: Blog, milvus: Milvus, tmp_path: Path) -> None:
    made.write({"3.md": "# Tea\n\nA leaf in water.\n"})
    (made.content / "4.md").unlink()
    report = made.ingest()
    assert (report.generation, report.changed, report.removed, report.embedded) == (2, 1, 1, 1)
    assert milvus.count(NAMES.chunks(2)) == milvus.count(NAMES.vectors(2)) == 1
    assert milvus.count(NAMES.posts(2), "post >= 0") == 1
    local = beside(made, tmp_path / "index")
    for query in ("leaf in water", "boil 4 onions", "boil 3 onions", "soup"):
        assert sources(made, query) == sources(local, query)
    assert made.reader().read("3.md", 0, 0).chunks[0].text == "# Tea\n\nA leaf in water."


def test_a_backlog_is_read_in_few_requests(
    milvus: Milvus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "WORDS_FIRST", 50)
    monkeypatch.setattr(embedding, "WINDOW_BYTES", 1)
    monkeypatch.setattr(embedding, "BLOCK", 1)  # so that half of a batch waits for the next writer
    asked: list[int] = []
    ask = Milvus.get

    def count(
        client: Milvus, name: str, field: Field, keys: Sequence[int], output: Sequence[str]
    ) -> list[Row]:
        asked.append(len(keys) if TEXT in output else 0)
        return ask(client, name, field, keys, output)

    monkeypatch.setattr(Milvus, "get", count)
    blog = Blog(tmp_path / "content", tmp_path, address=address_of(milvus))
    blog.write({f"{n}.md": f"# Soup {n}\n\nBoil {n} onions.\n" for n in range(200)})
    report = blog.ingest()
    assert (report.generation, report.embedded, blog.manifest.waiting) == (3, 200, 0)
    sample = 200  # in which each generation's calibration looks for the language
    assert list(filter(None, asked)) == [100, sample, 100, sample]


def test_an_open_index_follows_an_edit_and_reads_what_it_had(made: Blog) -> None:
    live = made.follow()
    before = live.reader()
    made.write({"9.md": "# Tea\n\nA leaf.\n"})
    made.ingest()
    assert live.reader().read("9.md", 0, 0).chunks[0].text == "# Tea\n\nA leaf."
    assert live.reader() is not before
    assert before.read("1.md", 0, 0) == live.reader().read("1.md", 0, 0)
    assert before.overview.posts == 8


def test_nothing_is_written_where_nothing_changed(made: Blog, milvus: Milvus) -> None:
    before = milvus.collections()
    assert made.ingest().generation == 1
    assert milvus.collections() == before
    seen = read_last_ingest(made.store, 1)
    assert seen is not None
    assert seen.files.keys() == POSTS.keys()


@pytest.mark.parametrize("reason", ["segments", "dead rows"])
def test_all_rows_are_written_anew_when_they_lie_in_many_places_or_few_count(
    reason: str, made: Blog, milvus: Milvus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if reason == "segments":
        monkeypatch.setattr(generation_writer, "MOST_SEGMENTS", 2)
    else:
        monkeypatch.setattr(generation_writer, "DEAD_SHARE", 0.0)
    for n in (1, 2):
        made.write({f"{n}.md": f"# Tea {n}\n\nA leaf {n}.\n"})
        report = made.ingest()
    assert report.embedded == 1
    assert milvus.count(NAMES.chunks(3)) == milvus.count(NAMES.vectors(3)) == 8
    local = beside(made, tmp_path / "index")
    for query in ("leaf 2", "boil 7 onions", "tea"):
        assert sources(made, query) == sources(local, query)
    assert made.reader().read("8.md", 0, 0) == local.reader().read("8.md", 0, 0)


def test_an_open_store_forgets_what_it_read_of_rows_that_are_no_longer_used(
    made: Blog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generation_writer, "MOST_SEGMENTS", 2)
    kept = []
    for n in range(1, 6):
        made.write({f"{n}.md": f"# Tea {n}\n\nA leaf {n}.\n"})
        made.ingest()
        made.reader()
        assert isinstance(made.store, MilvusStore)
        kept.append(len(made.store._shared))
    assert kept == [2, 1, 2, 1, 2]


def test_what_nobody_reads_any_more_is_dropped_and_what_a_killed_ingest_left(
    made: Blog, milvus: Milvus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generation_writer, "GRACE", 0.0)
    milvus.create(NAMES.posts(7), POSTS_FIELDS)
    made.ingest(rebuild=True)
    made.ingest(rebuild=True)
    kept = {NAMES.generation_of(name) for name in milvus.collections()} - {None}
    assert kept == {1, 8, 9}
    made.ingest(rebuild=True)
    kept = {NAMES.generation_of(name) for name in milvus.collections()} - {None}
    assert kept == {8, 9, 10}


def test_an_ingest_that_fails_leaves_the_index_as_it_was(
    made: Blog, milvus: Milvus, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = milvus.collections()

    def fail(*_: object) -> None:
        raise IndexUnreachable("The server is gone.")

    monkeypatch.setattr(generation_writer.MilvusGenerationWriter, "publish", fail)
    made.write({"1.md": "# Tea\n"})
    with pytest.raises(IndexUnreachable):
        made.ingest()
    assert milvus.collections() == before
    assert sources(made, "boil 1 onions")[0] == "1.md"


def test_a_reader_whose_rows_were_dropped_opens_the_newest_once(made: Blog, milvus: Milvus) -> None:
    live = made.follow()
    stale = live.reader()
    made.ingest(rebuild=True)
    for name in (NAMES.posts(1), NAMES.chunks(1), NAMES.vectors(1)):
        milvus.drop(name)
    with pytest.raises(CollectionGone):
        stale.read("1.md", 0, 0)
    given = iter((stale, live.reader()))
    live.reader = lambda: next(given)  # type: ignore[method-assign]
    assert live.ask(lambda one: one.read("1.md", 0, 0)).post.source == "1.md"


def test_a_chunk_that_fits_no_field_is_kept_with_its_post(milvus: Milvus, tmp_path: Path) -> None:
    blog = Blog(tmp_path / "content", tmp_path, address=address_of(milvus))
    long = "x" * 70_000
    blog.write({"long.md": f"# Long\n\n```\n{long}\n```\n", "b.md": "# Soup\n\nBoil.\n"})
    blog.ingest()
    made_text = "".join(chunk.text for chunk in blog.snapshot().catalog.chunks_of(1).values())
    made_text += "".join(chunk.text for chunk in blog.snapshot().catalog.chunks_of(2).values())
    assert made_text.count("x") == 70_000


def test_no_index_no_server_and_a_foreign_alias_are_said(milvus: Milvus) -> None:
    address = address_of(milvus)
    assert address is not None
    none = open_store(address)
    assert (none.exists(), none.stamp(), none.read_record()) == (False, None, None)
    with pytest.raises(IndexMissing, match="There is no index blog on the Milvus server at "):
        none.current_number()
    milvus.create("foreign", POSTS_FIELDS)
    milvus.create_alias("blog", "foreign")
    with pytest.raises(IndexBroken, match="names foreign, which is no index"):
        none.current_number()
    milvus.drop_alias("blog")
    gone = open_store(IndexAddress("milvus", f"127.0.0.1:{free_port()}", "blog"))
    with pytest.raises(IndexUnreachable, match="does not answer"):
        gone.current_number()
    assert gone.stamp() is None


def test_lost_rows_are_found(made: Blog, milvus: Milvus) -> None:
    milvus.drop(NAMES.chunks(1))
    milvus.create(NAMES.chunks(1), CHUNKS_FIELDS)
    milvus.load(NAMES.chunks(1))
    with pytest.raises(IndexBroken, match="has lost rows"):
        made.store.verify(made.manifest)


def test_a_second_ingest_is_refused_while_one_writes(
    made: Blog, monkeypatch: pytest.MonkeyPatch
) -> None:
    from blog_search_mcp.index.milvus import state

    monkeypatch.setattr(state, "HEARTBEAT_SECONDS", 0.05)
    made.write({"1.md": "# Tea\n"})
    with made.store.lock_writer(), pytest.raises(IndexBusy):
        made.ingest()
    assert made.ingest().changed == 1


def test_one_connection_and_one_store_serve_an_address() -> None:
    address = IndexAddress("milvus", "host:1", "blog")
    assert store.store_at(address) is store.store_at(IndexAddress("milvus", "host:1", "blog"))
