"""An index in Milvus: as in a folder, under readers, kills, other machines and a dead server."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from blog_search_mcp.index.errors import IndexBroken, IndexMissing, IndexProblem
from blog_search_mcp.index.milvus.files import RemoteFiles
from blog_search_mcp.index.milvus.store import WRITER, MilvusStore
from blog_search_mcp.index.reader import IndexReader
from blog_search_mcp.index.stores import parse_index_address
from blog_search_mcp.index.types import Filters
from tests.reliability.conftest import RecordRuns
from tests.reliability.killing import kill_an_ingest
from tests.support.blog import Blog, vectors_in
from tests.support.milvus_server import serving
from tests.support.ports import free_port
from tests.support.python import start_python

if TYPE_CHECKING:
    from blog_search_mcp.index.milvus.client import Milvus

POSTS = 6


def posts(edition: int) -> dict[str, str]:
    """Return the posts; each holds the word of the edition."""
    said = "And so on. " * 40
    return {
        f"{number}.md": f"# Post {number}\n\nSoup in edition{edition:04d}. {said}\n"
        for number in range(POSTS)
    }


def blog_at(folder: Path, address: str) -> Blog:
    location = parse_index_address(address.replace("http:", "milvus:") + "/blog")
    assert location is not None
    made = Blog(folder / "content", folder / "index", address=location)
    made.content.mkdir(parents=True)
    return made


@pytest.fixture
def blog(milvus: Milvus, tmp_path: Path) -> Iterator[Blog]:
    made = blog_at(tmp_path, milvus.address)
    yield made
    for live in made.live:
        live.close()


def editions(blog: Blog) -> set[str]:
    """Return the editions whose words one answer holds."""
    return {hit.chunk.text.split("edition")[1][:4] for hit in blog.search("soup").hits}


VARIED = {
    f"{number}.md": f"---\ntitle: About {word}\ntags: [{word[0]}]\n---\n{word} and tea. " * 9
    for number, word in enumerate(["walrus", "zebra", "onion", "kelp", "moth", "鎖定執行緒"])
}


def test_an_edit_is_found_and_a_reader_keeps_what_it_opened(blog: Blog) -> None:
    blog.write(VARIED)
    blog.ingest()
    early = blog.engine().reader()
    blog.write({"0.md": "# Quagga\n\nA quagga.\n"})
    (blog.content / "1.md").unlink()
    blog.ingest()
    late = blog.engine().reader()
    for reader, word, sources in (
        (late, "quagga", ["0.md"]),
        (late, "walrus", []),
        (late, "zebra", []),
        (early, "walrus", ["0.md"]),
        (early, "zebra", ["1.md"]),
    ):
        hits = reader.search(word, Filters(), limit=9, offset=0).hits
        assert [hit.post.source for hit in hits if word in hit.chunk.text.lower()] == sources
    chunks, rows = vectors_in(blog.snapshot())
    assert set(chunks.tolist()) == set(blog.snapshot().table.chunks.tolist())
    assert abs((rows**2).sum(axis=1) - 1.0).max() < 1e-5
    assert early.read("0.md", 0, 0).post.title == "About walrus"


def test_another_machine_serves_it_from_a_copy_and_is_no_second_writer(
    blog: Blog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blog.write(posts(0))
    blog.ingest()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "elsewhere"))
    assert blog.address is not None
    other = MilvusStore(blog.address)
    assert other.layout.root != blog.store.layout.root
    opened = IndexReader(other, other.current_number(), lambda _identity: blog.embedder)
    assert opened.overview == other.peek_overview()
    with blog.store.lock_writer(), pytest.raises(IndexProblem), other.lock_writer():
        pass
    with other.lock_writer():
        pass


def test_an_ingest_that_was_taken_for_dead_changes_nothing(blog: Blog, milvus: Milvus) -> None:
    blog.write(posts(0))
    blog.ingest()
    store, files = blog.store, RemoteFiles(milvus, "blog_files")
    with store.lock_writer():
        files.write_head(WRITER, {"machine": "another", "ends": time.time() + 60.0})
        with pytest.raises(IndexProblem), store.begin(blog.manifest, 1):
            pass
    assert editions(blog) == {"0000"}


def collections_of(milvus: Milvus) -> list[str]:
    """List the collections of the blog; the server holds those of other tests too."""
    return [name for name in milvus.ask("list_collections") if name.startswith("blog_")]


def test_lost_rows_and_files_are_told_and_an_ingest_mends_it(blog: Blog, milvus: Milvus) -> None:
    blog.write(posts(0))
    blog.ingest()
    [vectors] = [name for name in collections_of(milvus) if name.endswith("_vectors")]
    milvus.ask("drop_collection", vectors)
    with pytest.raises(IndexBroken, match="--rebuild"):
        editions(blog)
    blog.ingest(rebuild=True)
    assert editions(blog) == {"0000"}
    milvus.ask("drop_collection", "blog_files")
    with pytest.raises(IndexMissing):
        editions(blog)
    blog.ingest()
    assert editions(blog) == {"0000"}


READER = """
import re, sys
from tests.support.fakes import FakeEmbedder
from blog_search_mcp.index.reader import Index
from blog_search_mcp.index.stores import parse_index_address
from blog_search_mcp.index.types import Filters
index = Index(parse_index_address(sys.argv[1]), lambda _identity: FakeEmbedder())
answers, errors, mixed, seen = 0, [], 0, set()
print("ready", flush=True)
import threading
ended = threading.Event()
threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
while not ended.is_set():
    try:
        answer = index.reader().search("soup", Filters(), limit=20, offset=0)
        found = {re.search("edition([0-9]+)", hit.chunk.text)[1] for hit in answer.hits}
        mixed += len(found) > 1
        seen |= found
    except Exception as error:
        errors.append(repr(error))
    answers += 1
print(answers, len(errors), mixed, len(seen), *errors[:3], sep="\\n")
"""


def test_no_answer_fails_or_is_of_two_generations_while_they_switch(
    blog: Blog, full: bool, record_runs: RecordRuns
) -> None:
    switches = 60 if full else 6
    blog.write(posts(0))
    blog.ingest()
    readers = [start_python("-c", READER, blog.location) for _ in range(2)]
    for reader in readers:
        assert reader.stdout is not None
        assert reader.stdout.readline() == "ready\n"
    for edition in range(1, switches + 1):
        blog.write(posts(edition))
        blog.ingest()
        assert editions(blog) == {f"{edition:04d}"}
    said = [reader.communicate()[0].split("\n") for reader in readers]
    assert [each[1:3] for each in said] == [["0", "0"]] * 2, said
    answers = sum(int(each[0]) for each in said)
    assert answers > switches
    record_runs(answers, answers)


LONGEST = 1.5
"""Seconds; about what the ingest takes."""


def test_an_index_survives_any_kill_of_its_writer(
    blog: Blog, milvus: Milvus, full: bool, record_runs: RecordRuns
) -> None:
    chosen, kills, killed = random.Random(7), 20 if full else 4, 0
    blog.write(posts(0))
    blog.ingest()
    for edition in range(1, kills + 1):
        blog.write(posts(edition))
        killed += kill_an_ingest(blog, chosen.uniform(0, LONGEST)) == -signal.SIGKILL
        assert editions(blog) in ({f"{edition - 1:04d}"}, {f"{edition:04d}"})
        blog.ingest()
        assert editions(blog) == {f"{edition:04d}"}
    assert len(collections_of(milvus)) == 2
    assert killed > 1
    record_runs(kills, kills)


def test_a_server_that_goes_and_comes_back_costs_sentences_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "copies"))
    port = free_port()
    with serving(tmp_path / "data", port) as address:
        blog = blog_at(tmp_path / "blog", address)
        blog.write(posts(0))
        blog.ingest()
        live = blog.engine()
        assert live.reader().search("soup", Filters(), limit=3, offset=0).hits
    with pytest.raises(IndexProblem, match="does not answer"):
        live.reader().search("soup", Filters(), limit=3, offset=0)
    blog.write(posts(1))
    with pytest.raises(IndexProblem, match="does not answer"):
        blog.ingest()
    with serving(tmp_path / "data", port):
        answer = live.reader().search("soup", Filters(), limit=3, offset=0)
        assert len(answer.hits) == 3
        blog.ingest()
        assert editions(blog) == {"0001"}
