"""An index in Milvus under readers, kills, thieves and a server that goes."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from blog_search_mcp.index.errors import IndexProblem, IndexUnreachable
from blog_search_mcp.index.milvus import client as milvus_client
from blog_search_mcp.index.milvus import connection, generation_writer
from blog_search_mcp.index.milvus import state as milvus_state
from blog_search_mcp.index.milvus import store as milvus_store
from blog_search_mcp.index.milvus.schema import STATE_FIELDS, CollectionNames
from blog_search_mcp.index.stores import parse_index_address
from blog_search_mcp.index.types import Filters
from tests.reliability.conftest import RecordRuns
from tests.support.blog import Blog
from tests.support.milvus_server import serving
from tests.support.paths import ROOT
from tests.support.ports import free_port
from tests.support.python import start_python

if TYPE_CHECKING:
    from blog_search_mcp.index.milvus.client import Milvus

POSTS = 6


def posts(edition: int) -> dict[str, str]:
    """All of them have the word of the edition."""
    said = "And so on. " * 40
    return {
        f"{number}.md": f"# Post {number}\n\nSoup in edition{edition:04d}. {said}\n"
        for number in range(POSTS)
    }


def blog_at(folder: Path, address: str) -> Blog:
    location = parse_index_address(address.replace("http:", "milvus:") + "/blog")
    assert location is not None
    made = Blog(folder / "content", folder / "index", address=location)
    made.content.mkdir()
    return made


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(milvus_state, "HEARTBEAT_SECONDS", 0.2)
    monkeypatch.setattr(milvus_state, "STALE_SECONDS", 2.0)
    monkeypatch.setattr(milvus_state, "SETTLE_SECONDS", 0.1)


@pytest.fixture
def blog(milvus: Milvus, tmp_path: Path) -> Iterator[Blog]:
    made = blog_at(tmp_path, milvus.address)
    yield made
    for live in made.live:
        live.close()


def editions(blog: Blog, limit: int = POSTS) -> set[str]:
    """The editions that one answer is of."""
    answer = blog.reader().search("soup", Filters(), limit=limit, offset=0)
    return {hit.chunk.text.split("edition")[1][:4] for hit in answer.hits}


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
        mixed += len(found) != 1 or len(answer.hits) != 6
        seen |= found
    except Exception as error:
        errors.append(repr(error))
    answers += 1
print(answers, len(errors), mixed, len(seen), *errors[:3], sep="\\n")
"""


def test_no_answer_fails_or_is_of_two_generations_while_they_switch(
    blog: Blog, full: bool, record_runs: RecordRuns, monkeypatch: pytest.MonkeyPatch
) -> None:
    switches = 60 if full else 6
    monkeypatch.setattr(generation_writer, "GRACE", 2.0)
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
    answers = [int(each[0]) for each in said]
    print(f"{switches} switches, {answers} answers, of {[each[3] for each in said]} editions")  # noqa: T201
    assert [each[1:3] for each in said] == [["0", "0"]] * 2, said
    assert min(answers) > switches
    record_runs(sum(answers), sum(answers))


WRITER = """
import sys
from pathlib import Path
from tests.support.blog import Blog
from blog_search_mcp.index.milvus import state
from blog_search_mcp.index.stores import parse_index_address
state.HEARTBEAT_SECONDS, state.STALE_SECONDS, state.SETTLE_SECONDS = 0.2, 2.0, 0.1
blog = Blog(Path(sys.argv[1]), Path("index"), address=parse_index_address(sys.argv[2]))
print("ready", flush=True)
blog.ingest()
"""

LONGEST = 1.5
"""Seconds; about what the ingest takes."""


def test_an_index_survives_any_kill_of_its_writer(
    blog: Blog,
    milvus: Milvus,
    full: bool,
    record_runs: RecordRuns,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(generation_writer, "GRACE", 0.0)
    chosen, kills, killed = random.Random(7), 20 if full else 4, 0
    blog.write(posts(0))
    blog.ingest()
    for edition in range(1, kills + 1):
        blog.write(posts(edition))
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, str(blog.content), str(blog.location)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
        ) as writer:
            assert writer.stdout is not None
            writer.stdout.readline()
            time.sleep(chosen.uniform(0, LONGEST))
            writer.send_signal(signal.SIGKILL)
            killed += writer.wait() == -signal.SIGKILL
        assert editions(blog) in ({f"{edition - 1:04d}"}, {f"{edition:04d}"})
        blog.ingest()
        assert editions(blog) == {f"{edition:04d}"}
    # A busy server may do after a kill what the writer asked for last; the next takes it away.
    blog.write(posts(kills + 1))
    blog.ingest()
    names = CollectionNames("blog")
    generations = {names.generation_of(name) for name in milvus.collections()} - {None}
    assert len(generations) <= generation_writer.MOST_SEGMENTS + 2
    assert not any(map(names.is_lock, milvus.collections()))
    assert killed > 1
    record_runs(kills, kills)


def test_a_server_that_goes_and_comes_back_costs_sentences_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "CONNECT_SECONDS", 2.0)
    for name in ("READ", "PATIENCE"):
        monkeypatch.setattr(milvus_client, f"{name}_SECONDS", 2.0)
    monkeypatch.setattr(milvus_store, "PAUSE", 0.0)
    port = free_port()
    with ExitStack() as opened:
        with serving(tmp_path / "data", port) as address:
            blog = blog_at(tmp_path, address)
            blog.write(posts(0))
            blog.ingest()
            live = blog.follow()
            assert live.reader().search("soup", Filters(), limit=3, offset=0).hits
        with pytest.raises(IndexUnreachable, match="does not answer"):
            live.reader().search("soup", Filters(), limit=3, offset=0)
        blog.write(posts(1))
        with pytest.raises(IndexUnreachable, match="does not answer"):
            blog.ingest()
        opened.enter_context(serving(tmp_path / "data", port))
        answer = live.reader().search("soup", Filters(), limit=3, offset=0)
        assert len(answer.hits) == 3
        assert "does not answer" not in str(answer.notice)
        blog.ingest()
        assert editions(blog) == {"0001"}


@pytest.mark.parametrize("names", [None, "somebody_elses"])
def test_an_alias_that_is_lost_or_stolen_is_said_and_an_ingest_mends_it(
    names: str | None, blog: Blog, milvus: Milvus
) -> None:
    blog.write(posts(0))
    blog.ingest()
    if names is None:
        milvus.drop_alias("blog")
    else:
        milvus.create(names, STATE_FIELDS)
        milvus.alter_alias("blog", names)
    said = "There is no index blog" if names is None else "names somebody_elses, which is no"
    with pytest.raises(IndexProblem, match=said):
        editions(blog)
    blog.ingest(rebuild=True)
    assert editions(blog) == {"0000"}
    assert names is None or names in milvus.collections()
