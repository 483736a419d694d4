"""An index that follows its posts: what is gathered, ingested, switched to and noted."""

from __future__ import annotations

import shutil
import subprocess
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest

from blog_search_mcp.index.errors import IndexMissing, IndexProblem, IngestFailed
from blog_search_mcp.index.folder import FolderStore
from blog_search_mcp.index.store.disk import Layout
from blog_search_mcp.index.types import Filters
from blog_search_mcp.server.engine import Engine
from blog_search_mcp.server.settings import Settings
from blog_search_mcp.server.watch.watcher import RETRY, Watcher, run_ingest
from tests.support.paths import ROOT
from tests.support.ports import free_port
from tests.support.waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.blog import Blog, MakeBlog

SOUP = "# Soup\n\nBoil an onion.\n"
TEA = "# Tea\n\nSteep the leaves.\n"


class Watched:
    """A blog and its watch, whose steps the test takes."""

    def __init__(self, made: Blog) -> None:
        self.made = made
        self.now = 1000.0
        self.failure: str | None = None
        self.ingests = 0
        self.switches = 0
        self.watch = Watcher(made.index, made.content, self.ingest, self.switched, lambda: self.now)

    def ingest(self) -> list[str]:
        self.ingests += 1
        if self.failure:
            raise IngestFailed(self.failure, for_clients="It failed.")
        return [str(self.made.ingest().generation)]

    def switched(self) -> None:
        self.switches += 1

    def steps(self, count: int) -> str | None:
        for _ in range(count):
            self.watch.step()
        return self.watch.notice()


@pytest.fixture
def watched(blog: MakeBlog) -> Watched:
    return Watched(blog({"soup.md": SOUP}))


def test_the_first_look_ingests_and_the_next_ones_rest(watched: Watched) -> None:
    assert watched.steps(3) is None
    assert (watched.ingests, watched.switches) == (1, 0)


def test_changes_are_ingested_once(watched: Watched) -> None:
    watched.steps(1)
    watched.made.write({"tea.md": TEA, "more.md": TEA})
    assert watched.steps(3) is None
    assert (watched.ingests, watched.switches) == (2, 1)
    assert set(watched.made.manifest.posts) == {"soup.md", "tea.md", "more.md"}


def test_an_ingest_that_fails_is_said_and_tried_again_later(
    watched: Watched, caplog: pytest.LogCaptureFixture
) -> None:
    watched.steps(1)
    watched.failure = "No room in /home/me/blog/posts."
    watched.made.write({"tea.md": TEA})
    assert watched.steps(5) == "It failed."
    assert watched.ingests == 2
    warned = [each.getMessage() for each in caplog.records if each.levelname == "WARNING"]
    assert warned == ["No room in /home/me/blog/posts."]
    watched.now += RETRY - 0.1
    assert watched.steps(1) is not None
    assert watched.ingests == 2
    watched.failure = None
    watched.now += 0.1
    assert watched.steps(1) is None
    assert watched.switches == 1


def test_one_of_all_servers_that_follow_the_posts_ingests_them(watched: Watched) -> None:
    other = Watched(watched.made)
    watched.steps(1)
    other.steps(1)
    watched.made.write({"tea.md": TEA})
    assert other.steps(2) is not None
    assert watched.steps(1) is None
    assert other.steps(1) is None
    assert (watched.ingests, other.ingests) == (2, 0)
    del watched.watch
    watched.made.write({"more.md": TEA})
    assert other.steps(1) is None
    assert other.ingests == 1


def test_a_folder_that_went_away_is_said_until_it_is_back(watched: Watched) -> None:
    watched.steps(1)
    away = watched.made.content.rename(watched.made.content.with_name("away"))
    assert watched.steps(2) is not None
    away.rename(watched.made.content)
    assert watched.steps(1) is None
    assert watched.ingests == 1


def test_an_ingest_of_its_own_that_fails_says_why(tmp_path: Path) -> None:
    with pytest.raises(IngestFailed, match="none"):
        run_ingest(tmp_path / "none", Settings(tmp_path / "index"))


def test_until_there_is_an_index_answers_say_that_it_is_being_made(
    watched: Watched, tmp_path: Path
) -> None:
    none = tmp_path / "none"
    watch = Watcher(none, watched.made.content, watched.ingest, watched.switched)
    watch.check = lambda: None  # type: ignore[method-assign]
    engine = Engine(none, lambda _: pytest.fail("asked"), watch)
    with pytest.raises(IndexMissing, match="being made; ask again"):
        engine.search("onion", Filters(), limit=1, offset=0)
    watched.failure = "No post to index below /home/me/blog/posts."
    watch.step()
    with pytest.raises(IndexMissing, match=r"^There is no index yet\. It failed"):
        engine.read("soup.md", 0, 0)


@contextmanager
def served(content: Path) -> Iterator[str]:
    """A server that makes its index itself, beside the posts in `content`."""
    address = f"127.0.0.1:{free_port()}"
    options = ["--watch", content, "--http", address, "--embedder-url", "127.0.0.1:1"]
    command = [sys.executable, "-m", "blog_search_mcp", "serve", *map(str, options)]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL) as process:
        try:
            yield f"http://{address}"
        finally:
            process.kill()


def test_an_ingest_ends_with_the_server_that_runs_it(tmp_path: Path) -> None:
    (tmp_path / "content").mkdir()
    for number in range(300):
        text = f"# Post {number}\n\n" + f"Words of post {number} here. " * 40
        (tmp_path / "content" / f"{number}.md").write_text(text, encoding="utf-8")
    layout = Layout(tmp_path / ".blog-index")
    with served(tmp_path / "content"):
        until(layout.lock.exists)

    def is_free() -> bool:
        with suppress(IndexProblem), FolderStore(layout.root).lock_writer():
            return True
        return False

    until(is_free)
    assert not layout.current.exists()


def test_a_server_makes_its_index_and_follows_a_folder_that_is_deleted_and_made_anew(
    tmp_path: Path,
) -> None:
    content = tmp_path / "content"

    def write(*names: str) -> None:
        content.mkdir(exist_ok=True)
        for name in names:
            (content / name).write_text(SOUP, encoding="utf-8")

    def count_posts() -> object:
        with suppress(httpx.TransportError):
            return httpx.get(f"{url}/health").json()["posts"]
        return None

    write("soup.md")
    with served(content) as url:
        until(lambda: count_posts() == 1)
        assert (tmp_path / ".blog-index" / "CURRENT").is_file()
        write("tea.md")
        until(lambda: count_posts() == 2)
        shutil.rmtree(content)
        write("tea.md", "cake.md", "soup.md")
        until(lambda: count_posts() == 3)
