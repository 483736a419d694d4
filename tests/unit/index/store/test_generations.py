"""Generations on disk: how one takes the place of another, who may read and write meanwhile."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from blog_search_mcp.index.errors import IndexBroken, IndexBusy, IndexFormatUnknown, IndexMissing
from blog_search_mcp.index.reader import Index
from blog_search_mcp.index.store.catalog import read_chunk_table
from blog_search_mcp.index.store.disk import Layout, read_regular
from blog_search_mcp.index.store.generations import writer_lock
from blog_search_mcp.index.store.manifest import FORMAT
from blog_search_mcp.index.types import Filters
from tests.support.fakes import FakeEmbedder
from tests.support.front import made as made_by_front
from tests.support.python import start_python

if TYPE_CHECKING:
    from blog_search_mcp.index.store.disk import GenerationFiles
    from tests.support.blog import Blog, MakeBlog

POSTS = {f"{n}.md": f"# Post {n}\n\nAbout soup number{n}.\n" for n in range(30)}
ONION, LEEK = {"soup.md": "# Soup\n\nBoil an onion.\n"}, {"soup.md": "# Soup\n\nFry a leek.\n"}


def generations(layout: Layout) -> list[int]:
    return sorted(int(folder.name) for folder in layout.generations.iterdir())


def texts_with(made: Blog, word: str) -> list[str]:
    answer = made.reader().search(word, Filters(), limit=30, offset=0)
    return [hit.post.source for hit in answer.hits if word in hit.chunk.text]


def edit(made: Blog, *numbers: int) -> None:
    made.write({f"{n}.md": f"# Post {n}\n\nAbout a walrus{n}.\n" for n in numbers})
    made.ingest()


def foreign_manifest(made: Blog) -> None:
    earlier = made.files.manifest.read_bytes()
    edit(made, 0)
    made.files.manifest.write_bytes(earlier)
    made.layout.generation(1).manifest.write_bytes(b"")


def foreign_current(content: bytes) -> Callable[[Blog], object]:
    return lambda made: made.layout.current.write_bytes(content)


@pytest.mark.parametrize(
    "damage",
    [
        foreign_manifest,
        *map(foreign_current, [b"", b"1\n", b"../../etc\n", b"9" * 5000, b"\xff\xfe"]),
    ],
)
def test_what_is_not_ours_is_refused_and_an_ingest_makes_it_anew(
    damage: Callable[[Blog], object], blog: MakeBlog
) -> None:
    made = blog(POSTS)
    damage(made)
    with pytest.raises(IndexBroken, match="--rebuild"):
        made.reader()
    made.ingest(rebuild=True)
    assert made.reader().manifest.chunks == 30


def test_another_format_is_refused_by_reader_and_ingest(blog: MakeBlog) -> None:
    made = blog(ONION)
    text = made.files.manifest.read_text("utf-8")
    made.files.manifest.write_text(text.replace(f'"format": {FORMAT}', '"format": 99'), "utf-8")
    for attempt in (made.reader, made.ingest):
        with pytest.raises(IndexFormatUnknown, match="--rebuild"):
            attempt()
    assert made.ingest(rebuild=True).generation == 2


def test_no_index_at_all_is_told_with_the_command_that_makes_one(tmp_path: Path) -> None:
    live = Index(tmp_path / ".blog-index", lambda _identity: FakeEmbedder())
    with pytest.raises(IndexMissing, match="blog-search-mcp ingest"):
        live.reader()


def test_what_a_killed_writer_left_is_thrown_away(blog: MakeBlog) -> None:
    made = blog(ONION)
    torn = made.layout.generation(2)
    torn.folder.mkdir()
    torn.catalog.write_bytes(b"half a file")
    made.layout.current.with_name("CURRENT.next").write_text("0000", encoding="ascii")
    assert made.reader().manifest.generation == 1
    made.write(LEEK)
    assert made.ingest().generation == 3
    assert generations(made.layout) == [1, 3]


def test_a_second_writer_is_told_to_wait_but_where_nothing_changes(blog: MakeBlog) -> None:
    made = blog(ONION)
    with writer_lock(made.layout):
        assert made.ingest().generation == 1
        made.write(LEEK)
        with pytest.raises(IndexBusy):
            made.ingest()
    assert made.ingest().changed == 1


READER = """
import sys
from pathlib import Path
from blog_search_mcp.index.reader import Index
from tests.support.fakes import FakeEmbedder
reader = Index(Path(sys.argv[1]), lambda _identity: FakeEmbedder()).reader()
print(reader.manifest.generation, flush=True)
sys.stdin.read()
print(reader.read("soup.md", 0, 0).chunks[0].text)
"""


def reading(blog: Blog) -> subprocess.Popen[str]:
    """A process that has opened the live generation; it reads once its stdin is closed."""
    process = start_python("-c", READER, blog.index)
    assert process.stdout is not None
    assert process.stdout.readline() == "1\n"
    return process


def switch(made: Blog, times: int) -> None:
    for number in range(times):
        made.write({"soup.md": f"# Soup\n\nVersion {made.manifest.generation} {number}.\n"})
        made.ingest()


@pytest.mark.skipif(os.name == "nt", reason="there, what is open cannot be deleted")
def test_what_another_process_reads_outlives_switches(blog: MakeBlog) -> None:
    made = blog(ONION)
    with reading(made) as process:
        switch(made, 3)
        assert generations(made.layout) == [3, 4]
        assert process.communicate()[0] == "# Soup\n\nBoil an onion.\n"


def test_a_request_that_outlasts_two_switches_still_gets_its_answer(blog: MakeBlog) -> None:
    made = blog(ONION)
    live = made.follow()
    asked = live.reader()
    for _ in range(3):
        switch(made, 1)
        live.reader()
    assert generations(made.layout) == [3, 4]
    [hit] = asked.search("onion", Filters(), limit=1, offset=0).hits
    assert hit.chunk.text == "# Soup\n\nBoil an onion."


def test_after_an_ingest_that_fails_the_generation_before_still_stands_in(tmp_path: Path) -> None:
    blog = made_by_front(tmp_path, ONION)
    blog.write(LEEK)
    assert blog.ingest().status == 0
    (blog.content / "soup.md").unlink()
    assert blog.ingest().status == 1
    (max((blog.index / "generations").iterdir()) / "manifest.json").write_bytes(b"{}")
    assert "onion" in blog.tool("read_chunk", source="soup.md").text


def inodes(files: GenerationFiles) -> dict[str, int]:
    """By name, of the two largest files of a generation, which are written once."""
    return {
        path.relative_to(files.folder).as_posix(): path.stat().st_ino
        for path in (files.texts, *files.vectors.glob("*.rows"))
    }


def test_one_edit_shares_what_is_written_once_and_many_write_it_anew(blog: MakeBlog) -> None:
    made = blog(POSTS)
    before, checksums = inodes(made.files), made.manifest.files
    edit(made, 3)
    assert before.items() <= inodes(made.files).items()
    assert {name: made.manifest.files[name] for name in before} == {
        name: checksums[name] for name in before
    }
    there = {path for path in made.files.folder.rglob("*") if path.is_file()}
    names = {path.relative_to(made.files.folder).as_posix() for path in there}
    unlocked = {name for name in names if not name.endswith(".lock")}
    assert set(made.manifest.files) == unlocked - {"manifest.json"}
    assert [texts_with(made, word) for word in ("walrus3", "number3", "number4")] == [
        ["3.md"],
        [],
        ["4.md"],
    ]
    for number in (0, 1, 2):
        edit(made, number)
    assert not before.items() & inodes(made.files).items()
    assert b"number3" not in made.files.texts.read_bytes()
    made.store.verify(made.manifest)
    grown = [hit.post.source for hit in answers(made)]
    made.ingest(rebuild=True)
    assert [hit.post.source for hit in answers(made)] == grown


def answers(made: Blog) -> tuple[Any, ...]:
    return made.reader().search("soup walrus2 number9", Filters(), limit=9, offset=0).hits


def test_without_links_everything_is_copied(
    blog: MakeBlog, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_paths: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("blog_search_mcp.index.store.disk.os.link", refuse)
    made = blog(POSTS)
    before = inodes(made.files)
    edit(made, 3)
    assert not before.items() & inodes(made.files).items()
    made.store.verify(made.manifest)
    assert texts_with(made, "walrus3") == ["3.md"]


def test_ids_of_posts_and_chunks_ascend_together_however_an_index_grew(blog: MakeBlog) -> None:
    made = blog(POSTS)
    made.write({"3.md": POSTS["4.md"], "0.md": POSTS["3.md"], "a.md": POSTS["1.md"]})
    made.ingest()
    table = read_chunk_table(made.files.table)
    assert (np.diff(table.chunks) > 0).all()
    assert (np.diff(table.posts) >= 0).all()
    first, last = table.posts[[0, -1]]
    chunks, counts = table.of_posts(np.asarray([last, first, 10**6]))
    assert counts.tolist() == [1, 1, 0]
    assert table.posts_of(chunks).tolist() == [last, first]
    assert table.chunks_of([int(last)]).tolist() == [chunks[0]]


def test_the_doctor_counts_a_file_of_two_generations_once(tmp_path: Path) -> None:
    characters = random.Random(1)
    # The packaged models know no letter of this script: nothing has to be embedded.
    letters = [chr(characters.randrange(0x1200, 0x1240)) for _ in range(60_000)]
    words = "\n\n".join(" ".join(letters[start : start + 60]) for start in range(0, 60_000, 60))
    blog = made_by_front(tmp_path, {**ONION, "long.md": f"# Long\n\n{words}\n"})
    blog.write(LEEK)
    assert blog.ingest().status == 0
    files = [path.stat() for path in blog.index.rglob("*") if path.is_file()]
    once = {status.st_ino: status.st_size for status in files}
    assert sum(status.st_size for status in files) > sum(once.values()) + 100_000
    assert f" {sum(once.values()) / 1e6:.1f} MB" in blog.command("doctor").out


opened: dict[str, int] = {}
"""How often each of these files was opened, by path."""


def count_opened(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open" and isinstance(arguments[0], str | os.PathLike):
        path = os.fspath(arguments[0])
        if path in opened:
            opened[path] += 1


def test_a_damaged_file_is_read_once_and_again_when_it_is_mended(blog: MakeBlog) -> None:
    made = blog(ONION)
    reader, path = made.reader(), made.files.texts
    whole = path.read_bytes()
    path.write_bytes(whole[:-1] + b"\xff")
    sys.addaudithook(count_opened)
    opened[str(path)] = 0
    for _ in range(3):
        with pytest.raises(IndexBroken):
            reader.search("onion", Filters(), limit=1, offset=0)
    assert opened.pop(str(path)) == 1
    path.write_bytes(whole)
    assert reader.search("onion", Filters(), limit=1, offset=0).hits


@pytest.mark.parametrize("target", ["pipe", "folder", "/dev/zero", "large"])
def test_what_is_no_file_or_too_large_is_not_read(target: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "large").write_bytes(b"12345")
    (tmp_path / "link").symlink_to(target)
    with pytest.raises(OSError, match=r"Too large|regular|directory"):
        read_regular(tmp_path / "link", 4)
