"""Old generations are deleted, but none that anybody reads: here, elsewhere or a moment ago."""

from __future__ import annotations

import subprocess
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from blog_search_mcp.index.store.disk import Layout
from blog_search_mcp.index.store.generations import collect, lock_generation, locked_generations
from blog_search_mcp.index.types import Filters
from tests.support.python import start_python

if TYPE_CHECKING:
    from tests.support.blog import Blog, MakeBlog

SOUP = {"soup.md": "# Soup\n\nBoil an onion.\n"}


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    made = Layout(tmp_path)
    for number in range(1, 5):
        made.generation(number).folder.mkdir(parents=True)
    return made


def generations(layout: Layout) -> list[int]:
    return sorted(int(folder.name) for folder in layout.generations.iterdir())


def locks(layout: Layout) -> list[str]:
    return sorted(path.name.partition("-")[0] for path in layout.readers.iterdir())


def test_a_generation_is_spared_while_it_is_locked(layout: Layout) -> None:
    unlock_first, unlock_second = lock_generation(layout, 1), lock_generation(layout, 1)
    collect(layout, 4)
    assert generations(layout) == [1, 4]
    unlock_first()
    collect(layout, 4)
    assert generations(layout) == [1, 4]
    unlock_second()
    collect(layout, 4)
    assert (generations(layout), locks(layout)) == ([4], [])


def test_a_lock_may_be_released_twice_and_from_another_thread(layout: Layout) -> None:
    unlock = lock_generation(layout, 2)
    releasing = threading.Thread(target=unlock)
    releasing.start()
    releasing.join()
    unlock()
    assert locked_generations(layout) == set()


def test_files_of_readers_that_were_killed_do_not_pile_up(layout: Layout) -> None:
    layout.readers.mkdir()
    (layout.readers / "000001-of-a-killed-reader").touch()
    unlock = lock_generation(layout, 2)
    assert locks(layout) == ["000002"]
    unlock()


def test_an_index_without_readers_has_no_locks(tmp_path: Path) -> None:
    assert locked_generations(Layout(tmp_path)) == set()


def test_a_foreign_file_among_the_locks_is_left_alone(layout: Layout) -> None:
    layout.readers.mkdir()
    (layout.readers / ".DS_Store").write_bytes(b"x")
    assert locked_generations(layout) == set()
    assert locks(layout) == [".DS_Store"]


def test_where_no_lock_can_be_had_reading_goes_on(layout: Layout) -> None:
    layout.readers.write_bytes(b"no folder")
    lock_generation(layout, 1)()
    assert locked_generations(layout) == set()


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


def switch(blog: Blog, times: int) -> None:
    for number in range(times):
        blog.write({"soup.md": f"# Soup\n\nVersion {blog.manifest.generation} {number}.\n"})
        blog.ingest()


def test_what_another_process_reads_outlives_switches_and_then_is_deleted(blog: MakeBlog) -> None:
    made = blog(SOUP)
    with reading(made) as process:
        switch(made, 3)
        assert generations(made.layout) == [1, 3, 4]
        assert process.communicate()[0] == "# Soup\n\nBoil an onion.\n"
    switch(made, 1)
    assert (generations(made.layout), locks(made.layout)) == ([4, 5], [])


def test_a_reader_that_was_killed_locks_nothing(blog: MakeBlog) -> None:
    made = blog(SOUP)
    with reading(made) as process:
        process.kill()
    assert locks(made.layout) == ["000001"]
    switch(made, 2)
    assert (generations(made.layout), locks(made.layout)) == ([2, 3], [])


def test_a_request_that_outlasts_two_switches_still_gets_its_answer(blog: MakeBlog) -> None:
    made = blog(SOUP)
    live = made.follow()
    asked = live.reader()
    for _ in range(3):
        switch(made, 1)
        live.reader()
    assert generations(made.layout) == [1, 3, 4]
    [hit] = asked.search("onion", Filters(), limit=1, offset=0).hits
    assert hit.chunk.text == "# Soup\n\nBoil an onion."
    del asked
    switch(made, 1)
    assert generations(made.layout) == [4, 5]
