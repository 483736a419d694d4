"""Switching, locking and refusing: what a reader of a damaged index is told, and by whom."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from blog_search_mcp.index.errors import IndexBroken, IndexBusy, IndexFormatUnknown, IndexMissing
from blog_search_mcp.index.reader import Index
from blog_search_mcp.index.store.disk import Layout
from blog_search_mcp.index.store.generations import current_number, read_manifest, writer_lock
from blog_search_mcp.index.store.manifest import FORMAT, REBUILD, dumps, verify
from blog_search_mcp.index.types import EmbedderIdentity, Filters
from tests.support.fakes import DIMENSION, IDENTITY, FakeEmbedder

if TYPE_CHECKING:
    from tests.support.blog import Blog, MakeBlog

POSTS = {f"{n}.md": f"# Post {n}\n\nAbout soup number {n}.\n" for n in range(5)}


def refusal(blog: Blog) -> str:
    with pytest.raises(IndexBroken) as raised:
        blog.reader()
    return str(raised.value)


def test_a_manifest_of_another_generation_is_refused(blog: MakeBlog) -> None:
    made = blog(POSTS)
    earlier = made.files.manifest.read_bytes()
    made.write({"0.md": "Changed."})
    made.ingest()
    shutil.rmtree(made.layout.generation(1).folder)
    made.files.manifest.write_bytes(earlier)
    assert refusal(made) == f"The index's manifest.json belongs to another generation. {REBUILD}"


def test_vectors_of_another_length_than_the_embedder_s_are_refused(blog: MakeBlog) -> None:
    longer = EmbedderIdentity(IDENTITY.kind, IDENTITY.model, IDENTITY.digest, DIMENSION + 1)
    made = blog(POSTS)
    made.embedder = FakeEmbedder(longer)
    text = dumps(made.manifest.model_copy(update={"embedder": longer}))
    made.files.manifest.write_text(text, encoding="utf-8")
    assert refusal(made) == f"The index's vectors are not its embedder's. {REBUILD}"


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"", "names no generation"),
        (b"nonsense", "names no generation"),
        (b"1\n", "names no generation"),
        (b"-00001\n", "names no generation"),
        (b"../../etc\n", "names no generation"),
        (b"9" * 5000, "names no generation"),
        (b"\xff\xfe", "cannot be read"),
        ("０００００１".encode(), "cannot be read"),
    ],
)
def test_a_current_that_names_nothing_is_one_sentence(
    content: bytes, fault: str, blog: MakeBlog
) -> None:
    made = blog(POSTS)
    made.layout.current.write_bytes(content)
    assert refusal(made) == f"The index's CURRENT {fault}. {REBUILD}"
    made.ingest(rebuild=True)
    assert made.reader().manifest.chunks == 5


def test_another_format_is_refused_by_reader_and_ingest(blog: MakeBlog) -> None:
    made = blog(POSTS)
    manifest = made.files.manifest
    text = manifest.read_text("utf-8").replace(f'"format": {FORMAT}', '"format": 99')
    manifest.write_text(text, "utf-8")
    for attempt in (made.reader, made.ingest):
        with pytest.raises(IndexFormatUnknown, match=rf"format 99, this program reads {FORMAT}\."):
            attempt()
    assert made.ingest(rebuild=True).generation == 2


def test_no_index_at_all_is_told_with_the_command_that_makes_one(tmp_path: Path) -> None:
    live = Index(tmp_path / ".blog-index", lambda _identity: FakeEmbedder())
    with pytest.raises(IndexMissing) as raised:
        live.reader()
    assert str(raised.value) == (
        "There is no index in .blog-index/ yet. Make one: "
        "`blog-search-mcp ingest CONTENT --index INDEX`."
    )


def test_what_a_killed_writer_left_is_thrown_away(blog: MakeBlog) -> None:
    made = blog(POSTS)
    torn = made.layout.generation(2)
    torn.folder.mkdir()
    torn.catalog.write_bytes(b"half a file")
    made.layout.current.with_name("CURRENT.next").write_text("0000", encoding="ascii")
    assert made.reader().manifest.generation == 1
    made.write({"0.md": "Changed."})
    assert made.ingest().generation == 3
    assert sorted(p.name for p in made.layout.generations.iterdir()) == ["000001", "000003"]
    assert made.reader().search("changed", Filters(), limit=1, offset=0).total


@pytest.mark.parametrize("stranger", [10**17 - 1, 10**17 - 2])
def test_a_folder_with_the_last_name_there_is_leaves_room_for_the_next(
    stranger: int, blog: MakeBlog
) -> None:
    made = blog(POSTS)
    made.layout.generation(stranger).folder.mkdir()
    for word in ("changed", "again", "more"):
        made.write({"0.md": word})
        made.ingest()
        assert made.reader().search(word, Filters(), limit=1, offset=0).total


def test_a_second_writer_is_told_to_wait(blog: MakeBlog) -> None:
    made = blog(POSTS)
    made.write({"0.md": "Changed."})
    with writer_lock(made.layout), pytest.raises(IndexBusy) as raised:
        made.ingest()
    assert str(raised.value) == (
        "Another ingest is writing to this index. Wait until it has finished, then run again."
    )
    assert made.ingest().changed == 1


def test_an_ingest_that_changes_nothing_needs_no_lock(blog: MakeBlog) -> None:
    made = blog(POSTS)
    with writer_lock(made.layout):
        assert made.ingest().generation == 1


def test_every_file_of_a_generation_has_a_checksum(blog: MakeBlog) -> None:
    made = blog(POSTS)
    there = {
        path.relative_to(made.files.folder).as_posix()
        for path in made.files.folder.rglob("*")
        if path.is_file() and not path.name.endswith(".lock")
    }
    assert set(made.manifest.files) == there - {"manifest.json"}
    verify(made.files, made.manifest)


def test_the_number_of_generations_may_outgrow_its_digits(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    layout.current.write_text("1234567\n", encoding="ascii")
    assert current_number(layout) == 1_234_567
    with pytest.raises(IndexBroken, match=r"manifest\.json cannot be read"):
        read_manifest(layout, 1_234_567)
