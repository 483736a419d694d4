"""A process that waits to ingest: asked, too late, killed and never asked."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from blog_search_mcp.index.content.last_ingest import IngestOptions
from blog_search_mcp.index.store.generations import live_number
from blog_search_mcp.index.store.layout import Layout
from blog_search_mcp.ingest import standby as waiting
from blog_search_mcp.server.watch import reingest as standby
from blog_search_mcp.server.watch.reingest import Reingest, Standby
from tests.support.paths import ROOT
from tests.support.waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator

SOUP = "# Soup\n\nBoil an onion.\n"
DONE = "2 posts, 2 chunks: 2 added, 0 changed, 0 removed, none skipped; "


class Waiting(Standby):
    """Knows what it has started."""

    def __init__(
        self, program: str = "from blog_search_mcp.ingest.standby import main; exit(main())"
    ) -> None:
        super().__init__(self.started)
        self.program = program
        self.processes: list[subprocess.Popen[str]] = []

    def started(self) -> subprocess.Popen[str]:
        pipe = subprocess.PIPE
        command = [sys.executable, "-c", self.program]
        self.processes.append(
            subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
        )
        return self.processes[-1]


@pytest.fixture
def asked(tmp_path: Path) -> list[str]:
    content = tmp_path / "content"
    content.mkdir()
    for name in ("soup.md", "tea.md"):
        (content / name).write_text(SOUP, encoding="utf-8")
    return [str(content), "--index", str(tmp_path / "index"), "--embedder", "embedded"]


@pytest.fixture
def one() -> Iterator[Waiting]:
    made = Waiting()
    made.start()
    yield made
    made.end()


def test_it_ingests_as_the_command_does(one: Waiting, asked: list[str], tmp_path: Path) -> None:
    done = one.run(asked)
    assert done is not None
    assert done.returncode == 0
    assert done.stderr.splitlines()[-1].startswith(DONE)
    assert live_number(Layout(tmp_path / "index")) == 1


def test_it_fails_as_the_command_does(one: Waiting, asked: list[str]) -> None:
    done = one.run(["nowhere", *asked[1:]])
    assert done is not None
    assert done.returncode == 1
    assert done.stderr.startswith("There is no content folder")


def test_it_is_used_once(one: Waiting, asked: list[str]) -> None:
    assert one.run(asked) is not None
    assert one.run(asked) is None


def test_without_one_nothing_is_run(asked: list[str]) -> None:
    assert Waiting().run(asked) is None


def test_one_that_was_killed_has_taken_nothing(one: Waiting, asked: list[str]) -> None:
    one.processes[0].kill()
    assert one.run(asked) is None


def test_one_that_broke_while_it_waited_has_taken_nothing(asked: list[str]) -> None:
    made = Waiting("raise ImportError('torn')")
    made.start()
    assert made.run(asked) is None


def test_one_that_ended_is_replaced_and_one_that_waits_is_kept(one: Waiting) -> None:
    one.start()
    assert len(one.processes) == 1
    one.processes[0].kill()
    one.processes[0].wait()
    one.start()
    assert len(one.processes) == 2


def test_it_ends_with_whoever_wanted_it(one: Waiting) -> None:
    one.end()
    assert one.processes[0].returncode == 0


def test_it_does_not_wait_for_ever() -> None:
    code = "from blog_search_mcp.ingest import standby as s; s.PATIENCE = 0.0; exit(s.main())"
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE) as process:
        assert process.wait(60) == 0


def test_what_the_two_sides_say_is_the_same() -> None:
    assert waiting.TAKEN == standby.TAKEN


def test_a_watch_starts_a_process_at_first_and_has_one_waiting_afterwards(
    asked: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(standby, "REST", 0.0)
    again, ran = Reingest(Path(asked[0]), tmp_path / "index", "127.0.0.1:1"), Ran()
    monkeypatch.setattr("blog_search_mcp.server.watch.reingest._run", ran)
    assert again(IngestOptions()) == "run in a new process"
    until(lambda: again.standby.waits)
    assert again(IngestOptions()).startswith("2 posts, 2 chunks")
    assert ran.count == 1
    until(lambda: again.standby.waits)
    again.standby.end()


class Ran:
    """Ingests nothing."""

    count = 0

    def __call__(self, command: list[str]) -> subprocess.CompletedProcess[str]:
        self.count += 1
        return subprocess.CompletedProcess(command, 0, "", "run in a new process\n")
