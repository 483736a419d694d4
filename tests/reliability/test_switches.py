"""New generations under a server that is searched all the time."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from blog_search_mcp.index.folder import FolderStore
from blog_search_mcp.index.store.disk import Layout
from tests.reliability.conftest import RecordRuns
from tests.support.faults.server_process import MODERN, Process, call
from tests.support.paths import ROOT
from tests.support.served import indexed

KEPT = 3
"""Generations on disk at most: the live one, the one before it and one that is still read."""

SEGMENTS = 8
"""Vector files by which two generations may differ."""

AT_ONCE, TIMES_AT_ONCE = 60, 4
"""Searches before the first switch, so that every thread of the server has had some."""


class Blog:
    """Posts with an index, and a server process over it."""

    def __init__(self, folder: Path) -> None:
        posts = {f"{n}.md": f"# Post {n}\n\nA post about soup {n}.\n" for n in range(20)}
        self.index = indexed(folder, posts)
        self.content = folder / "content"
        self.layout = Layout(self.index)
        self.server = Process(self.index, MODERN)

    def edit(self, edition: int) -> str:
        """Edit one post, and return a word that it alone has now."""
        word = f"edition{edition:04d}"
        text = f"# Post {edition % 20}\n\nA post about soup in {word}.\n"
        (self.content / f"{edition % 20}.md").write_text(text, encoding="utf-8")
        return word

    def start_ingest(self) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "blog_search_mcp.ingest", str(self.content)]
        return subprocess.Popen(
            [*command, "--index", str(self.index), "--embedder", "embedded"],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    def search(self, query: str) -> dict[str, Any]:
        """Return the structured answer. Raises KeyError for an error."""
        self.server.send(call("now", {"query": query, "response_format": "json"}))
        answer: dict[str, Any] = self.server.replies(1)[0]["result"]["structuredContent"]
        return answer

    @property
    def generation(self) -> Path:
        return self.layout.generation(FolderStore(self.index).current_number()).folder

    def generations(self) -> list[str]:
        return sorted(path.name for path in self.layout.generations.iterdir())


@pytest.fixture
def blog(tmp_path: Path) -> Iterator[Blog]:
    made = Blog(tmp_path)
    yield made
    made.server.end()


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_every_search_is_answered_while_generations_switch_and_the_newest_alone_stays_open(
    blog: Blog, full: bool, record_runs: RecordRuns
) -> None:
    for _ in range(TIMES_AT_ONCE):
        blog.server.send(b"".join(call(n, {"query": "soup"}) for n in range(AT_ONCE)))
        blog.server.replies(AT_ONCE)
    searches, files = 0, set()
    switches = 50 if full else 3
    for edition in range(1, switches + 1):
        word = blog.edit(edition)
        with blog.start_ingest() as running:
            while running.poll() is None:
                searches += 1
                assert blog.search("soup")["results"]
            running.communicate()
        assert running.returncode == 0
        found = blog.search(word)["results"]
        assert found[0]["source"] == f"{edition % 20}.md"
        assert mapped_generations(blog) == {blog.generation.name}
        assert len(blog.generations()) <= KEPT
        files.add(sum(1 for _ in Path(f"/proc/{blog.server.pid}/fd").iterdir()))
    record_runs(switches + searches, switches + searches)
    assert max(files) - min(files) <= SEGMENTS


def mapped_generations(blog: Blog) -> set[str]:
    """Return the generations whose files the server has in memory, deleted ones too."""
    maps = Path(f"/proc/{blog.server.pid}/maps").read_text(encoding="utf-8")
    below = (line.partition(f"{blog.layout.generations}/")[2] for line in maps.splitlines())
    return {name.partition("/")[0] for name in below if name}
